//! Connections to PostgreSQL with TLS, on a server whose certificates come from an authority of the test's own.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::OnceLock;

use botyard_tests::{Database, Installation};
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
};
use test_postgres::{Account, Cluster, not_run};

use super::command::{Ran, run};
use super::setup::BOTS;
use super::wire::Wire;

/// What the server does with connections: to the database `certified` only with a client's certificate.
const ACCESS: &str = "hostssl certified postgres 127.0.0.1/32 cert\n\
                      host all postgres 127.0.0.1/32 trust\n";
const SETTINGS: &str = "ssl = on\n\
                        ssl_cert_file = 'server.crt'\n\
                        ssl_key_file = 'server.key'\n\
                        ssl_ca_file = 'ca.crt'\n";

/// A server with TLS, which is there for `localhost`, and what its clients need.
struct TlsServer {
    cluster: Cluster,
    authority: String,
    other_authority: String,
    /// A certificate for the role `postgres`, and its key.
    client: (String, String),
}

fn authority(name: &str) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate and its key.
fn issue(
    authority: &CertifiedIssuer<'static, KeyPair>,
    host: &str,
    name: &str,
) -> (String, String) {
    let hosts = if host.is_empty() { Vec::new() } else { vec![host.to_owned()] };
    let mut params = CertificateParams::new(hosts).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    let key = KeyPair::generate().unwrap();
    (params.signed_by(&key, authority).unwrap().pem(), key.serialize_pem())
}

impl TlsServer {
    /// The one that all tests here share; none where there are no programs, or the binary has no TLS.
    fn get() -> Option<&'static Self> {
        static SERVER: OnceLock<Option<TlsServer>> = OnceLock::new();
        SERVER.get_or_init(Self::start).as_ref()
    }

    fn start() -> Option<Self> {
        if !storage_diesel::HAS_TLS {
            not_run("the binary was built without the feature postgres-tls");
            return None;
        }
        let programs = test_postgres::programs()?;
        let authority = authority("Authority of a test");
        let (certificate, key) = issue(&authority, "localhost", "A server");
        let client = issue(&authority, "", "postgres");
        let authority = authority.pem();
        let folder = tempfile::tempdir().unwrap();
        // The server runs under another account.
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        for (name, content) in [
            ("ca.crt", authority.as_str()),
            ("server.crt", &certificate),
            ("server.key", &key),
            ("more.conf", SETTINGS),
            ("pg_hba.conf", ACCESS),
        ] {
            fs::write(folder.path().join(name), content).unwrap();
        }
        let account = Account::for_server().unwrap();
        let cluster = Cluster::start_with_files(&programs, account.as_ref(), folder.path());
        let cluster = cluster.unwrap();
        let other_authority = self::authority("Another authority").pem();
        let server = Self { cluster, authority, other_authority, client };
        for database in ["certified", "served", "warned"] {
            server.connect().batch_execute(&format!("CREATE DATABASE {database}")).unwrap();
        }
        Some(server)
    }

    /// A connection without TLS.
    fn connect(&self) -> PgConnection {
        PgConnection::establish(&format!("{}?sslmode=disable", self.cluster.url())).unwrap()
    }

    /// Address of a database under the server's name, or another one.
    fn url(&self, host: &str, database: &str, options: &str) -> String {
        let port = self.cluster.port();
        format!("postgres://postgres@{host}:{port}/{database}?hostaddr=127.0.0.1&{options}")
    }

    /// How many sessions that botyard opened are encrypted, or are not.
    fn sessions(&self, are_encrypted: bool) -> i64 {
        #[derive(QueryableByName)]
        struct Count {
            #[diesel(sql_type = BigInt)]
            count: i64,
        }
        let query = format!(
            "SELECT count(*) AS count FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
             WHERE application_name LIKE 'botyard%' AND ssl = {are_encrypted}"
        );
        let count: Count = diesel::sql_query(query).get_result(&mut self.connect()).unwrap();
        count.count
    }
}

/// A folder with the files of a client.
struct Client {
    installation: Installation,
    server: &'static TlsServer,
}

impl Client {
    fn new() -> Option<Self> {
        let server = TlsServer::get()?;
        let installation = Installation::empty(Database::Sqlite);
        for (name, content) in [
            ("root.crt", &server.authority),
            ("other.crt", &server.other_authority),
            ("client.crt", &server.client.0),
            ("client.key", &server.client.1),
        ] {
            let path = installation.data_dir().join(name);
            fs::write(&path, content).unwrap();
            // A key that others can read is refused.
            fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
        }
        Some(Self { installation, server })
    }

    /// The path of a file as an option of the address.
    fn file(&self, option: &str, name: &str) -> String {
        format!("{option}={}", self.installation.data_dir().join(name).display())
    }

    fn migrate(&self, url: &str) -> Ran {
        run(self.installation.command(&[("DATABASE_URL", url)]).arg("migrate"))
    }
}

