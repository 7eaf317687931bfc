//! The API document (OpenAPI 3.1), made of the table of operations.

pub(crate) mod bot_resource;
pub(crate) mod choice;
mod response;
pub(crate) mod schema;

use std::collections::BTreeMap;

use actix_web::http::Method;
use domain::access::{Scheme, Scope};
use domain::input::{FieldDoc, InputSettings};
use serde_json::Value;
use utoipa::openapi::encoding::EncodingBuilder;
use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem, PathsBuilder,
};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::{
    ComponentsBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type,
};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Content, ContentBuilder, InfoBuilder, OpenApiBuilder, Required, ServerBuilder,
};

use crate::body::spec::{FILE, FormExample, FormSpec};
use crate::body::{BodySpec, JsonSpec};
use crate::options::HttpOptions;
use crate::pipeline::operation::Operation;
use crate::pipeline::query::{ParamDoc, ParamForm};
use crate::pipeline::route::ServiceRoute;
use crate::reply::ReplyKind;

/// The document as JSON text.
#[must_use]
pub fn document(
    operations: &[Operation],
    settings: &InputSettings,
    options: &HttpOptions,
) -> String {
    let mut components = ComponentsBuilder::new().schema("Problem", response::problem_schema());
    let mut schemas = BTreeMap::new();
    let mut paths = PathsBuilder::new();
    for operation in operations {
        let mut found = Vec::new();
        (operation.reply.components)(&mut found);
        schemas.extend(found);
        let item = PathItem::new(http_method(&operation.method), described(operation, settings));
        paths = paths.path(&operation.path, item);
    }
    for (path, route) in ServiceRoute::ALL {
        if let Some(described) = beside_the_api(*route) {
            paths = paths.path(*path, PathItem::new(HttpMethod::Get, described));
        }
    }
    choice::inline(&mut schemas);
    schema::require_nullable(&mut schemas);
    for (name, schema) in schemas {
        components = components.schema(name, schema);
    }
    for scheme in [Scheme::Bot, Scheme::Project] {
        let header = ApiKeyValue::new(options.token_header(scheme));
        let scheme_schema = SecurityScheme::ApiKey(ApiKey::Header(header));
        components = components.security_scheme(scheme.as_str(), scheme_schema);
    }
    let info = InfoBuilder::new()
        .title("External Bot Management API")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Manages conversational bots and all that hangs on them, by a token for one bot or a \
             token for a project and its bots. Every failure is a problem body (RFC 9457).",
        ))
        .build();
    let server = options.public_url.clone().unwrap_or_else(|| "/".to_owned());
    let document = OpenApiBuilder::new()
        .info(info)
        .servers(Some([ServerBuilder::new().url(server).build()]))
        .paths(paths)
        .components(Some(components.build()))
        .build();
    // Writing a document of strings and numbers can't fail.
    document.to_pretty_json().unwrap_or_default()
}

fn http_method(method: &Method) -> HttpMethod {
    match method.as_str() {
        "POST" => HttpMethod::Post,
        "PUT" => HttpMethod::Put,
        "DELETE" => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}

fn described(operation: &Operation, settings: &InputSettings) -> utoipa::openapi::path::Operation {
    let scopes: Vec<_> = operation.scopes.iter().map(Scope::as_str).collect();
    let needs = if scopes.is_empty() {
        "Any valid token of the scheme will do.".to_owned()
    } else {
        format!("Needs a token with {}.", scopes.join(" and "))
    };
    let mut described = OperationBuilder::new()
        .operation_id(Some(operation.id.clone()))
        .tag(operation.tag)
        .summary(Some(operation.summary))
        .description(Some(needs))
        .security(SecurityRequirement::new(operation.scheme.as_str(), scopes));
    for name in operation.path_params() {
        described = described.parameter(path_parameter(name));
    }
    for doc in &operation.query {
        described = described.parameter(query_parameter(doc));
    }
    if let Some(body) = &operation.body {
        described = described.request_body(Some(request_body(body, settings)));
    }
    if operation.reply.kind == ReplyKind::File {
        for (name, description) in CONDITIONS {
            described = described.parameter(header_parameter(name, description));
        }
    }
    for status in operation.statuses() {
        described = described.response(status.to_string(), response::of(operation, status));
    }
    described.build()
}

/// A route that takes no token; `None` for the pages that show this document.
fn beside_the_api(route: ServiceRoute) -> Option<utoipa::openapi::path::Operation> {
    let json = "application/json";
    let (id, summary, media_type, failures) = match route {
        ServiceRoute::Alive => ("alive", "Whether the process answers", json, &[][..]),
        ServiceRoute::Ready => {
            let summary = "Whether the database answers and the service is not going down";
            ("ready", summary, json, &[500, 503][..])
        }
        ServiceRoute::Metrics => {
            let summary = "Metrics in Prometheus' text format, unless they are served elsewhere";
            ("metrics", summary, "text/plain", &[404][..])
        }
        ServiceRoute::OpenApi => ("openapi", "This document", json, &[][..]),
        ServiceRoute::Docs | ServiceRoute::DocsFile => return None,
    };
    let form = if media_type == json { Type::Object } else { Type::String };
    let schema: Schema = ObjectBuilder::new().schema_type(form).build().into();
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let described = OperationBuilder::new()
        .operation_id(Some(id))
        .tag("Service")
        .summary(Some(summary))
        .response("200", response::done("Done", media_type, content).build());
    let failures = failures.iter().copied();
    let described = failures.fold(described, |described, status| {
        described.response(status.to_string(), response::problem(status))
    });
    Some(described.build())
}

fn path_parameter(name: &str) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .build()
}

