//! The schema of a problem body (RFC 9457), as `problem/body.rs` writes it.

use utoipa::openapi::Ref;
use utoipa::openapi::schema::{
    ArrayBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type,
};
use utoipa::{PartialSchema as _, ToSchema as _};

use super::choice::{ArchiveRuleSchema, ScopeSchema};
use super::schema::Schemas;

/// The name of the schema.
pub const PROBLEM: &str = "Problem";
/// The name of the schema of one violation.
const VIOLATION: &str = "Violation";

/// The schema, and those to which it refers.
pub fn schemas() -> Schemas {
    Schemas::from([
        (PROBLEM.to_owned(), problem().into()),
        (VIOLATION.to_owned(), violation().into()),
        (ArchiveRuleSchema::name().into_owned(), ArchiveRuleSchema::schema()),
        (ScopeSchema::name().into_owned(), ScopeSchema::schema()),
    ])
}

fn problem() -> Schema {
    let required = [
        ("type", text("`urn:botyard:problem:` and the code.")),
        ("title", text("The code in words.")),
        ("status", status()),
        ("detail", text("What happened, as a sentence.")),
        ("code", text("What happened, for programs: a stable word.")),
        ("requestId", text("Names the request in the log, as the header `X-Request-Id` does.")),
    ];
    let doc_id = text("The document that could not be made into chunks (`extraction_failed`).");
    let oldest_cursor = text("From which cursor on all events are kept (`cursor_expired`).");
    let doc_id = doc_id.format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)));
    let rule = "The rule of the archive policy that was broken (`bad_archive`).";
    let rule = described(Ref::from_schema_name(ArchiveRuleSchema::name()), rule);
    let scopes = ArrayBuilder::new()
        .items(Ref::from_schema_name(ScopeSchema::name()))
        .description(Some("The scopes that the operation needs (`missing_scope`)."));
    let errors = ArrayBuilder::new()
        .items(Ref::from_schema_name(VIOLATION))
        .description(Some("Every violation of path, query and body."));
    required
        .into_iter()
        .fold(ObjectBuilder::new(), |problem, (name, schema)| {
            problem.property(name, schema).required(name)
        })
        .property("rule", rule)
        .property("docId", doc_id)
        .property("oldestCursor", oldest_cursor)
        .property("requiredScopes", scopes)
        .property("errors", errors)
        .description(Some("What a request failed for (RFC 9457)."))
        .into()
}

fn violation() -> Schema {
    let place = text("What it is a part of.").enum_values(Some(["body", "query", "path"]));
    let members = [
        ("pointer", text("JSON Pointer (RFC 6901) to the value; empty for the whole.")),
        ("in", place),
        ("code", text("What is wrong, for programs: a stable word.")),
        ("message", text("What is wrong, as a sentence.")),
    ];
    members
        .into_iter()
        .fold(ObjectBuilder::new(), |violation, (name, schema)| {
            violation.property(name, schema).required(name)
        })
        .description(Some("One thing that is wrong with a request."))
        .into()
}

fn text(description: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).description(Some(description))
}

fn status() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer).description(Some("The status of the answer."))
}

/// A reference with a description of its own.
fn described(mut reference: Ref, description: &str) -> Ref {
    description.clone_into(&mut reference.description);
    reference
}
