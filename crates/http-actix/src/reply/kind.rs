//! What the API document says of an answer, and how it is made.

use actix_web::HttpResponse;
use actix_web::http::header::HeaderValue;
use domain::idempotency::AnswerText;
use utoipa::openapi::{RefOr, Schema};

use super::request_head::RequestHead;
use crate::problem::Problem;

pub(crate) const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");
pub(super) const CSV: HeaderValue =
    HeaderValue::from_static("text/csv; charset=utf-8; header=present");

/// What the API document says of a 200.
#[derive(Clone, Copy)]
pub struct ReplySchema {
    /// The schema of the body.
    pub body: fn() -> RefOr<Schema>,
    /// Collects the schemas to which the body refers.
    pub components: fn(&mut Vec<(String, RefOr<Schema>)>),
    /// What kind of body it is.
    pub kind: ReplyKind,
}

/// What kind of body an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyKind {
    /// JSON.
    Value,
    /// JSON that shows a thing with an entity tag, or `null` if there is none.
    Tagged,
    /// A JSON array that can be read page by page.
    List,
    /// A JSON array of what has happened, which goes on.
    Feed,
    /// Server-sent events, without an end.
    EventStream,
    /// A list, or a table in CSV.
    TabularList,
    /// The bytes of a file, of which a part can be asked for.
    File,
}

/// An answer to a change, which is JSON and can be stored.
pub trait StorableReply: Reply {
    /// The answer as it goes out, and is stored.
    ///
    /// # Errors
    /// A value that can't be written as JSON, which is a defect.
    fn into_text(self) -> Result<AnswerText, Problem>;
}

/// An answer of status 200.
pub trait Reply {
    /// What the API document says of it.
    fn schema() -> ReplySchema;

    /// Makes the response.
    ///
    /// # Errors
    /// A value that can't be written as JSON, which is a defect.
    fn respond(self, at: &RequestHead) -> Result<HttpResponse, Problem>;
}
