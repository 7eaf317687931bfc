//! What the API document says of answers.

use actix_web::http::StatusCode;
use domain::archive::ArchiveRule;
use utoipa::openapi::schema::{
    ArrayBuilder, KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type,
};
use utoipa::openapi::{Content, ContentBuilder, Header, Ref, RefOr, Response, ResponseBuilder};

use crate::pipeline::operation::Operation;
use crate::reply::ReplyKind;

/// The answer of an operation with this status.
pub fn of(operation: &Operation, status: u16) -> Response {
    match status {
        200 => success(operation),
        206 => {
            let place = header("Which bytes these are, as `bytes 0-99/2048`.");
            file(operation, "A part of the file").header("Content-Range", place).build()
        }
        304 => {
            let response = ResponseBuilder::new().description("The client has the file");
            let response = response.header("ETag", header(TAG));
            response.header("X-Request-Id", header(REQUEST_ID)).build()
        }
        failure => problem(failure),
    }
}

const TAG: &str = "The SHA-256 of the file, in quotes.";
const REQUEST_ID: &str = "Names the request in the log.";

fn success(operation: &Operation) -> Response {
    let content = || ContentBuilder::new().schema(Some((operation.reply.body)())).build();
    match operation.reply.kind {
        ReplyKind::Value => done("Done", "application/json", content()).build(),
        ReplyKind::List => {
            let link = "The next page, as `<path>; rel=\"next\"`; missing on the last one.";
            done("Done", "application/json", content()).header("Link", header(link)).build()
        }
        ReplyKind::File => file(operation, "The file").build(),
    }
}

/// The bytes of a file, or some of them.
fn file(operation: &Operation, description: &str) -> ResponseBuilder {
    let content = ContentBuilder::new().schema(Some((operation.reply.body)())).build();
    done(description, "*/*", content)
        .header("Accept-Ranges", header("Always `bytes`."))
        .header("Content-Disposition", header("The name, as `attachment; filename*=UTF-8''…`."))
        .header("ETag", header(TAG))
}

/// An answer with this content.
pub fn done(description: &str, media_type: &str, content: Content) -> ResponseBuilder {
    let response = ResponseBuilder::new().description(description).content(media_type, content);
    response.header("X-Request-Id", header(REQUEST_ID))
}

fn header(description: &str) -> Header {
    let mut header = Header::new(ObjectBuilder::new().schema_type(Type::String));
    header.description = Some(description.to_owned());
    header
}

/// A problem of this status.
pub fn problem(status: u16) -> Response {
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let schema: RefOr<Schema> = Ref::from_schema_name("Problem").into();
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let response = ResponseBuilder::new()
        .description(reason.unwrap_or("Failure"))
        .content("application/problem+json", content)
        .header("X-Request-Id", header(REQUEST_ID));
    match status {
        401 => response
            .header("WWW-Authenticate", header("The header in which a token is presented."))
            .build(),
        416 => {
            let size = "How many bytes the file has, as `bytes */2048`.";
            response.header("Content-Range", header(size)).build()
        }
        429 | 503 => {
            response.header("Retry-After", header("After how many seconds to try again.")).build()
        }
        _ => response.build(),
    }
}

/// A problem body (RFC 9457), as `problem.rs` writes it.
pub fn problem_schema() -> Schema {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let place = || text().enum_values(Some(["body", "query", "path"]));
    let violation = [("pointer", text()), ("in", place()), ("code", text()), ("message", text())]
        .into_iter()
        .fold(ObjectBuilder::new(), |violation, (name, schema)| {
            violation.property(name, schema).required(name)
        });
    let texts = ["type", "title", "detail", "code", "requestId"];
    let problem = texts
        .into_iter()
        .fold(ObjectBuilder::new(), |problem, name| problem.property(name, text()).required(name));
    problem
        .property("status", ObjectBuilder::new().schema_type(Type::Integer))
        .required("status")
        .property("rule", text().enum_values(Some(ArchiveRule::WORDS.to_vec())))
        .property("docId", text().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid))))
        .property("requiredScopes", ArrayBuilder::new().items(text()))
        .property("errors", ArrayBuilder::new().items(violation))
        .build()
        .into()
}
