//! An operation of the document as a method of a client.

use anyhow::{Context as _, Result, bail};

use super::document::{Content, Document, Method, Operation, Parameter};
use super::text::{comment, identifier, pascal_case, snake_case};
use super::types::value_type;

/// Operations with headers to send and bytes to receive, whose methods are written by hand.
const WRITTEN_BY_HAND: [&str; 3] = ["downloadDocument", "streamEvents", "streamEventsOfBot"];

/// A method, and what it needs.
pub struct Written {
    /// `BotClient` or `ProjectClient`
    pub client: &'static str,
    pub code: String,
    /// The name and the code of the type of its query, if it has one of its own.
    pub query: Option<(String, String)>,
}

/// Which client has an operation, or `None` for those that need no token.
pub fn client_of(operation: &Operation) -> Option<&'static str> {
    let scheme = operation.security.first()?.keys().next()?;
    Some(if scheme == "APIKeyHeader" { "BotClient" } else { "ProjectClient" })
}

/// What an operation answers, in the types of Rust.
pub enum Answer {
    One(String),
    OneOrNull(String),
    All(String),
    Page(String),
}

impl Answer {
    fn content<'a>(operation: &Operation, document: &'a Document) -> Result<&'a Content> {
        let answer = operation.responses.get("200").context("no answer 200")?;
        document.components.responses.get(answer.name()).context("an answer")
    }

    pub fn of(operation: &Operation, document: &Document) -> Result<Option<Self>> {
        let content = Self::content(operation, document)?;
        let Some(schema) = content.json() else { return Ok(None) };
        Ok(Some(if let Some(items) = &schema.items {
            let items = value_type(items)?;
            if content.headers.contains_key("Link") { Self::Page(items) } else { Self::All(items) }
        } else if schema.one_of.is_empty() {
            Self::One(value_type(schema)?)
        } else {
            Self::OneOrNull(value_type(schema)?)
        }))
    }
}

/// The method of an operation; `None` for those of no client and those that are written by hand.
pub fn method(
    path: &str,
    method: Method,
    operation: &Operation,
    document: &Document,
) -> Result<Option<Written>> {
    let Some(client) = client_of(operation) else { return Ok(None) };
    if WRITTEN_BY_HAND.contains(&operation.operation_id.as_str()) {
        return Ok(None);
    }
    let components = &document.components;
    let id = operation.operation_id.trim_end_matches("OfProject");
    let parameters: Vec<_> = operation
        .parameters
        .iter()
        .map(|parameter| components.parameters.get(parameter.name()).context("a parameter"))
        .collect::<Result<_>>()?;

    let mut arguments = vec!["&self".to_owned()];
    for parameter in parameters.iter().filter(|parameter| parameter.place == "path") {
        let is_id = parameter.schema.format.as_deref() == Some("uuid");
        let argument = if is_id { "Uuid" } else { "&str" };
        arguments.push(format!("{}: {argument}", identifier(&parameter.name)));
    }
    let body = operation
        .request_body
        .as_ref()
        .map(|body| components.request_bodies.get(body.name()).context("a body"));
    let body = body.transpose()?;
    let body_schema = body.and_then(|body| body.json().or_else(|| body.form()));
    let body_type = body_schema.map(value_type).transpose()?;
    let is_form = body.is_some_and(|body| body.form().is_some());

    let members = body_type.as_deref().map(|name| components.schema(name)).transpose()?;
    // What the body says as well is left to the body.
    let in_body = |name: &str| {
        members.is_some_and(|schema| schema.properties.0.iter().any(|(known, _)| known == name))
    };
    let query: Vec<_> = parameters
        .iter()
        .filter(|parameter| parameter.place == "query" && !in_body(&parameter.name))
        // The client reads JSON.
        .filter(|parameter| parameter.name != "format")
        .collect();
    let names: Vec<_> = query.iter().map(|parameter| parameter.name.as_str()).collect();
    let mut query_type = None;
    if names == ["limit", "cursor"] {
        arguments.push("query: &PageQuery".to_owned());
    } else if !query.is_empty() {
        let name = format!("{}Query", pascal_case(id));
        arguments.push(format!("query: &{name}"));
        let code = query_code(&name, id, &query)?;
        query_type = Some((name, code));
    }
    if let Some(name) = &body_type {
        arguments.push(if is_form { format!("body: {name}") } else { format!("body: &{name}") });
    }

    let (result, end) = match Answer::of(operation, document)? {
        Some(Answer::One(name)) => (name, "one"),
        Some(Answer::OneOrNull(name)) => (format!("Option<{name}>"), "one"),
        Some(Answer::All(name)) => (format!("Vec<{name}>"), "one"),
        Some(Answer::Page(name)) => (format!("Page<{name}>"), "page"),
        None => bail!("{id} answers no JSON"),
    };
    let has_tag = Answer::content(operation, document)?.headers.contains_key("ETag");
    let (result, end) =
        if has_tag { (format!("Tagged<{result}>"), "tagged") } else { (result, end) };
    let parts = path_parts(path, &parameters)?;
    let mut code = comment(&documentation(operation));
    code += &format!(
        "pub async fn {}({}) -> Result<{result}> {{\nlet path = [{parts}];\n\
         self.http.request(Method::{}, &path)?",
        snake_case(id),
        arguments.join(", "),
        method.name()
    );
    if !query.is_empty() {
        code += ".query(query)";
    }
    if body_type.is_some() {
        code += if is_form { ".form(body.into_form())" } else { ".json(body)?" };
    }
    code += &format!(".{end}().await\n}}\n\n");
    Ok(Some(Written { client, code, query: query_type }))
}

fn documentation(operation: &Operation) -> String {
    let description = operation.description.as_deref().unwrap_or_default();
    format!("{}.\n\n{description}\n\n# Errors\n\nSee [`Error`](crate::Error).", operation.summary)
}

/// The parts of a path, as the elements of an array.
fn path_parts(path: &str, parameters: &[&Parameter]) -> Result<String> {
    let mut parts = Vec::new();
    for part in path.trim_start_matches('/').split('/') {
        let Some(name) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) else {
            parts.push(format!("{part:?}"));
            continue;
        };
        let parameter = parameters.iter().find(|parameter| parameter.name == name);
        let parameter = parameter.with_context(|| format!("no parameter {name}"))?;
        let argument = identifier(name);
        let is_id = parameter.schema.format.as_deref() == Some("uuid");
        parts.push(if is_id { format!("&{argument}.to_string()") } else { argument });
    }
    Ok(parts.join(", "))
}

/// The type of a query.
fn query_code(name: &str, id: &str, parameters: &[&&Parameter]) -> Result<String> {
    let mut code = comment(&format!("The query of `{}`.", snake_case(id)));
    code += "#[derive(Debug, Clone, Default, PartialEq, Serialize)]\n#[serde(rename_all = \"camelCase\")]\n";
    code += &format!("pub struct {name} {{\n");
    for parameter in parameters {
        code += &comment(&parameter.description);
        let value = value_type(&parameter.schema)?;
        code += "#[serde(skip_serializing_if = \"Option::is_none\")]\n";
        code += &format!("pub {}: Option<{value}>,\n", identifier(&parameter.name));
    }
    Ok(code + "}\n\n")
}
