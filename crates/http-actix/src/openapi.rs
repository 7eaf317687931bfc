//! The API document (OpenAPI 3.1), made of the table of operations.

use std::collections::BTreeMap;

use actix_web::http::{Method, StatusCode};
use domain::access::{Scheme, Scope};
use domain::body::Rules;
use utoipa::openapi::path::{
    HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, PathItem, PathsBuilder,
};
use utoipa::openapi::request_body::{RequestBody, RequestBodyBuilder};
use utoipa::openapi::schema::{ArrayBuilder, ComponentsBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    ContentBuilder, Header, InfoBuilder, OpenApiBuilder, Ref, RefOr, Required, Response,
    ResponseBuilder, ServerBuilder,
};

use crate::operation::Operation;
use crate::options::HttpOptions;
use crate::query::{ParamDoc, ParamForm};
use crate::request_body::BodySpec;
use crate::schema;

/// The document as JSON text.
#[must_use]
pub fn document(operations: &[Operation], rules: &Rules, options: &HttpOptions) -> String {
    let mut components = ComponentsBuilder::new().schema("Problem", problem_schema());
    let mut schemas = BTreeMap::new();
    let mut paths = PathsBuilder::new();
    for operation in operations {
        let mut found = Vec::new();
        (operation.reply.components)(&mut found);
        schemas.extend(found);
        let item = PathItem::new(http_method(&operation.method), described(operation, rules));
        paths = paths.path(&operation.path, item);
    }
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

fn described(operation: &Operation, rules: &Rules) -> utoipa::openapi::path::Operation {
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
        described = described.request_body(Some(request_body(body, rules)));
    }
    for status in operation.statuses() {
        let response = if status == 200 { success(operation) } else { problem(status) };
        described = described.response(status.to_string(), response);
    }
    described.build()
}

fn path_parameter(name: &str) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
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
    };
    ParameterBuilder::new()
        .name(doc.name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(doc.description))
        .schema(Some(schema))
        .build()
}

fn request_body(body: &BodySpec, rules: &Rules) -> RequestBody {
    let schema: Schema = schema::of_body(&(body.describe)(rules)).into();
    let content =
        ContentBuilder::new().schema(Some(schema)).example(Some((body.example)())).build();
    RequestBodyBuilder::new()
        .content("application/json", content)
        .required(Some(if body.required { Required::True } else { Required::False }))
        .build()
}

fn success(operation: &Operation) -> Response {
    let content = ContentBuilder::new().schema(Some((operation.reply.body)())).build();
    let response = ResponseBuilder::new().description("Done").content("application/json", content);
    let response = response.header("X-Request-Id", header("Names the request in the log."));
    if !operation.reply.is_list {
        return response.build();
    }
    let link = "The next page, as `<path>; rel=\"next\"`; missing on the last one.";
    response.header("Link", header(link)).build()
}

fn header(description: &str) -> Header {
    let mut header = Header::new(ObjectBuilder::new().schema_type(Type::String));
    header.description = Some(description.to_owned());
    header
}

fn problem(status: u16) -> Response {
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let schema: RefOr<Schema> = Ref::from_schema_name("Problem").into();
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let response = ResponseBuilder::new()
        .description(reason.unwrap_or("Failure"))
        .content("application/problem+json", content)
        .header("X-Request-Id", header("Names the request in the log."));
    match status {
        401 => response
            .header("WWW-Authenticate", header("The header in which a token is presented."))
            .build(),
        429 | 503 => {
            response.header("Retry-After", header("After how many seconds to try again.")).build()
        }
        _ => response.build(),
    }
}

/// A problem body (RFC 9457), as `problem.rs` writes it.
fn problem_schema() -> Schema {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let fault = ["pointer", "in", "code", "message"]
        .into_iter()
        .fold(ObjectBuilder::new(), |fault, name| fault.property(name, text()).required(name));
    let texts = ["type", "title", "detail", "code", "requestId"];
    let problem = texts
        .into_iter()
        .fold(ObjectBuilder::new(), |problem, name| problem.property(name, text()).required(name));
    problem
        .property("status", ObjectBuilder::new().schema_type(Type::Integer))
        .required("status")
        .property("requiredScopes", ArrayBuilder::new().items(text()))
        .property("errors", ArrayBuilder::new().items(fault))
        .build()
        .into()
}