/// What a client can say of a file that it has, or has a part of.
const CONDITIONS: [(&str, &str); 3] = [
    ("Range", "One part of the file, as `bytes=0-99`."),
    ("If-Range", "The `ETag` with which the part must still go."),
    ("If-None-Match", "The `ETag`s of what the client has."),
];

fn header_parameter(name: &str, description: &str) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .build()
}

fn query_parameter(doc: &ParamDoc) -> Parameter {
    let schema = match doc.form {
        ParamForm::Text => ObjectBuilder::new().schema_type(Type::String),
        ParamForm::Integer(min, max) => {
            ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(min)).maximum(Some(max))
        }
        ParamForm::OneOf(words) => {
            ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words.to_vec()))
        }
        ParamForm::Boolean => ObjectBuilder::new().schema_type(Type::Boolean),
        ParamForm::Day => ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Date))),
    };
    ParameterBuilder::new()
        .name(doc.name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(doc.description))
        .schema(Some(schema))
        .build()
}

fn request_body(body: &BodySpec, settings: &InputSettings) -> RequestBody {
    let (media_type, content) = match body {
        BodySpec::Json(json) => ("application/json", json_content(json, settings)),
        BodySpec::Form(form) => ("multipart/form-data", form_content(form, settings)),
    };
    RequestBodyBuilder::new()
        .content(media_type, content)
        .required(Some(if body.is_required() { Required::True } else { Required::False }))
        .build()
}

fn json_content(json: &JsonSpec, settings: &InputSettings) -> Content {
    let schema: Schema = schema::of_body(&(json.describe)(settings)).into();
    ContentBuilder::new().schema(Some(schema)).example(Some((json.example)())).build()
}

