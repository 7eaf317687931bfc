//! Why tables can't be read or copied.

use super::tables::Table;
use crate::engine::errors::{DbError, one_line};
use crate::open::OpenError;

/// Why tables could not be read or copied. No text has a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TransferError {
    /// A database can't be opened or migrated.
    #[error("{database}: {error}")]
    Open {
        /// Its address.
        database: String,
        /// Why.
        error: OpenError,
    },
    /// Source and target are one.
    #[error("{0} can't be copied to itself")]
    Same(String),
    /// A server works on a PostgreSQL database, or a copy of it is being made.
    #[error("{0} is in use by a server, or another copy from or to it is being made")]
    InUse(String),
    /// The target has rows.
    #[error("{database} is not empty: there are rows in the table {table}")]
    NotEmpty {
        /// Its address.
        database: String,
        /// The first table with rows.
        table: &'static str,
    },
    /// Reading or writing failed.
    #[error("{database}: {text}")]
    Database {
        /// Its address.
        database: String,
        /// What the database says.
        text: String,
    },
    /// The copy, which was undone, was not like the original.
    #[error("the copy differs from the original in the table {0}; it was undone")]
    Differs(String),
}

impl TransferError {
    /// An error of a statement on a table.
    pub(crate) fn in_table(database: &str, table: &Table, error: diesel::result::Error) -> Self {
        let text = one_line(&DbError::from(error).into_text());
        Self::Database {
            database: database.to_owned(),
            text: format!("table {}: {text}", table.name),
        }
    }
}
