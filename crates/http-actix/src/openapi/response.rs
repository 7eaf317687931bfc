//! What the API document says of answers.

use actix_web::http::StatusCode;
use domain::violation::ViolationCode;
use utoipa::openapi::schema::{ArrayItems, ObjectBuilder, Schema, Type};
use utoipa::openapi::{
    Content, ContentBuilder, HeaderBuilder, Ref, RefOr, Response, ResponseBuilder,
};

use super::components::ComponentRegistry;
use super::problem;
use crate::pipeline::operation::Operation;
use crate::problem::ProblemKind;
use crate::reply::{EVENT_STREAM, ReplyKind};

/// A header of answers: its name among the components, its name, and what it says.
type HeaderDoc = (&'static str, &'static str, &'static str);

const ACCEPT_RANGES: HeaderDoc = ("AcceptRanges", "Accept-Ranges", "Always `bytes`.");
const FILE_NAME: HeaderDoc =
    ("FileName", "Content-Disposition", "The name, as `attachment; filename*=UTF-8''…`.");
const FILE_SIZE: HeaderDoc =
    ("FileSize", "Content-Range", "How many bytes the file has, as `bytes */2048`.");
const FOLLOW: HeaderDoc = (
    "FollowCursor",
    "X-Follow-Cursor",
    "The cursor from which to go on later; of a list only with `updatedSince`, and in its order.",
);
const LINK: HeaderDoc =
    ("Link", "Link", "The next page, as `<path>; rel=\"next\"`; missing on the last one.");
const PART: HeaderDoc = ("Part", "Content-Range", "Which bytes these are, as `bytes 0-99/2048`.");
const REQUEST_ID: HeaderDoc = ("RequestId", "X-Request-Id", "Names the request in the log.");
const RETRY_AFTER: HeaderDoc =
    ("RetryAfter", "Retry-After", "After how many seconds to try again.");
const TAG: HeaderDoc =
    ("ETag", "ETag", "The entity tag of what is there; that of a file is its SHA-256, in quotes.");
const TOKEN_HEADER: HeaderDoc =
    ("TokenHeader", "WWW-Authenticate", "The header in which a token is presented.");
const TOTAL: HeaderDoc = (
    "TotalCount",
    "X-Total-Count",
    "How many items there are on all pages; missing if `count` did not ask, or it takes too long.",
);
const TRACE: HeaderDoc = (
    "Trace",
    "traceresponse",
    "Trace and span of the request, as `00-TRACE_ID-SPAN_ID-FLAGS`; missing without a valid \
     `traceparent`.",
);
/// What every answer has.
const COMMON: [HeaderDoc; 2] = [REQUEST_ID, TRACE];

/// A reference to the answer of an operation with this status.
pub fn of(operation: &Operation, status: u16, registry: &mut ComponentRegistry) -> Ref {
    match status {
        200 => success(operation, registry),
        206 => {
            let part = file(operation, "A part of the file", registry);
            let part = with_header(part, PART, registry).build();
            registry.response("PartOfFile", part)
        }
        304 => {
            let response = ResponseBuilder::new().description("The client has it already");
            let response = with_header(response, TAG, registry);
            let response = with_headers(response, &COMMON, registry).build();
            registry.response("NotModified", response)
        }
        other => failure(other, registry),
    }
}

fn success(operation: &Operation, registry: &mut ComponentRegistry) -> Ref {
    let body = (operation.reply.body)();
    let json = |registry: &mut ComponentRegistry| {
        let content = ContentBuilder::new().schema(Some(body.clone())).build();
        done("Done", "application/json", content, registry)
    };
    let name = name_of(&body);
    match operation.reply.kind {
        ReplyKind::Value => {
            let response = json(registry).build();
            registry.response(&name, response)
        }
        ReplyKind::Tagged => {
            let response = json(registry);
            let response = with_header(response, TAG, registry).build();
            registry.response(&name, response)
        }
        ReplyKind::List => {
            let response = json(registry);
            let response = with_headers(response, &[LINK, TOTAL, FOLLOW], registry).build();
            let item = name.strip_suffix(LIST).unwrap_or(&name);
            registry.response(&format!("{item}Page"), response)
        }
        ReplyKind::Feed => {
            let response = json(registry);
            let response = with_headers(response, &[LINK, FOLLOW], registry).build();
            let item = name.strip_suffix(LIST).unwrap_or(&name);
            registry.response(&format!("{item}Page"), response)
        }
        ReplyKind::EventStream => {
            let content = ContentBuilder::new().schema(Some(body)).build();
            let response = done("Events as they happen", EVENT_STREAM, content, registry).build();
            registry.response("EventStream", response)
        }
        ReplyKind::TabularList => {
            let table = ObjectBuilder::new().schema_type(Type::String);
            let table = ContentBuilder::new().schema(Some(table)).build();
            let response = json(registry).content("text/csv", table);
            let response = with_header(response, LINK, registry).build();
            let item = name.strip_suffix(LIST).unwrap_or(&name);
            registry.response(&format!("{item}Page"), response)
        }
        ReplyKind::File => {
            let response = file(operation, "The file", registry).build();
            registry.response("File", response)
        }
    }
}

/// What the name of a list among the responses ends in.
const LIST: &str = "List";

/// What a body is called among the responses: as its schema, if that is a component.
fn name_of(body: &RefOr<Schema>) -> String {
    match body {
        RefOr::Ref(schema) => {
            let name = schema.ref_location.rsplit('/').next();
            name.unwrap_or_default().to_owned()
        }
        RefOr::T(Schema::Array(list)) => match &list.items {
            ArrayItems::RefOrSchema(item) => format!("{}{LIST}", name_of(item)),
            ArrayItems::False => LIST.to_owned(),
        },
        RefOr::T(Schema::OneOf(one)) => {
            one.items.iter().map(name_of).collect::<Vec<_>>().join("Or")
        }
        RefOr::T(_) => "Null".to_owned(),
    }
}

/// The bytes of a file, or some of them. Every media type is possible; the first is named because generators of
/// clients know no range of types.
fn file(
    operation: &Operation,
    description: &str,
    registry: &mut ComponentRegistry,
) -> ResponseBuilder {
    let content = ContentBuilder::new().schema(Some((operation.reply.body)())).build();
    let response = done(description, "application/octet-stream", content.clone(), registry);
    let response = response.content("*/*", content);
    with_headers(response, &[ACCEPT_RANGES, FILE_NAME, TAG], registry)
}

/// An answer with this content.
pub fn done(
    description: &str,
    media_type: &str,
    content: Content,
    registry: &mut ComponentRegistry,
) -> ResponseBuilder {
    let response = ResponseBuilder::new().description(description).content(media_type, content);
    with_headers(response, &COMMON, registry)
}

fn with_headers(
    response: ResponseBuilder,
    headers: &[HeaderDoc],
    registry: &mut ComponentRegistry,
) -> ResponseBuilder {
    headers.iter().fold(response, |response, header| with_header(response, *header, registry))
}

fn with_header(
    response: ResponseBuilder,
    (component, name, description): HeaderDoc,
    registry: &mut ComponentRegistry,
) -> ResponseBuilder {
    let header = HeaderBuilder::new()
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .description(Some(description));
    response.header_ref(name, registry.header(component, header.build()))
}

/// A reference to a problem of this status.
pub fn failure(status: u16, registry: &mut ComponentRegistry) -> Ref {
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason());
    let reason = reason.unwrap_or("Failure");
    registry.schemas(problem::schemas());
    let schema = Ref::from_schema_name(problem::PROBLEM);
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let description = codes_of(status, reason);
    let response = done(&description, "application/problem+json", content, registry);
    let header = match status {
        401 => Some(TOKEN_HEADER),
        412 => Some(TAG),
        416 => Some(FILE_SIZE),
        429 | 503 => Some(RETRY_AFTER),
        _ => None,
    };
    let response: Response = match header {
        Some(header) => with_header(response, header, registry).build(),
        None => response.build(),
    };
    registry.response(&status.to_string(), response)
}

/// What a problem of this status can be, as a list of codes and what each means.
fn codes_of(status: u16, reason: &str) -> String {
    let kinds = ProblemKind::ALL.iter().filter(|kind| kind.status() == status);
    let kinds = kinds.map(|kind| (kind.code(), kind.description()));
    // Violations are a status of their own.
    let violations = ViolationCode::ALL.iter().filter(|_| status == 422);
    let violations = violations.map(|code| (code.as_str(), code.description()));
    let lines =
        kinds.chain(violations).map(|(code, description)| format!("\n- `{code}`: {description}"));
    format!("{reason}. The `code` is one of:\n{}", lines.collect::<String>())
}
