//! Columns of JSON text.

use std::fmt::Display;

use domain::StorageError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::engine::tx::broken;

/// The text of a value for this column.
pub(crate) fn to_json(column: &str, value: &impl Serialize) -> Result<String, StorageError> {
    serde_json::to_string(value).map_err(|error| broken(format!("{column}: {error}")))
}

/// The value of a row's text in this column.
pub(crate) fn from_json<T: DeserializeOwned>(
    column: &str,
    row: impl Display,
    text: &str,
) -> Result<T, StorageError> {
    serde_json::from_str(text).map_err(|error| broken(format!("{column} of {row}: {error}")))
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