/// The bytes of a file have no place in the document; the example shows its name instead.
fn form_content(form: &FormSpec, settings: &InputSettings) -> Content {
    let fields = (form.texts)(settings);
    let FormExample { file_name, texts, .. } = (form.example)();
    let values = texts.into_iter().map(|(name, text)| {
        let is_text = fields.iter().any(|doc| doc.name == name && doc.field_type.is_text());
        // What stands for a value is shown as that, as the schema has it.
        let value = serde_json::from_str(&text).ok().filter(|_| !is_text);
        (name.to_owned(), value.unwrap_or_else(|| text.into()))
    });
    let example: serde_json::Map<_, Value> =
        [(FILE.to_owned(), file_name.into())].into_iter().chain(values).collect();
    let media_types = match form.media_types {
        [] => "*/*".to_owned(),
        some => some.join(", "),
    };
    let file = ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some("The file, with its name."))
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)))
        .content_media_type(form.media_types.first().copied().unwrap_or_default());
    // A text can't be `null`.
    let texts = fields.into_iter().map(|doc| FieldDoc { nullable: false, ..doc });
    let mut schema = schema::of_body(&texts.collect::<Vec<_>>());
    schema.properties.insert(FILE.to_owned(), file.into());
    schema.required.insert(0, FILE.to_owned());
    ContentBuilder::new()
        .schema(Some(Schema::from(schema)))
        .example(Some(example.into()))
        .encoding(FILE, EncodingBuilder::new().content_type(Some(media_types)).build())
        .build()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn whole() -> Value {
        let options = HttpOptions::default();
        let text = document(&crate::operations(), &InputSettings::default(), &options);
        serde_json::from_str(&text).unwrap_or_default()
    }

    #[test]
    fn bounds_of_bodies_are_described() {
        let document = whole();
        let schema = "/paths/~1api~1external~1projectapi~1bots/post/requestBody/content\
                      /application~1json/schema/properties";
        let fields = document.pointer(schema).unwrap_or(&Value::Null);
        for (pointer, expected) in [
            ("/name/minLength", json!(1)),
            ("/name/maxLength", json!(200)),
            ("/model/maxLength", json!(1 << 20)),
            ("/temperature/minimum", json!(0)),
            ("/temperature/maximum", json!(2)),
            ("/userDocumentsMaxMb/maximum", json!((1_u64 << 53) - 1)),
            ("/tagList/maxItems", json!(10_000)),
            ("/tagList/items/maxLength", json!(1 << 20)),
            ("/wordReplacements/maxItems", json!(10_000)),
        ] {
            let described = fields.pointer(pointer).and_then(Value::as_f64);
            assert_eq!(described, expected.as_f64(), "{pointer}");
        }
    }

    #[test]
    fn closed_sets_of_views_are_described() {
        let document = whole();
        let schemas = &document["components"]["schemas"];
        for pointer in [
            "/Actor/properties/scheme",
            "/ApiKey/properties/scopes/items",
            "/BotDeleted/properties/mode",
            "/ChangelogEntry/properties/action",
            "/ChangelogEntry/properties/resource",
            "/Extraction/properties/error",
            "/Extraction/properties/status",
            "/ExtractionSettings/properties/chunking_strategy",
            "/TokenData/properties/scheme",
            "/TokenData/properties/scopes/items",
        ] {
            let words = schemas.pointer(pointer).and_then(|text| text["enum"].as_array());
            assert!(words.is_some_and(|words| words.len() > 1), "{pointer}");
        }
    }

    #[test]
    fn references_lead_to_schemas() {
        fn references(value: &Value, found: &mut Vec<String>) {
            match value {
                Value::Object(members) => {
                    found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
                    members.values().for_each(|member| references(member, found));
                }
                Value::Array(items) => items.iter().for_each(|item| references(item, found)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        let document = whole();
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(found.len() > 100, "{}", found.len());
        for reference in found {
            let pointer = reference.strip_prefix('#').unwrap_or_default();
            assert!(document.pointer(pointer).is_some(), "{reference}");
        }
    }

    #[test]
    fn what_can_be_null_is_there_all_the_same() {
        let document = whole();
        for (schema, member, expected) in [
            ("Extraction", "error", true),
            ("Extraction", "finishedAt", true),
            ("Extraction", "status", true),
            ("FusionView", "file", true),
            ("Stage", "skills", true),
            ("ProjectDocument", "botId", true),
            ("ProjectDocument", "botIds", false),
            ("KeyvalEntry", "guestId", false),
        ] {
            let schema = &document["components"]["schemas"][schema];
            assert!(schema["properties"][member].is_object(), "{member}");
            let required = schema["required"].as_array();
            let is_there = required.is_some_and(|names| names.contains(&json!(member)));
            assert_eq!(is_there, expected, "{schema} {member}");
        }
    }

    #[test]
    fn languages_have_their_pattern() {
        let document = whole();
        let replaced = &document["paths"]["/api/external/projectapi/doc/extract/{docId}"]["post"];
        let pointer = "/requestBody/content/application~1json/schema/properties/ocrLanguage";
        let described = replaced.pointer(pointer).unwrap_or(&Value::Null);
        assert_eq!(described["maxLength"], 409);
        assert_eq!(described["pattern"], r"^[A-Za-z0-9_]{1,40}(\+[A-Za-z0-9_]{1,40}){0,9}$");
    }

    #[test]
    fn the_fields_of_a_form_are_explained() {
        let document = whole();
        let form = |method: &str, path: &str| {
            let path = format!("/api/external/projectapi/doc/{path}");
            document["paths"][&path][method]["requestBody"]["content"]["multipart/form-data"]
                .clone()
        };
        let (new, other) = (form("post", "upload"), form("put", "replace/{docId}"));
        for (form, field, default) in [
            (&new, "extract", json!(true)),
            (&new, "maxChars", json!(2_000)),
            (&new, "maxOverlap", Value::Null),
            (&new, "chunking_strategy", Value::Null),
            (&new, "imagesEnabled", json!(false)),
            (&new, "ocrLanguage", json!("eng")),
            (&new, "skillId", Value::Null),
            (&other, "extract", json!(true)),
            // What is left out stays as it was.
            (&other, "maxChars", Value::Null),
        ] {
            let described = &form["schema"]["properties"][field];
            assert!(described["description"].is_string(), "{field}");
            assert_eq!(described["default"], default, "{field}");
        }
        assert_eq!(new["example"]["maxChars"], 1_000);
        assert_eq!(new["example"]["skillId"], "opening-hours");
        assert_eq!(other["example"]["extract"], true);
    }

    #[test]
    fn what_lies_beside_the_api_is_described() {
        let document = whole();
        for path in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
            let described = &document["paths"][path]["get"];
            assert!(described["responses"]["200"].is_object(), "{path}");
            assert!(described["security"].is_null(), "{path}");
        }
    }
}
