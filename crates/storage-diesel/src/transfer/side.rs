//! One of the databases between which rows are moved: a connection, and the one transaction on it.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool};

use super::error::TransferError;
use super::tables::TABLES;
use crate::engine::db::{Db, OwnDb, on_db};
use crate::engine::errors::{DbError, one_line};
use crate::migrations::{check, migration_status};
use crate::open::DatabaseUrl;
use crate::postgres::server::{IN_USE, Server};
use crate::sqlite::connect::{connect, make_reader};

#[derive(QueryableByName)]
struct Count {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct Claimed {
    #[diesel(sql_type = Bool)]
    claimed: bool,
}

/// One of the two databases, which are up to date. What was begun on it ends with this.
pub(crate) struct Side {
    /// The address, without a password.
    pub(crate) database: String,
    pub(crate) connection: OwnDb,
}

impl Side {
    /// The database at this address.
    pub(crate) fn open(url: &DatabaseUrl) -> Result<Self, TransferError> {
        let open = || {
            check(&migration_status(url)?)?;
            Ok(match url {
                DatabaseUrl::Sqlite(path) => OwnDb::Sqlite(connect(path)?),
                DatabaseUrl::Postgres(url) => OwnDb::Pg(Server::new(url)?.connect_bare()?),
            })
        };
        let database = url.to_string();
        match open() {
            Ok(connection) => Ok(Self { database, connection }),
            Err(error) => Err(TransferError::Open { database, error }),
        }
    }

    /// From here on one state of the database is read.
    pub(crate) fn begin_reading(&mut self) -> Result<(), TransferError> {
        if let Db::Sqlite(connection) = self.connection.lend() {
            make_reader(connection)
                .map_err(|error| TransferError::Open { database: self.database.clone(), error })?;
        }
        self.begin("BEGIN", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }

    /// From here on no other connection can write a SQLite file.
    pub(crate) fn begin_writing(&mut self) -> Result<(), TransferError> {
        self.begin("BEGIN IMMEDIATE", "BEGIN")
    }

    fn begin(&mut self, on_sqlite: &str, on_postgres: &str) -> Result<(), TransferError> {
        /// The session waits while the other database works, and works for long itself. The settings hold for the
        /// transaction only, so that a pooler may give the session to others afterwards.
        const SETTINGS: &str = "SET LOCAL application_name = 'botyard-copy'; \
            SET LOCAL statement_timeout = 0; \
            SET LOCAL idle_in_transaction_session_timeout = 0; \
            SET LOCAL lock_timeout = '10s'";
        match self.connection.lend() {
            Db::Sqlite(_) => self.execute(on_sqlite),
            Db::Pg(_) => self.execute(on_postgres).and_then(|()| self.execute(SETTINGS)),
        }
    }

    /// Keeps servers away from a PostgreSQL database for as long as the transaction lasts; see [`IN_USE`].
    pub(crate) fn claim(&mut self) -> Result<(), TransferError> {
        let Db::Pg(connection) = self.connection.lend() else { return Ok(()) };
        let claim = diesel::sql_query("SELECT pg_try_advisory_xact_lock($1) AS claimed");
        let claimed: Result<Claimed, _> = claim.bind::<BigInt, _>(IN_USE).get_result(connection);
        match claimed {
            Ok(Claimed { claimed: true }) => Ok(()),
            Ok(Claimed { claimed: false }) => Err(TransferError::InUse(self.database.clone())),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Refuses a database with rows.
    pub(crate) fn check_empty(&mut self) -> Result<(), TransferError> {
        for table in TABLES {
            if self.count(&format!("(SELECT 1 FROM {} LIMIT 1) AS first", table.name))? > 0 {
                let database = self.database.clone();
                return Err(TransferError::NotEmpty { database, table: table.name });
            }
        }
        Ok(())
    }

    /// How many rows all tables have.
    pub(crate) fn count_all(&mut self) -> Result<u64, TransferError> {
        TABLES.iter().try_fold(0, |sum, table| Ok(sum + self.count(table.name)?))
    }

    fn count(&mut self, of: &str) -> Result<u64, TransferError> {
        let query = diesel::sql_query(format!("SELECT count(*) AS count FROM {of}"));
        let counted: QueryResult<Count> =
            on_db!(&mut self.connection.lend(), db => query.get_result(db));
        let Count { count } = counted.map_err(|error| self.failed(error))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    /// Stores what was written, and has PostgreSQL learn about its tables, so that plans are good from the first
    /// request on.
    pub(crate) fn commit(&mut self) -> Result<(), TransferError> {
        if let Db::Pg(_) = self.connection.lend() {
            for table in TABLES {
                self.execute(&format!("ANALYZE {}", table.name))?;
            }
        }
        self.execute("COMMIT")
    }

    /// Runs statements that take no values.
    pub(crate) fn execute(&mut self, statements: &str) -> Result<(), TransferError> {
        let executed: QueryResult<()> =
            on_db!(&mut self.connection.lend(), db => db.batch_execute(statements));
        executed.map_err(|error| self.failed(error))
    }

    fn failed(&self, error: diesel::result::Error) -> TransferError {
        let text = one_line(&DbError::from(error).into_text());
        TransferError::Database { database: self.database.clone(), text }
    }
}
