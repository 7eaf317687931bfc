//! JSON that the service only stores: kept as text, compared as text, never parsed twice.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A JSON value as text, with the spelling of its numbers and the order of its members kept.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Json(Box<RawValue>);

impl Json {
    /// The JSON of a value. A value that has none (a map with keys that are no texts) is `null`.
    #[must_use]
    pub fn of(value: &impl Serialize) -> Self {
        Self(serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned()))
    }

    /// Takes over a text that is JSON; `None` if it is not.
    #[must_use]
    pub fn parse_text(text: &str) -> Option<Self> {
        RawValue::from_string(text.to_owned()).ok().map(Self)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.get()
    }

    /// Reads the value as a type; `None` if it is none of that type.
    #[must_use]
    pub fn parse<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.as_str()).ok()
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Json {}

/// A JSON object as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonObject(Json);

impl JsonObject {
    /// Takes over a text that is a JSON object; `None` if it is not.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Json::parse_text(text).filter(|json| json.as_str().starts_with('{')).map(Self)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}
