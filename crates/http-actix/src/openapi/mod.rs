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
        ServiceRoute::Root | ServiceRoute::Docs | ServiceRoute::DocsFile => return None,
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
mod tests;
