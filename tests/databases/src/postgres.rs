//! Databases on a PostgreSQL server, and the template that they are copies of.
//!
//! A process connects under a name of its own, with which the names of its databases begin: a database whose
//! process is not connected any more was left behind by one that was killed, and the next one drops it.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::Text;
use storage_diesel::DatabaseUrl;

use crate::Content;

const SERVER: &str = "BOTYARD_TEST_POSTGRES_URL";
/// How the databases of tests are called; whatever else is on the server is left alone.
const PREFIX: &str = "botyard_test_";
/// How many hexadecimal digits of a process follow.
const DIGITS: usize = 16;

/// This process on the server.
struct Session {
    name: String,
    /// Tells other processes that this one is alive, and makes its databases.
    connection: Mutex<PgConnection>,
}

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Makes a database; returns its name and its address.
pub(crate) fn create(content: Content) -> Result<(String, String), String> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let session = session()?;
    let template = match content {
        Content::Nothing => "template0",
        Content::Schema => template(session)?,
    };
    let name = format!("{}_{}", session.name, NUMBER.fetch_add(1, Ordering::Relaxed));
    let url = url_of(&name)?;
    session.execute(&format!("CREATE DATABASE {name} TEMPLATE {template} ENCODING 'UTF8'"))?;
    Ok((name, url))
}

/// Drops a database, also while there are connections to it. What is left here, the next run drops.
pub(crate) fn drop_database(name: &str) {
    if let Ok(session) = session() {
        let _ = session.execute(&format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
    }
}

/// The migrated database that others are copies of. It is dropped by a later process.
fn template(session: &Session) -> Result<&'static str, String> {
    static TEMPLATE: OnceLock<Result<String, String>> = OnceLock::new();
    let make = || {
        let name = format!("{}_template", session.name);
        session.execute(&format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'"))?;
        let migrated = storage_diesel::migrate(&DatabaseUrl::Postgres(url_of(&name)?));
        migrated.map_err(|error| format!("the template is not migrated: {error}"))?;
        Ok(name)
    };
    TEMPLATE.get_or_init(make).as_deref().map_err(Clone::clone)
}

fn session() -> Result<&'static Session, String> {
    static SESSION: OnceLock<Result<Session, String>> = OnceLock::new();
    SESSION.get_or_init(Session::open).as_ref().map_err(Clone::clone)
}

impl Session {
    fn open() -> Result<Self, String> {
        let number = RandomState::new().hash_one(0);
        let name = format!("{PREFIX}{number:0DIGITS$x}");
        let connection = PgConnection::establish(&server()?)
            .map_err(|error| format!("the PostgreSQL that {SERVER} names: {error}"))?;
        let session = Self { name, connection: Mutex::new(connection) };
        session.execute(&format!("SET application_name = '{}'", session.name))?;
        session.drop_abandoned();
        Ok(session)
    }

    fn connection(&self) -> MutexGuard<'_, PgConnection> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn execute(&self, statement: &str) -> Result<(), String> {
        let done = self.connection().batch_execute(statement);
        done.map_err(|error| format!("{statement}: {error}"))
    }

    fn drop_abandoned(&self) {
        let abandoned = format!(
            "SELECT datname::text AS name FROM pg_database WHERE datname LIKE '{}%' AND NOT EXISTS \
             (SELECT FROM pg_stat_activity WHERE application_name = left(datname, {}))",
            PREFIX.replace('_', "\\_"),
            PREFIX.len() + DIGITS
        );
        let abandoned = diesel::sql_query(abandoned).load(&mut *self.connection());
        let abandoned: Vec<Name> = abandoned.unwrap_or_default();
        for Name { name } in abandoned {
            let _ = self.execute(&format!("DROP DATABASE IF EXISTS {name}"));
        }
    }
}

fn server() -> Result<String, String> {
    std::env::var(SERVER)
        .ok()
        .filter(|url| !url.is_empty())
        .ok_or_else(|| format!("{SERVER} is not set: run the tests with `cargo xtask test`"))
}

/// The address of another database on the same server.
fn url_of(name: &str) -> Result<String, String> {
    let server = server()?;
    let (address, options) = match server.split_once('?') {
        Some((address, options)) => (address, format!("?{options}")),
        None => (server.as_str(), String::new()),
    };
    let (scheme, rest) =
        address.split_once("://").ok_or_else(|| format!("{SERVER} is not a URL"))?;
    let host = rest.split('/').next().unwrap_or_default();
    Ok(format!("{scheme}://{host}/{name}{options}"))
}
