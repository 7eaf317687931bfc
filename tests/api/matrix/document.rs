//! The API document, served and kept, describes every operation of the table and no other.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use botyard_tests::each_database;
use domain::access::{Scheme, Scope};
use domain::input::{FieldDoc, FieldType, InputSettings};
use http_actix::{BodySpec, FormExample, Operation, ReplyKind};
use serde_json::{Value, json};

use super::cells::Cells;
use super::specification::specified;
use super::verdict::{Verdict, shortened};

/// The members of an object.
fn names(value: &Value) -> BTreeSet<String> {
    value.as_object().into_iter().flat_map(|object| object.keys().cloned()).collect()
}

/// The operations of a path, by their methods: what it has beside those is for all of them.
fn operations_of(path: &Value) -> impl Iterator<Item = (String, &Value)> {
    let members = path.as_object().into_iter().flatten();
    let operations = members.filter(|(name, _)| *name != "parameters");
    operations.map(|(method, described)| (method.to_uppercase(), described))
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, expected: T, got: T) -> Verdict {
    if expected == got {
        return Ok(());
    }
    let [expected, got] = [expected, got].map(|value| shortened(&format!("{value:?}")));
    Err(format!("expected {what} {expected}, got {got}"))
}

/// Every `$ref` below a value.
fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Object(object) => object
            .iter()
            .flat_map(|(name, value)| match (name.as_str(), value.as_str()) {
                ("$ref", Some(target)) => vec![target.to_owned()],
                _ => references(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(references).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

/// What a value refers to, or the value itself.
fn followed<'a>(value: &'a Value, document: &'a Value) -> &'a Value {
    let target = value["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
    target.map_or(value, |pointer| document.pointer(pointer).unwrap_or(&Value::Null))
}

/// That every reference below a value leads somewhere in the document.
fn refers_to_something(value: &Value, document: &Value) -> Verdict {
    let targets = references(value);
    let dangling: Vec<_> = targets
        .iter()
        .filter(|target| {
            let pointer = target.strip_prefix('#');
            pointer.and_then(|pointer| document.pointer(pointer)).is_none()
        })
        .collect();
    same("references that lead nowhere:", Vec::new(), dangling)
}

/// The parameters of an operation at one place, each with whether it must be there.
fn parameters(described: &Value, place: &str, document: &Value) -> Vec<(String, bool)> {
    let parameters = described["parameters"].as_array().into_iter().flatten();
    let parameters = parameters.map(|parameter| followed(parameter, document));
    let here = parameters.filter(|parameter| parameter["in"] == place);
    here.map(|parameter| {
        let name = parameter["name"].as_str().unwrap_or_default().to_owned();
        (name, parameter["required"] == true && parameter["schema"].is_object())
    })
    .collect()
}

fn describes(document: &Value, operation: &Operation) -> Verdict {
    let method = operation.method.as_str().to_lowercase();
    let described = &document["paths"][&operation.path][&method];
    same("the id", &json!(operation.id), &described["operationId"])?;
    same("the group", &json!([operation.tag]), &described["tags"])?;
    let statuses = operation.statuses().iter().map(ToString::to_string).collect();
    same("the statuses", statuses, names(&described["responses"]))?;
    // Of nothing else there are parts.
    let is_file = operation.statuses().contains(&206);
    for (status, response) in described["responses"].as_object().into_iter().flatten() {
        let response = followed(response, document);
        let media = match status.as_str() {
            "200" | "206" if is_file => "*/*",
            "200" if operation.reply.kind == ReplyKind::EventStream => "text/event-stream",
            "200" => "application/json",
            "304" => {
                same("what comes with 304:", &Value::Null, &response["content"])?;
                continue;
            }
            _ => "application/problem+json",
        };
        let schema = &response["content"][media]["schema"];
        same(&format!("a schema of {status}:"), true, schema.is_object())?;
        let is_problem = schema["$ref"] == "#/components/schemas/Problem";
        same(&format!("a problem under {status}:"), media.contains("problem"), is_problem)?;
    }
    let scopes: Vec<_> = operation.scopes.iter().map(Scope::as_str).collect();
    let scheme = operation.scheme.as_str();
    same("the scheme and its scopes", &json!([{scheme: scopes}]), &described["security"])?;
    let in_path: Vec<_> = operation.path_params().map(|name| (name.to_owned(), true)).collect();
    same("the parameters of the path", in_path, parameters(described, "path", document))?;
    let in_query: Vec<_> =
        operation.query.iter().map(|param| (param.name.to_owned(), false)).collect();
    same("the parameters of the query", in_query, parameters(described, "query", document))?;
    describes_body(&described["requestBody"], operation, document)?;
    refers_to_something(described, document)
}

/// How the document shows a form: the file by its name, what stands for a value as that.
fn shown(example: &FormExample, fields: &[FieldDoc]) -> Value {
    let texts = example.texts.iter().map(|(name, text)| {
        let field = fields.iter().find(|field| field.name == *name).expect(name);
        let is_text = field.field_type.is_text();
        let value = if is_text { json!(text) } else { serde_json::from_str(text).expect(name) };
        ((*name).to_owned(), value)
    });
    texts.chain([("file".to_owned(), json!(example.file_name))]).collect()
}

fn describes_body(described: &Value, operation: &Operation, document: &Value) -> Verdict {
    let Some(body) = &operation.body else {
        return same("a body:", &Value::Null, described);
    };
    let described = followed(described, document);
    let fields = body.fields(&InputSettings::default());
    let (media, example, file) = match body {
        BodySpec::Json(json) => ("application/json", (json.example)(), None),
        BodySpec::Form(form) => {
            ("multipart/form-data", shown(&(form.example)(), &fields), Some("file"))
        }
    };
    let content = &described["content"][media];
    same("whether it must be there:", &json!(body.is_required()), &described["required"])?;
    same("the example", &example, &content["example"])?;
    let (free, fields): (Vec<_>, Vec<_>) =
        fields.into_iter().partition(|field| field.field_type == FieldType::Free);
    let schema = followed(&content["schema"], document);
    let members = fields.iter().map(|field| field.name.as_str()).chain(file);
    let members = members.map(str::to_owned).collect();
    same("the members", members, names(&schema["properties"]))?;
    let required = fields.iter().filter(|field| field.required).map(|field| field.name.as_str());
    let required: Vec<_> = file.into_iter().chain(required).collect();
    let listed: Vec<_> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    same("the required members", required, listed)?;
    same("other members:", &json!(!free.is_empty()), &schema["additionalProperties"])
}

/// Every operation of the document with its scheme and its scopes, and every one of the specification.
fn is_all_that_is_specified(document: &Value) {
    let paths = document["paths"].as_object().expect("paths");
    let described: BTreeSet<_> = paths
        .iter()
        // What lies beside the API is in no specification.
        .filter(|(path, _)| path.starts_with("/api/"))
        .flat_map(|(path, item)| {
            operations_of(item).map(move |(method, described)| {
                let security = described["security"].to_string();
                format!("{method} {path} {security}")
            })
        })
        .collect();
    let specified: BTreeSet<_> = specified()
        .iter()
        .map(|row| {
            let scopes: Vec<_> = row.scopes.split_whitespace().collect();
            let security = json!([{row.scheme.as_str(): scopes}]);
            format!("{} {} {security}", row.method, row.path)
        })
        .collect();
    let missing: Vec<_> = specified.difference(&described).collect();
    let surplus: Vec<_> = described.difference(&specified).collect();
    assert!(missing.is_empty(), "specified, but not in the document: {missing:#?}");
    assert!(surplus.is_empty(), "in the document, but not specified: {surplus:#?}");
}

/// The document against the specification and the whole table.
fn check(document: &Value) {
    is_all_that_is_specified(document);
    let operations = http_actix::operations();
    let version = document["openapi"].as_str().unwrap_or_default();
    assert!(version.starts_with("3.1."), "openapi {version}");
    for (scheme, header) in [(Scheme::Bot, "X-Api-Key"), (Scheme::Project, "X-Project-Api-Key")] {
        let described = &document["components"]["securitySchemes"][scheme.as_str()];
        let expected = json!({"type": "apiKey", "name": header, "in": "header"});
        assert_eq!(*described, expected, "{scheme:?}");
    }
    let paths = document["paths"].as_object().expect("paths");
    // What lies beside the API is in no table of operations.
    let described: BTreeSet<_> = paths
        .iter()
        .filter(|(path, _)| path.starts_with("/api/"))
        .flat_map(|(path, item)| operations_of(item).map(move |(method, _)| (method, path.clone())))
        .collect();
    let built: BTreeSet<_> = operations
        .iter()
        .map(|operation| (operation.method.to_string(), operation.path.clone()))
        .collect();
    let differing: Vec<_> = described.symmetric_difference(&built).collect();
    assert!(differing.is_empty(), "not both in the document and in the table: {differing:?}");
    let ids: BTreeSet<_> = operations.iter().map(|operation| operation.id.as_str()).collect();
    assert_eq!(ids.len(), operations.len(), "two operations have the same id: {ids:?}");
    let dangling = refers_to_something(&document["components"], document);
    assert_eq!(dangling, Ok(()));
    let mut cells = Cells::over("the API document is complete", &operations);
    for operation in &operations {
        cells.check(operation, "its description", || describes(document, operation));
    }
    cells.finish();
}

each_database! {
    fn the_document_that_is_served_describes_every_operation(app: &TestApp) {
        check(&app.anonymous().get("/openapi.json").ok());
    }
}

#[test]
fn the_document_that_is_kept_describes_every_operation() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/openapi.json");
    match fs::read_to_string(file) {
        Ok(text) => check(&serde_json::from_str(&text).expect("JSON")),
        // Whether it is there, and up to date, is for the project's lint to say.
        Err(error) => assert_eq!(error.kind(), ErrorKind::NotFound, "{error}"),
    }
}
