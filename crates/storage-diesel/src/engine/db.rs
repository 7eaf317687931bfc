//! The connection of a unit of work, to whichever database it is.

use diesel::prelude::*;

/// A connection, lent for one unit of work.
pub enum Db<'a> {
    /// PostgreSQL.
    #[cfg(feature = "postgres")]
    Pg(&'a mut PgConnection),
    /// SQLite.
    #[cfg(feature = "sqlite")]
    Sqlite(&'a mut SqliteConnection),
}

/// What SQL a database speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// That of PostgreSQL.
    Postgres,
    /// That of SQLite.
    Sqlite,
}

impl Db<'_> {
    /// What SQL it speaks.
    pub const fn dialect(&self) -> Dialect {
        match self {
            #[cfg(feature = "postgres")]
            Self::Pg(_) => Dialect::Postgres,
            #[cfg(feature = "sqlite")]
            Self::Sqlite(_) => Dialect::Sqlite,
        }
    }
}

/// Runs the same body with the connection of whichever database it is: it is compiled once for each.
macro_rules! on_db {
    ($db:expr, $connection:ident => $body:expr) => {
        match $db {
            #[cfg(feature = "postgres")]
            $crate::engine::db::Db::Pg($connection) => {
                let $connection = &mut **$connection;
                $body
            }
            #[cfg(feature = "sqlite")]
            $crate::engine::db::Db::Sqlite($connection) => {
                let $connection = &mut **$connection;
                $body
            }
        }
    };
}
pub(crate) use on_db;

/// A connection that its owner lends.
pub enum OwnDb {
    /// PostgreSQL.
    #[cfg(feature = "postgres")]
    Pg(PgConnection),
    /// SQLite.
    #[cfg(feature = "sqlite")]
    Sqlite(SqliteConnection),
}

impl OwnDb {
    /// The connection, for a while.
    pub const fn lend(&mut self) -> Db<'_> {
        match self {
            #[cfg(feature = "postgres")]
            Self::Pg(connection) => Db::Pg(connection),
            #[cfg(feature = "sqlite")]
            Self::Sqlite(connection) => Db::Sqlite(connection),
        }
    }
}
