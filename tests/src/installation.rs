//! A data folder and a database: what a server runs on, and can run on again after its end.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use actix_web::rt;
use archive::{ArchiveLimits, ArchivePolicy};
use blob_store::{BlobStore, BlobUrl};
use domain::access::Operator;
use domain::encryption::EncryptionKeyId;
use domain::store::Store;
use domain::testing::TransparentCipher;
use domain::{Botyard, Limits};
use storage_diesel::system::botyard_on;
use storage_diesel::{DatabaseUrl, DieselStore, Options};
use tempfile::TempDir;
use test_databases::{Content, OwnDatabase, pooled};

use crate::database::{Database, Sql};
use crate::server::Server;

/// With which services of tests encrypt that have no server.
const KEY: EncryptionKeyId = EncryptionKeyId::from_bytes([7; 8]);

const BINARY: &str = "BOTYARD_TEST_BINARY";
/// The folder for the logs of servers.
pub(crate) const LOGS: &str = "BOTYARD_TEST_LOGS";
/// How the variables begin that lead to a bucket.
const BUCKET: &str = "AWS_";
/// Where the programs are that read text from images.
const PROGRAMS: &str = "PATH";

/// The binary under test: that in `BOTYARD_TEST_BINARY`, or the one that was built beside the tests.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn binary() -> PathBuf {
    if let Some(binary) = env::var_os(BINARY).filter(|binary| !binary.is_empty()) {
        return binary.into();
    }
    // Tests are built into `deps` beside the binaries.
    let tests = env::current_exe().expect("the path of the test program");
    let folder = tests.parent().and_then(Path::parent);
    let binary = folder.expect("the folder of binaries").join("botyard");
    assert!(binary.is_file(), "there is no binary to test: run the tests with `cargo xtask test`");
    binary
}

/// A data folder and a database of their own. Both go when this is dropped.
pub struct Installation {
    database: Database,
    // Dropped before the folder that the file of SQLite lies in, and the connection before its database.
    sql: Sql,
    own: OwnDatabase,
    folder: TempDir,
    url: String,
    servers: AtomicU32,
}

impl Installation {
    /// A new one, whose database has all tables.
    #[track_caller]
    #[must_use]
    pub fn new(database: Database) -> Self {
        Self::create(database, Content::Schema).unwrap_or_else(|error| panic!("{error}"))
    }

