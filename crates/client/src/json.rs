//! Any JSON.

use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

/// Any JSON, as it was written: with all digits of its numbers and the blanks between its parts.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json(Box<RawValue>);

impl Json {
    /// Writes a value.
    ///
    /// # Errors
    /// If it can't be written as JSON, such as a map whose keys are no texts.
    pub fn of(value: &impl Serialize) -> serde_json::Result<Self> {
        to_raw_value(value).map(Self)
    }

    /// Takes JSON as it is.
    ///
    /// # Errors
    /// If it is none.
    pub fn from_text(text: impl Into<String>) -> serde_json::Result<Self> {
        RawValue::from_string(text.into()).map(Self)
    }

    /// Reads the value as a type.
    ///
    /// # Errors
    /// If it is no such value.
    pub fn parse<'de, T: Deserialize<'de>>(&'de self) -> serde_json::Result<T> {
        serde_json::from_str(self.as_str())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        self.0.get()
    }
}

/// `null`
impl Default for Json {
    fn default() -> Self {
        Self(RawValue::NULL.to_owned())
    }
}

/// Equal if they are written alike.
impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Json {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key_value_entry::PutKeyvalEntry;

    #[test]
    fn a_value_stays_as_it_was_written() {
        for value in [r#"[1.10, 1e400]"#, r#"{"a":{"b":1},"a":2}"#, r#""\ud800""#, "null"] {
            let body = PutKeyvalEntry { value: Json::from_text(value).unwrap() };
            let written = serde_json::to_string(&body).unwrap();
            assert_eq!(written, format!(r#"{{"value":{value}}}"#));
            assert_eq!(serde_json::from_str::<PutKeyvalEntry>(&written).unwrap(), body);
        }
        assert!(Json::from_text("[1").is_err());
        assert_eq!(Json::of(&[1, 2]).unwrap().parse::<Vec<u8>>().unwrap(), [1, 2]);
    }
}
