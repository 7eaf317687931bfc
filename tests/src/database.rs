//! The databases of the tests: one for each server, gone with it.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel::{PgConnection, SqliteConnection};

/// Which database a test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    /// A SQLite file.
    Sqlite,
    /// A PostgreSQL server, at the address in `BOTYARD_TEST_POSTGRES_URL`.
    Postgres,
}

const POSTGRES_URL: &str = "BOTYARD_TEST_POSTGRES_URL";
/// How the databases of tests are called; whatever else is on the server is left alone.
const PREFIX: &str = "botyard_test_";
/// Held while a database is made or an abandoned one is dropped: "botyard" in ASCII.
const SWEEP_LOCK: i64 = 0x62_6f74_7961_7264;

/// A database for one server, with a connection of the test's own to it.
pub(crate) struct OwnDatabase {
    /// As the setting `database_url` takes it.
    pub(crate) url: String,
    sql: Sql,
    /// The name on the server, to be dropped.
    name: Option<String>,
}

impl OwnDatabase {
    /// An empty database; that of SQLite lies in `folder`.
    pub(crate) fn create(database: Database, folder: &Path) -> Result<Self, String> {
        match database {
            Database::Sqlite => {
                let url = format!("sqlite:{}", folder.join("botyard.db").display());
                let sql = Sql(Mutex::new(Held::NotYet(url.clone())));
                Ok(Self { url, sql, name: None })
            }
            Database::Postgres => Self::on_server(),
        }
    }

    fn on_server() -> Result<Self, String> {
        let mut admin = admin()?;
        let mut name = [0_u8; 8];
        random(&mut name);
        let name = format!("{PREFIX}{:016x}", u64::from_le_bytes(name));
        let url = url_of(&name)?;
        let explain = |error: diesel::result::Error| format!("PostgreSQL: {error}");
        // Nobody takes the new database for an abandoned one before the connection to it stands.
        let lock = format!("SELECT pg_advisory_lock({SWEEP_LOCK})");
        diesel::sql_query(lock).execute(&mut admin).map_err(explain)?;
        drop_abandoned(&mut admin);
        let create = format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'");
        diesel::sql_query(create).execute(&mut admin).map_err(explain)?;
        let connection = PgConnection::establish(&url).map_err(|error| error.to_string())?;
        Ok(Self { url, sql: Sql(Mutex::new(Held::Postgres(connection))), name: Some(name) })
    }

    pub(crate) fn sql(&self) -> &Sql {
        &self.sql
    }
}

impl Drop for OwnDatabase {
    fn drop(&mut self) {
        if let Some(name) = &self.name
            && let Ok(mut admin) = admin()
        {
            // What is left here, the next run drops.
            let _ = diesel::sql_query(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
                .execute(&mut admin);
        }
    }
}

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Drops the databases of test runs that are over: statics are never dropped, and a run may be
/// killed. Each database in use has a connection of its test to it.
fn drop_abandoned(admin: &mut PgConnection) {
    let abandoned = format!(
        "SELECT datname::text AS name FROM pg_database WHERE datname LIKE '{}%' \
         AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE pg_stat_activity.datname = pg_database.datname)",
        PREFIX.replace('_', "\\_")
    );
    let names: Vec<Name> = diesel::sql_query(abandoned).load(admin).unwrap_or_default();
    for Name { name } in names {
        let _ = diesel::sql_query(format!("DROP DATABASE IF EXISTS {name}")).execute(admin);
    }
}

fn admin() -> Result<PgConnection, String> {
    PgConnection::establish(&admin_url()?)
        .map_err(|error| format!("the PostgreSQL that {POSTGRES_URL} names: {error}"))
}

fn admin_url() -> Result<String, String> {
    std::env::var(POSTGRES_URL)
        .ok()
        .filter(|url| !url.is_empty())
        .ok_or_else(|| format!("{POSTGRES_URL} is not set: run the tests with `cargo xtask test`"))
}

/// The address of another database on the same server.
fn url_of(name: &str) -> Result<String, String> {
    let admin = admin_url()?;
    let (address, options) = match admin.split_once('?') {
        Some((address, options)) => (address, format!("?{options}")),
        None => (admin.as_str(), String::new()),
    };
    let (scheme, rest) =
        address.split_once("://").ok_or_else(|| format!("{POSTGRES_URL} is not a URL"))?;
    let server = rest.split('/').next().unwrap_or_default();
    Ok(format!("{scheme}://{server}/{name}{options}"))
}

/// Fills a buffer from the generator of the operating system.
pub(crate) fn random(buffer: &mut [u8]) {
    use domain::entropy::Entropy as _;
    storage_diesel::system::SystemEntropy.fill(buffer);
}

/// A connection past the store, to look at rows and to make many of them at once.
pub struct Sql(Mutex<Held>);

enum Held {
    /// SQLite's file is there only once a server or a store has opened it.
    NotYet(String),
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

#[derive(QueryableByName)]
struct TextRow {
    #[diesel(sql_type = Text)]
    value: String,
}

#[derive(QueryableByName)]
struct NumberRow {
    #[diesel(sql_type = BigInt)]
    value: i64,
}

/// Runs the same body with the connection of whichever database it is.
macro_rules! on {
    ($sql:expr, $connection:ident => $body:expr) => {{
        let mut held = $sql.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Held::NotYet(url) = &*held {
            let path = url.trim_start_matches("sqlite:");
            let mut opened = SqliteConnection::establish(path).expect("the SQLite file");
            diesel::sql_query("PRAGMA busy_timeout = 30000")
                .execute(&mut opened)
                .expect("a pragma");
            *held = Held::Sqlite(opened);
        }
        match &mut *held {
            Held::Sqlite($connection) => $body,
            Held::Postgres($connection) => $body,
            Held::NotYet(_) => unreachable!("it was opened above"),
        }
    }};
}

impl Sql {
    /// Runs one statement; returns the number of rows that it touched.
    #[track_caller]
    pub fn execute(&self, statement: &str) -> usize {
        let done = on!(self, connection => diesel::sql_query(statement).execute(connection));
        done.unwrap_or_else(|error| panic!("{statement}: {error}"))
    }