#[test]
fn a_verified_connection_serves_requests_postgres() {
    let Some(client) = Client::new() else { return };
    let options = format!("sslmode=verify-full&{}", client.file("sslrootcert", "root.crt"));
    let url = client.server.url("localhost", "served", &options);
    let mut server = client.installation.serve_with(&[("DATABASE_URL", &url)], &["--seed"]);
    let lines = server.printed().iter().find(|line| line.starts_with("token ")).cloned();
    let token =
        lines.unwrap().split_whitespace().find(|word| word.starts_with("byp_")).unwrap().to_owned();
    let mut wire = Wire::open(server.address()).unwrap();
    wire.set_project_token(&token);
    let bots = wire.ask("GET", BOTS, None).unwrap().ok();
    assert!(!bots.as_array().unwrap().is_empty(), "{bots}");
    assert!(client.server.sessions(true) > 0);
    assert_eq!(client.server.sessions(false), 0);
    assert!(!server.log().contains("not encrypted"), "{}", server.log());
}

#[test]
fn a_client_shows_the_certificate_that_the_server_wants_postgres() {
    let Some(client) = Client::new() else { return };
    let root = format!("sslmode=verify-full&{}", client.file("sslrootcert", "root.crt"));
    let (certificate, key) =
        (client.file("sslcert", "client.crt"), client.file("sslkey", "client.key"));
    let url = |options: &str| client.server.url("localhost", "certified", options);
    let ran = client.migrate(&url(&root));
    assert!(ran.failed().contains("connection requires a valid client certificate"), "{ran:?}");
    client.migrate(&url(&format!("{root}&{certificate}&{key}"))).done();
    // As variables.
    let url = client.server.url("localhost", "certified", "connect_timeout=9");
    let mut command = client.installation.command(&[("DATABASE_URL", &url)]);
    for (name, value) in [
        ("PGSSLMODE", "verify-full"),
        ("PGSSLROOTCERT", "root.crt"),
        ("PGSSLCERT", "client.crt"),
        ("PGSSLKEY", "client.key"),
    ] {
        command.env(name, value);
    }
    run(command.arg("migrate")).done();
}

#[test]
fn a_server_that_is_not_the_right_one_is_refused_postgres() {
    let Some(client) = Client::new() else { return };
    let (root, other) =
        (client.file("sslrootcert", "root.crt"), client.file("sslrootcert", "other.crt"));
    let missing = client.file("sslrootcert", "no.crt");
    for (host, options, reason) in [
        ("localhost", format!("sslmode=verify-full&{other}"), "certificate verify failed"),
        ("localhost", format!("sslmode=verify-ca&{other}"), "certificate verify failed"),
        (
            "db.example.org",
            format!("sslmode=verify-full&{root}"),
            "server certificate for \"localhost\" does not match host name \"db.example.org\"",
        ),
        ("localhost", format!("sslmode=verify-full&{missing}"), "no.crt\" does not exist"),
        (
            "localhost",
            "sslmode=verify-full&sslrootcert=system".to_owned(),
            "certificate verify failed",
        ),
        ("localhost", "sslmode=require&sslrootcert=system".to_owned(), "must be verify-full"),
    ] {
        let url = client.server.url(host, "postgres", &format!("{options}&password=pa55word"));
        let ran = client.migrate(&url);
        let said = ran.failed();
        assert!(said.contains("PostgreSQL can't be reached: ") && said.contains(reason), "{said}");
        assert!(!said.contains("pa55word"), "{said}");
    }
    // Whose name is not asked for may have any.
    let url = client.server.url("db.example.org", "postgres", &format!("sslmode=verify-ca&{root}"));
    client.migrate(&url).done();
}

#[test]
fn what_is_sent_in_plain_text_is_warned_of_postgres() {
    let Some(client) = Client::new() else { return };
    let plain = Installation::new(Database::Postgres);
    let address = plain.database_url();
    if !address.contains("@127.0.0.1:") || address.contains('?') {
        not_run("the PostgreSQL of these tests is not the throw-away one, which has no TLS");
        return;
    }
    let ran = run(plain
        .command(&[("DATABASE_URL", &format!("{address}?sslmode=require"))])
        .arg("migrate"));
    assert!(ran.failed().contains("server does not support SSL, but SSL was required"), "{ran:?}");
    // Another spelling of the loopback address, which is not known to be this machine.
    let remote = |url: &str| url.replace("@127.0.0.1:", "@127.1:");
    for (url, is_warned) in [
        (format!("{}?sslmode=prefer", remote(address)), true),
        (format!("{}?sslmode=disable", remote(address)), false),
        (address.to_owned(), false),
    ] {
        let server = plain.serve(&[("DATABASE_URL", &url)]);
        let warned = server.log().matches("is not encrypted").count();
        assert_eq!(warned, usize::from(is_warned), "{url}: {}", server.log());
    }
    let port = client.server.cluster.port();
    let url = format!("postgres://postgres@127.1:{port}/warned?sslmode=prefer");
    let server = client.installation.serve(&[("DATABASE_URL", &url)]);
    assert!(!server.log().contains("is not encrypted"), "{}", server.log());
}