    /// A new one, whose database is there, but empty: the first server migrates it.
    #[track_caller]
    #[must_use]
    pub fn empty(database: Database) -> Self {
        Self::create(database, Content::Nothing).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn create(database: Database, content: Content) -> Result<Self, String> {
        let folder = tempfile::Builder::new().prefix("botyard-test-").tempdir();
        let folder = folder.map_err(|error| format!("a temporary folder: {error}"))?;
        let own = match database {
            Database::Sqlite => OwnDatabase::sqlite(folder.path(), content)?,
            Database::Postgres => OwnDatabase::postgres(content)?,
        };
        let url = match own.url() {
            DatabaseUrl::Sqlite(path) => format!("sqlite:{}", path.display()),
            DatabaseUrl::Postgres(url) => url.clone(),
        };
        let sql = Sql::open(own.url())?;
        Ok(Self { database, sql, own, folder, url, servers: AtomicU32::new(0) })
    }

    /// Which database it has.
    #[must_use]
    pub const fn database(&self) -> Database {
        self.database
    }

    /// The setting `database_url`.
    #[must_use]
    pub fn database_url(&self) -> &str {
        &self.url
    }

    /// The setting `data_dir`, which is the working directory of commands as well.
    #[must_use]
    pub fn data_dir(&self) -> &Path {
        self.folder.path()
    }

    /// A connection past the store.
    #[must_use]
    pub fn sql(&self) -> &Sql {
        &self.sql
    }

    /// The binary with the settings of this installation and with no others, ready for a subcommand.
    /// `settings` are variables without `BOTYARD_` in front, like `("LIMITS__BOTS_PER_PROJECT", "2")`.
    /// Those that lead to a bucket are called `AWS_…` and are taken as they are, and so is `PATH`.
    #[must_use]
    pub fn command(&self, settings: &[(&str, &str)]) -> Command {
        let mut command = Command::new(binary());
        for (name, _) in env::vars_os() {
            let name = name.to_string_lossy();
            if name.starts_with("BOTYARD_") || name.starts_with(BUCKET) {
                command.env_remove(&*name);
            }
        }
        command
            .current_dir(self.data_dir())
            .env("BOTYARD_LISTEN", "127.0.0.1:0")
            .env("BOTYARD_DATA_DIR", self.data_dir())
            .envs(self.database_variables(settings))
            // Tests call as fast as they can, with few projects.
            .env("BOTYARD_RATE_LIMIT__PROJECT_REQUESTS_PER_SECOND", "0");
        for (name, value) in settings {
            if name.starts_with(BUCKET) || *name == PROGRAMS {
                command.env(name, value);
            } else {
                command.env(format!("BOTYARD_{name}"), value);
            }
        }
        command
    }

    /// Where the database is, unless settings say otherwise.
    fn database_variables(&self, settings: &[(&str, &str)]) -> Vec<(&'static str, String)> {
        let (url, direct) = ("BOTYARD_DATABASE_URL", "BOTYARD_DATABASE__LISTEN_URL");
        match pooled(self.own.url()) {
            Some(pooled) if settings.iter().all(|(name, _)| *name != "DATABASE_URL") => {
                vec![(url, pooled), (direct, self.url.clone())]
            }
            Some(_) | None => vec![(url, self.url.clone())],
        }
    }

    /// The same for a server, whose clients may be slow unless `settings` say otherwise: a test
    /// may leave a request half sent for as long as it takes.
    pub(crate) fn serving(&self, settings: &[(&str, &str)]) -> Command {
        let mut command = self.command(settings);
        for name in ["LIMITS__BODY_PAUSE", "LIMITS__BODY_RATE_AFTER", "LIMITS__STANDSTILL_TIMEOUT"]
        {
            if settings.iter().all(|(set, _)| *set != name) {
                command.env(format!("BOTYARD_{name}"), "1h");
            }
        }
        command
    }

    /// Serves it until the server is stopped or dropped.
    #[track_caller]
    #[must_use]
    pub fn serve(&self, settings: &[(&str, &str)]) -> Server {
        self.serve_with(settings, &[])
    }

    /// The same with flags of `serve`, like `--seed`.
    #[track_caller]
    #[must_use]
    pub fn serve_with(&self, settings: &[(&str, &str)], flags: &[&str]) -> Server {
        let mut command = self.serving(settings);
        command.arg("serve").args(flags);
        self.start(&command).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Runs a [command](Self::command) that serves, which may be another program that becomes the server.
    pub(crate) fn start(&self, command: &Command) -> Result<Server, String> {
        let number = self.servers.fetch_add(1, Ordering::Relaxed);
        // The folder's name is unique, so that the logs of all tests can lie in one place.
        let own = self.data_dir().file_name().unwrap_or_default();
        let name = format!("{}-{number}.log", own.to_string_lossy());
        let logs = env::var_os(LOGS).filter(|logs| !logs.is_empty());
        let logs = logs.map_or_else(|| self.data_dir().to_owned(), PathBuf::from);
        Server::start(command, self.data_dir(), &logs.join(name))
    }

    /// The services of the domain on the same database, also beside a running server.
    #[track_caller]
    #[must_use]
    pub fn botyard(&self) -> Botyard {
        self.open().unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn open(&self) -> Result<Botyard, String> {
        self.services_on(Arc::new(self.store()?))
    }

    /// One more connection past the store.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    #[must_use]
    pub fn connect(&self) -> Sql {
        Sql::open(self.own.url()).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The store on this database, which has to be migrated already.
    pub(crate) fn store(&self) -> Result<DieselStore, String> {
        let store = match pooled(self.own.url()) {
            None => DieselStore::open(self.own.url(), Options::default()),
            Some(pooled) => {
                let listen_url = Some(self.url.clone());
                let options =
                    Options { listen_url, prepared_statements: false, ..Options::default() };
                DieselStore::open(&DatabaseUrl::Postgres(pooled), options)
            }
        };
        store.map_err(|error| format!("the database can't be opened: {error}"))
    }

    /// The services of the domain on a store that no server has, which encrypt with a key of their own.
    pub(crate) fn begun_on(&self, store: Arc<dyn Store>) -> Result<Botyard, String> {
        let botyard = self.services_on(store)?;
        let begin = async {
            let operator = Operator::of_this_installation();
            botyard.installation.get_or_create(operator).await?;
            botyard.encryption.get_or_set_key(operator, KEY).await
        };
        let begun = rt::System::new().block_on(begin);
        begun.map_err(|error| format!("the installation can't be begun: {error}"))?;
        Ok(botyard)
    }

    /// The services of the domain on a store.
    pub(crate) fn services_on(&self, store: Arc<dyn Store>) -> Result<Botyard, String> {
        // As the server places them by default.
        let (blobs, staging) = (self.data_dir().join("blobs"), self.data_dir().join("uploads"));
        let blobs = BlobStore::open(&BlobUrl::Folder(blobs), staging);
        let blobs = blobs.map_err(|error| format!("the blobs can't be opened: {error}"))?;
        // The quotas of the services are those of the server; tests of quotas go through it.
        let limits = Limits { bots_per_project: 0, webhooks_per_project: 0, ..Limits::default() };
        // It is the server that crawls and reads files.
        Ok(botyard_on(store)
            .blobs(Arc::new(blobs))
            .archives(Arc::new(ArchivePolicy::new(ArchiveLimits::default())))
            .cipher(Arc::new(TransparentCipher::with_keys([KEY])))
            .limits(limits)
            .build())
    }
}
