//! Columns of JSON text.

use std::fmt::Display;

use diesel::deserialize::{self, FromSql, FromSqlRow};
#[cfg(feature = "postgres")]
use diesel::pg::{Pg, PgValue};
use diesel::sql_types::Text;
#[cfg(feature = "sqlite")]
use diesel::sqlite::{Sqlite, SqliteValue};
use domain::StorageError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::engine::tx::corrupt;

/// The value of a column of JSON text that can have megabytes: it is read where the database's library has it, so that
/// it is not in memory once more.
#[derive(FromSqlRow)]
pub(crate) struct LongJson<T>(Result<T, serde_json::Error>);

#[cfg(feature = "sqlite")]
impl<T: DeserializeOwned> FromSql<Text, Sqlite> for LongJson<T> {
    fn from_sql(mut value: SqliteValue<'_, '_, '_>) -> deserialize::Result<Self> {
        Ok(Self(serde_json::from_str(value.read_text())))
    }
}

#[cfg(feature = "postgres")]
impl<T: DeserializeOwned> FromSql<Text, Pg> for LongJson<T> {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(serde_json::from_slice(value.as_bytes())))
    }
}

impl<T> LongJson<T> {
    /// The value, which was read of this row and column.
    pub(crate) fn of(self, column: &str, row: impl Display) -> Result<T, StorageError> {
        self.0.map_err(|error| corrupt(format!("{column} of {row}: {error}")))
    }
}

/// The text of a value for this column.
pub(crate) fn to_json(column: &str, value: &impl Serialize) -> Result<String, StorageError> {
    serde_json::to_string(value).map_err(|error| corrupt(format!("{column}: {error}")))
}

/// The value of a row's text in this column.
pub(crate) fn from_json<T: DeserializeOwned>(
    column: &str,
    row: impl Display,
    text: &str,
) -> Result<T, StorageError> {
    LongJson(serde_json::from_str(text)).of(column, row)
}

/// As [`to_json`], of a value that need not be there.
pub(crate) fn to_optional_json(
    column: &str,
    value: Option<&impl Serialize>,
) -> Result<Option<String>, StorageError> {
    value.map(|value| to_json(column, value)).transpose()
}

/// As [`from_json`], of a text that need not be there.
pub(crate) fn from_optional_json<T: DeserializeOwned>(
    column: &str,
    row: impl Display,
    text: Option<&str>,
) -> Result<Option<T>, StorageError> {
    text.map(|text| from_json(column, row, text)).transpose()
}
