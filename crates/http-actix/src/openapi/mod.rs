//! The API document (OpenAPI 3.1), made of the table of operations.

mod bodies;
pub(crate) mod bot_resource;
pub(crate) mod choice;
mod components;
mod examples;
mod layout;
mod parameters;
mod problem;
mod response;
pub(crate) mod schema;
mod service;
mod views;

use std::collections::BTreeMap;

use actix_web::http::Method;
use domain::access::Scope;
use domain::input::InputSettings;
use utoipa::openapi::info::{ContactBuilder, LicenseBuilder};
use utoipa::openapi::path::{HttpMethod, OperationBuilder, PathItem, PathsBuilder};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{InfoBuilder, OpenApiBuilder, RefOr, ServerBuilder};

use self::components::ComponentRegistry;
use crate::options::HttpOptions;
use crate::pipeline::operation::Operation;
use crate::pipeline::route::ServiceRoute;

const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
const LICENSE: &str = env!("CARGO_PKG_LICENSE");

/// The document as JSON text.
#[must_use]
pub fn document(
    operations: &[Operation],
    settings: &InputSettings,
    options: &HttpOptions,
) -> String {
    let mut registry = ComponentRegistry::default();
    let document = assembled(operations, settings, options, &mut registry);
    let document =
        document.components(Some(registry.build(|scheme| options.token_header(scheme).to_owned())));
    layout::written(&document.build())
}

/// The document without its components, which `registry` has then.
fn assembled(
    operations: &[Operation],
    settings: &InputSettings,
    options: &HttpOptions,
    registry: &mut ComponentRegistry,
) -> OpenApiBuilder {
    let mut schemas = BTreeMap::new();
    let mut paths = PathsBuilder::new();
    let trace = parameters::trace(registry);
    let item = |method, described: utoipa::openapi::path::Operation| {
        let mut item = PathItem::new(method, described);
        item.parameters = Some(Vec::from([RefOr::Ref(trace.clone())]));
        item
    };
    for operation in operations {
        let mut found = Vec::new();
        (operation.reply.components)(&mut found);
        schemas.extend(found);
        let described = described(operation, settings, registry);
        paths = paths.path(&operation.path, item(http_method(&operation.method), described));
    }
    for (path, route) in ServiceRoute::ALL {
        if let Some(described) = service::described(*route, registry) {
            paths = paths.path(*path, item(HttpMethod::Get, described));
        }
    }
    for (name, schema) in &mut schemas {
        views::complete(name, schema);
    }
    registry.schemas(schemas);
    let info = InfoBuilder::new()
        .title("External Bot Management API")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(
            "Manages conversational bots and all that hangs on them, by a token for one bot or a \
             token for a project and its bots. Every failure is a problem body (RFC 9457). A \
             request can name itself in `X-Request-Id`, with 1 to 64 of `A-Za-z0-9._-`.",
        ))
        .contact(Some(ContactBuilder::new().name(Some("botyard")).url(Some(REPOSITORY)).build()))
        .license(Some(LicenseBuilder::new().name(LICENSE).identifier(Some(LICENSE)).build()))
        .build();
    let mut groups: Vec<_> =
        operations.iter().map(|operation| (operation.tag, operation.about)).collect();
    groups.push(service::GROUP);
    groups.dedup();
    let tags = groups
        .into_iter()
        .map(|(name, about)| TagBuilder::new().name(name).description(Some(about)).build());
    let server = options.public_url.clone().unwrap_or_else(|| "/".to_owned());
    OpenApiBuilder::new()
        .info(info)
        .servers(Some([ServerBuilder::new().url(server).build()]))
        .tags(Some(tags))
        .paths(paths)
}

fn http_method(method: &Method) -> HttpMethod {
    match method.as_str() {
        "POST" => HttpMethod::Post,
        "PUT" => HttpMethod::Put,
        "DELETE" => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}

fn described(
    operation: &Operation,
    settings: &InputSettings,
    registry: &mut ComponentRegistry,
) -> utoipa::openapi::path::Operation {
    let scopes: Vec<_> = operation.scopes.iter().map(Scope::as_str).collect();
    let needs = match scopes.as_slice() {
        [] => "Needs no scope.".to_owned(),
        [scope] => format!("Needs the scope {scope}."),
        several => format!("Needs the scopes {}.", several.join(" and ")),
    };
    let mut described = OperationBuilder::new()
        .operation_id(Some(operation.id.clone()))
        .tag(operation.tag)
        .summary(Some(operation.summary))
        .description(Some(needs))
        .security(SecurityRequirement::new(operation.scheme.as_str(), scopes))
        .request_body_ref(bodies::of(operation, settings, registry));
    for parameter in parameters::of(operation, registry) {
        described = described.parameter_ref(parameter);
    }
    for status in operation.statuses() {
        described =
            described.response(status.to_string(), response::of(operation, status, registry));
    }
    described.build()
}

#[cfg(test)]
mod tests;
