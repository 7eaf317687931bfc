//! Which database a test runs on, and a connection to it past the store.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel::{PgConnection, SqliteConnection};
use storage_diesel::DatabaseUrl;

/// Which database a test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Database {
    /// A SQLite file.
    Sqlite,
    /// A PostgreSQL server, at the address in `BOTYARD_TEST_POSTGRES_URL`.
    Postgres,
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
    NotYet(PathBuf),
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
}

impl Sql {
    /// A connection to this database.
    pub(crate) fn open(url: &DatabaseUrl) -> Result<Self, String> {
        let held = match url {
            DatabaseUrl::Sqlite(path) => Held::NotYet(path.clone()),
            DatabaseUrl::Postgres(url) => {
                Held::Postgres(PgConnection::establish(url).map_err(|error| error.to_string())?)
            }
        };
        Ok(Self(Mutex::new(held)))
    }
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
        if let Held::NotYet(path) = &*held {
            let path = path.to_str().expect("a path that is text");
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
    /// The identifier whose text an SQL expression is, as SQL.
    #[must_use]
    pub fn id_of(&self, text: &str) -> String {
        if self.is_sqlite() {
            format!("unhex({text}, '-')")
        } else {
            format!("CAST({text} AS UUID)")
        }
    }

    /// An identifier, given by its text, as SQL.
    #[must_use]
    pub fn id(&self, text: impl Display) -> String {
        self.id_of(&format!("'{text}'"))
    }

    /// The text of the identifier in a column, as SQL.
    #[must_use]
    pub fn text_of(&self, column: &str) -> String {
        if !self.is_sqlite() {
            return format!("CAST({column} AS TEXT)");
        }
        let digits = |from: u8, count: u8| format!("substr(hex({column}), {from}, {count})");
        let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)];
        let parts = parts.map(|(from, count)| digits(from, count)).join(" || '-' || ");
        format!("lower({parts})")
    }

    /// The same statement with the texts of identifiers behind `id = ` as this database takes them.
    fn with_ids(&self, statement: &str) -> String {
        let is_column = |before: &str| {
            let named = |column: &str| before.ends_with(&format!("{column} = "));
            (named("id") && !named("user_id")) || named("chunks_of")
        };
        let is_id = |text: &str| text.len() == 36 && domain::id::parse_canonical(text).is_some();
        let mut done = String::new();
        for (place, part) in statement.split('\'').enumerate() {
            if place % 2 == 1 && is_id(part) && is_column(&done) {
                done.push_str(&self.id(part));
            } else if place % 2 == 1 {
                done.push_str(&format!("'{part}'"));
            } else {
                done.push_str(part);
            }
        }
        done
    }

    /// Runs one statement; returns the number of rows that it touched.
    #[track_caller]
    pub fn execute(&self, statement: &str) -> usize {
        let statement = &self.with_ids(statement);
        let done = on!(self, connection => diesel::sql_query(statement).execute(connection));
        done.unwrap_or_else(|error| panic!("{statement}: {error}"))
    }

    /// Runs several statements.
    #[track_caller]
    pub(crate) fn batch(&self, statements: &str) {
        let statements = &self.with_ids(statements);
        let done = on!(self, connection => connection.batch_execute(statements));
        done.unwrap_or_else(|error| panic!("{statements}: {error}"));
    }

    /// The texts in the column `value` of a query.
    #[track_caller]
    pub fn texts(&self, query: &str) -> Vec<String> {
        let query = &self.with_ids(query);
        let rows: Result<Vec<TextRow>, _> =
            on!(self, connection => diesel::sql_query(query).load(connection));
        let rows = rows.unwrap_or_else(|error| panic!("{query}: {error}"));
        rows.into_iter().map(|row| row.value).collect()
    }

    /// The one number in the column `value` of a query.
    #[track_caller]
    pub fn number(&self, query: &str) -> i64 {
        let query = &self.with_ids(query);
        let row: Result<NumberRow, _> =
            on!(self, connection => diesel::sql_query(query).get_result(connection));
        row.unwrap_or_else(|error| panic!("{query}: {error}")).value
    }

    pub(crate) fn is_sqlite(&self) -> bool {
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

    /// The columns of a table, sorted, without those that the database generates.
    #[must_use]
    pub fn columns(&self, table: &str) -> Vec<String> {
        self.texts(&if self.is_sqlite() {
            format!("SELECT name AS value FROM pragma_table_info('{table}') ORDER BY name")
        } else {
            format!(
                "SELECT column_name::text AS value FROM information_schema.columns \
                 WHERE table_schema = 'public' AND table_name = '{table}' \
                 AND is_generated = 'NEVER' ORDER BY column_name"
            )
        })
    }

    /// The rows of a table for which `condition` holds, each as a JSON text, sorted. Columns named in
    /// `without` are left out, binary ones are in hexadecimal digits.
    #[must_use]
    pub fn rows(&self, table: &str, condition: &str, without: &[&str]) -> Vec<String> {
        // An event gets its number a moment after it was written.
        let number: &[&str] = if table == "events" { &["number"] } else { &[] };
        let row = self.row(table, &[without, number].concat());
        let mut rows = self.texts(&format!("SELECT {row} AS value FROM {table} WHERE {condition}"));
        rows.sort();
        rows
    }

    /// Every row of every table in which this text stands, the name of the table in front. What events are about is
    /// left out, because events stay when that goes; and when a token was last used, because every request may change
    /// it.
    #[must_use]
    pub fn rows_with(&self, text: &str) -> Vec<String> {
        const OF_EVENTS: [&str; 6] =
            ["id", "number", "bot_id", "resource_id", "actor_token_id", "data"];
        let tables = self.tables().into_iter().map(|table| {
            let without: &[&str] = if table == "events" { &OF_EVENTS } else { &["last_used_at"] };
            let row = self.row(&table, without);
            format!("SELECT '{table} ' || row AS value FROM (SELECT {row} AS row FROM {table}) AS {table}")
        });
        let all = tables.collect::<Vec<_>>().join(" UNION ALL ");
        let mut rows =
            self.texts(&format!("SELECT value FROM ({all}) AS rows WHERE value LIKE '%{text}%'"));
        rows.sort();
        rows
    }

    /// A row of a table as an expression that makes a JSON text of it.
    fn row(&self, table: &str, without: &[&str]) -> String {
        let columns = self.columns(table);
        let members =
            columns.iter().filter(|column| !without.contains(&column.as_str())).map(|column| {
                let value = if self.is_sqlite() {
                    let id = self.text_of(column);
                    format!(
                        "CASE WHEN typeof({column}) <> 'blob' THEN {column} \
                         WHEN length({column}) = 16 THEN {id} ELSE hex({column}) END"
                    )
                } else {
                    column.clone()
                };
                format!("'{column}', {value}")
            });
        let members = members.collect::<Vec<_>>().join(", ");
        let function = if self.is_sqlite() { "json_object" } else { "json_build_object" };
        format!("CAST({function}({members}) AS text)")
    }
}