    /// The texts in the column `value` of a query.
    #[track_caller]
    pub fn texts(&self, query: &str) -> Vec<String> {
        let rows: Result<Vec<TextRow>, _> =
            on!(self, connection => diesel::sql_query(query).load(connection));
        let rows = rows.unwrap_or_else(|error| panic!("{query}: {error}"));
        rows.into_iter().map(|row| row.value).collect()
    }

    /// The one number in the column `value` of a query.
    #[track_caller]
    pub fn number(&self, query: &str) -> i64 {
        let row: Result<NumberRow, _> =
            on!(self, connection => diesel::sql_query(query).get_result(connection));
        row.unwrap_or_else(|error| panic!("{query}: {error}")).value
    }

    fn is_sqlite(&self) -> bool {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !matches!(*held, Held::Postgres(_))
    }

    /// The tables, sorted; those of the migrations themselves left out.
    #[must_use]
    pub fn tables(&self) -> Vec<String> {
        self.texts(if self.is_sqlite() {
            "SELECT name AS value FROM sqlite_schema WHERE type = 'table' \
             AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_\\_%' ESCAPE '\\' ORDER BY name"
        } else {
            "SELECT tablename::text AS value FROM pg_tables WHERE schemaname = 'public' \
             AND tablename NOT LIKE '\\_\\_%' ORDER BY tablename"
        })
    }

    /// Every row of a table as a JSON text, sorted. Columns named in `without` are left out, binary
    /// ones are in hexadecimal digits.
    #[must_use]
    pub fn rows(&self, table: &str, without: &[&str]) -> Vec<String> {
        let columns = self.texts(&if self.is_sqlite() {
            format!("SELECT name AS value FROM pragma_table_info('{table}') ORDER BY name")
        } else {
            format!(
                "SELECT column_name::text AS value FROM information_schema.columns \
                 WHERE table_schema = 'public' AND table_name = '{table}' ORDER BY column_name"
            )
        });
        let members =
            columns.iter().filter(|column| !without.contains(&column.as_str())).map(|column| {
                let value = if self.is_sqlite() {
                    format!(
                        "CASE typeof({column}) WHEN 'blob' THEN hex({column}) ELSE {column} END"
                    )
                } else {
                    column.clone()
                };
                format!("'{column}', {value}")
            });
        let members = members.collect::<Vec<_>>().join(", ");
        let function = if self.is_sqlite() { "json_object" } else { "json_build_object" };
        let object = format!("{function}({members})");
        let mut rows = self.texts(&format!("SELECT CAST({object} AS text) AS value FROM {table}"));
        rows.sort();
        rows
    }
}
