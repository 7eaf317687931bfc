//! The routes beside the API: they take no token.

use utoipa::openapi::ContentBuilder;
use utoipa::openapi::path::{Operation, OperationBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};

use super::components::{ComponentRegistry, capitalised};
use super::response;
use crate::pipeline::route::ServiceRoute;

/// The name of the group of these routes, and what it is about.
pub const GROUP: (&str, &str) = ("Service", "The service itself: its state and its description.");

/// A route that takes no token; `None` for the pages that show this document.
pub fn described(route: ServiceRoute, registry: &mut ComponentRegistry) -> Option<Operation> {
    let json = "application/json";
    let (id, summary, media_type, failures) = match route {
        ServiceRoute::Alive => ("alive", "Whether the process answers", json, &[414][..]),
        ServiceRoute::Ready => {
            let summary = "Whether the database answers and the service is not going down";
            ("ready", summary, json, &[414, 500, 503][..])
        }
        ServiceRoute::Metrics => {
            let summary = "Metrics in Prometheus' text format, unless they are served elsewhere";
            ("metrics", summary, "text/plain", &[404, 414][..])
        }
        ServiceRoute::OpenApi => ("openapi", "This document", json, &[414][..]),
        ServiceRoute::Root | ServiceRoute::Docs | ServiceRoute::DocsFile => return None,
    };
    let form = if media_type == json { Type::Object } else { Type::String };
    let content = ContentBuilder::new().schema(Some(ObjectBuilder::new().schema_type(form)));
    let done = response::done("Done", media_type, content.build(), registry).build();
    let done = registry.response(&capitalised(id), done);
    let described = OperationBuilder::new()
        .operation_id(Some(id))
        .tag(GROUP.0)
        .summary(Some(summary))
        .description(Some("Needs no token."))
        .securities(Some([]))
        .response("200", done);
    let failures = failures.iter().copied();
    let described = failures.fold(described, |described, status| {
        described.response(status.to_string(), response::failure(status, registry))
    });
    Some(described.build())
}
