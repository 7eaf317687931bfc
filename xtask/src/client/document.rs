//! The parts of docs/openapi.json that a client is made of.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use anyhow::{Context as _, Result};
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
pub struct Document {
    pub paths: Ordered<PathItem>,
    pub components: Components,
}

#[derive(Deserialize)]
pub struct PathItem {
    #[serde(default, rename = "parameters")]
    _of_all: IgnoredAny,
    #[serde(flatten)]
    pub operations: BTreeMap<Method, Operation>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    Get,
    Post,
    Put,
    Delete,
}

impl Method {
    /// As the library writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Delete => "DELETE",
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    pub operation_id: String,
    pub tags: Vec<String>,
    pub summary: String,
    pub description: Option<String>,
    #[serde(default)]
    pub parameters: Vec<Reference>,
    pub request_body: Option<Reference>,
    pub responses: BTreeMap<String, Reference>,
    pub security: Vec<BTreeMap<String, Vec<String>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Components {
    pub schemas: Ordered<Schema>,
    pub parameters: BTreeMap<String, Parameter>,
    pub request_bodies: BTreeMap<String, Content>,
    pub responses: BTreeMap<String, Content>,
}

impl Components {
    pub fn schema(&self, name: &str) -> Result<&Schema> {
        let found = self.schemas.0.iter().find(|(known, _)| known == name);
        found.map(|(_, schema)| schema).with_context(|| format!("no schema {name}"))
    }
}

#[derive(Deserialize, Clone)]
pub struct Reference {
    #[serde(rename = "$ref")]
    target: String,
}

impl Reference {
    pub fn name(&self) -> &str {
        self.target.rsplit('/').next().unwrap_or_default()
    }
}

#[derive(Deserialize)]
pub struct Parameter {
    pub name: String,
    #[serde(rename = "in")]
    pub place: String,
    pub description: String,
    pub schema: Schema,
}

/// A body, of a request or of an answer.
#[derive(Deserialize)]
pub struct Content {
    #[serde(default)]
    content: BTreeMap<String, Media>,
    #[serde(default)]
    pub headers: BTreeMap<String, Reference>,
}

#[derive(Deserialize)]
struct Media {
    schema: Schema,
}

impl Content {
    pub fn json(&self) -> Option<&Schema> {
        Some(&self.content.get("application/json")?.schema)
    }

    pub fn form(&self) -> Option<&Schema> {
        Some(&self.content.get("multipart/form-data")?.schema)
    }
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub struct Schema {
    #[serde(rename = "$ref")]
    pub reference: Option<String>,
    #[serde(rename = "type")]
    pub types: Types,
    pub format: Option<String>,
    pub description: Option<String>,
    #[serde(rename = "enum")]
    pub words: Vec<String>,
    pub properties: Ordered<Self>,
    pub required: Vec<String>,
    pub items: Option<Box<Self>>,
    pub one_of: Vec<Self>,
    pub minimum: Option<f64>,
    pub additional_properties: bool,
}

/// One type or several.
#[derive(Deserialize, Default)]
#[serde(untagged)]
pub enum Types {
    #[default]
    None,
    One(String),
    Several(Vec<String>),
}

impl Types {
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::None => false,
            Self::One(known) => known == name,
            Self::Several(known) => known.iter().any(|known| known == name),
        }
    }
}

/// A map in the order of the document.
pub struct Ordered<T>(pub Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

struct Entries<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
    type Value = Ordered<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Ordered(entries))
    }
}
