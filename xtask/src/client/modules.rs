//! Which module a type is in.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::document::{Components, Document, Schema};
use super::text::snake_case;

/// Where types are that several tags have.
const SHARED: &str = "shared";

/// The modules of the types.
pub struct Modules {
    of_type: BTreeMap<String, String>,
}

impl Modules {
    pub fn of(document: &Document) -> Result<Self> {
        let components = &document.components;
        let mut tags: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for operation in document.paths.0.iter().flat_map(|(_, item)| item.operations.values()) {
            let module =
                operation.tags.first().map_or_else(|| SHARED.to_owned(), |tag| snake_case(tag));
            let request = operation.request_body.iter().filter_map(|body| {
                let body = components.request_bodies.get(body.name())?;
                body.json().or_else(|| body.form())
            });
            let answers = operation.responses.iter().filter_map(|(status, answer)| {
                let answer = components.responses.get(answer.name())?;
                if status.starts_with('2') { answer.json() } else { None }
            });
            for schema in request.chain(answers) {
                reach(schema, components, &module, &mut tags)?;
            }
        }
        let problem = Schema {
            reference: Some("#/components/schemas/Problem".to_owned()),
            ..Schema::default()
        };
        reach(&problem, components, SHARED, &mut tags)?;
        let of_type = tags.into_iter().map(|(name, tags)| {
            let mut tags = tags.into_iter();
            let module = match (tags.next(), tags.next()) {
                (Some(only), None) => only,
                _ => SHARED.to_owned(),
            };
            (name, module)
        });
        Ok(Self { of_type: of_type.collect() })
    }

    /// The module of a type, if an operation has it.
    pub fn module(&self, name: &str) -> Option<&str> {
        self.of_type.get(name).map(String::as_str)
    }

    /// Every module with a type.
    pub fn names(&self) -> BTreeSet<String> {
        self.of_type.values().cloned().collect()
    }

    /// Every type with its module.
    pub fn types(&self) -> impl Iterator<Item = (&str, &str)> {
        self.of_type.iter().map(|(name, module)| (name.as_str(), module.as_str()))
    }
}

/// Notes a module for every type that a schema leads to.
fn reach(
    schema: &Schema,
    components: &Components,
    module: &str,
    tags: &mut BTreeMap<String, BTreeSet<String>>,
) -> Result<()> {
    if let Some(reference) = &schema.reference {
        let name = reference.rsplit('/').next().unwrap_or_default();
        if tags.entry(name.to_owned()).or_default().insert(module.to_owned()) {
            reach(components.schema(name)?, components, module, tags)?;
        }
    }
    let properties = schema.properties.0.iter().map(|(_, property)| property);
    for part in properties.chain(schema.items.as_deref()).chain(&schema.one_of) {
        reach(part, components, module, tags)?;
    }
    Ok(())
}
