//! What operations take as their bodies, and reading one whole: bounded, and only after token, scope
//! and parent were checked.

use std::sync::Arc;

use actix_web::HttpRequest;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};
use bytes::{Bytes, BytesMut};
use domain::body::{Body, FieldDoc, Rules};
use domain::fault::{Fault, FaultCode, Faults};
use serde_json::Value;

use crate::body_stream::BodyStream;
use crate::form::{self, FormSpec};
use crate::options::HttpLimits;
use crate::problem::{Problem, ProblemKind};
use crate::state::AppState;

/// A body of the domain as it comes by HTTP.
pub trait HttpBody: Body {
    /// How large it may be.
    const SIZE: BodySize;

    /// A body that this operation takes, for the API document and the tests.
    fn example() -> Value;
}

/// Which limit applies to a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodySize {
    /// `limits.json_body`
    Json,
    /// `limits.bot_body`
    Bot,
    /// `limits.metadata_body`
    Metadata,
    /// `limits.keyval_body`
    Keyval,
}

impl BodySize {
    /// The limit in bytes.
    #[must_use]
    pub const fn bytes(self, limits: &HttpLimits) -> usize {
        match self {
            Self::Json => limits.json_body,
            Self::Bot => limits.bot_body,
            Self::Metadata => limits.metadata_body,
            Self::Keyval => limits.keyval_body,
        }
    }
}

/// What a handler takes as its body.
pub trait TakesBody: Sized + 'static {
    /// What the table of operations says of it; `None` for an operation without a body.
    fn spec() -> Option<BodySpec>;

    /// Reads the body and makes of it what the handler gets, or leaves reading it to the handler.
    ///
    /// # Errors
    /// A problem if it can't be read; all that is wrong with it if it can.
    fn take(unread: Unread<'_>) -> impl Future<Output = Result<Result<Self, Faults>, Problem>>;
}

/// A body that nobody has read yet, and what it takes to read it.
pub struct Unread<'a> {
    pub(crate) state: &'a Arc<AppState>,
    pub(crate) request: &'a HttpRequest,
    pub(crate) stream: BodyStream,
}

/// What the table of operations says of a body.
#[derive(Clone)]
pub enum BodySpec {
    /// A JSON object.
    Json(JsonSpec),
    /// A form with a file (`multipart/form-data`).
    Form(FormSpec),
}

impl BodySpec {
    /// Whether leaving it out is an error.
    #[must_use]
    pub const fn is_required(&self) -> bool {
        match self {
            Self::Json(json) => json.required,
            Self::Form(_) => true,
        }
    }

    /// Its members, or the fields beside its file.
    #[must_use]
    pub fn fields(&self, rules: &Rules) -> Vec<FieldDoc> {
        match self {
            Self::Json(json) => (json.describe)(rules),
            Self::Form(form) => (form.texts)(rules),
        }
    }
}

/// What the table of operations says of a JSON object.
#[derive(Clone)]
pub struct JsonSpec {
    /// Whether leaving it out is an error.
    pub required: bool,
    /// Which limit applies.
    pub size: BodySize,
    /// Its members.
    pub describe: fn(&Rules) -> Vec<FieldDoc>,
    /// A body that is accepted.
    pub example: fn() -> Value,
}

impl JsonSpec {
    fn of<T: HttpBody>(required: bool) -> Self {
        Self { required, size: T::SIZE, describe: T::describe, example: T::example }
    }
}

/// No body: what comes is not read.
pub struct NoBody;

impl TakesBody for NoBody {
    fn spec() -> Option<BodySpec> {
        None
    }

    async fn take(_: Unread<'_>) -> Result<Result<Self, Faults>, Problem> {
        Ok(Ok(Self))
    }
}

/// A body that must be there.
pub struct Json<T>(pub T);

impl<T: HttpBody> TakesBody for Json<T> {
    fn spec() -> Option<BodySpec> {
        Some(BodySpec::Json(JsonSpec::of::<T>(true)))
    }

    async fn take(unread: Unread<'_>) -> Result<Result<Self, Faults>, Problem> {
        let bytes = unread.whole(T::SIZE).await?;
        Ok(unread.parse(bytes).await?.map(Self))
    }
}

/// A body that may be missing, which is the same as `{}`.
pub struct JsonOrNothing<T>(pub T);

impl<T: HttpBody> TakesBody for JsonOrNothing<T> {
    fn spec() -> Option<BodySpec> {
        Some(BodySpec::Json(JsonSpec::of::<T>(false)))
    }

    async fn take(unread: Unread<'_>) -> Result<Result<Self, Faults>, Problem> {
        let mut bytes = unread.whole(T::SIZE).await?;
        if bytes.is_empty() {
            bytes = Bytes::from_static(b"{}");
        }
        Ok(unread.parse(bytes).await?.map(Self))
    }
}

impl Unread<'_> {
    /// Parses the body. Of a form it is told that it is one, but not of JSON with a fault that is only
    /// called a form, as some clients call all that they send.
    async fn parse<T: Body>(&self, bytes: Bytes) -> Result<Result<T, Faults>, Problem> {
        let start = bytes.trim_ascii_start();
        let is_form = form::announces_form(self.request.headers())
            && !(start.is_empty() || start.starts_with(b"{"));
        let parsed = self.state.parse(bytes).await?;
        Ok(parsed.map_err(|faults| {
            let is_malformed = |fault: &&Fault| fault.code == FaultCode::MalformedJson;
            let malformed = faults.iter().find(is_malformed).filter(|_| is_form).cloned();
            malformed.map_or(faults, |fault| {
                let message = format!("{} This operation takes JSON, not a form.", fault.message);
                Faults::one(fault.pointer, fault.code, message)
            })
        }))
    }

    /// Reads the body whole.
    ///
    /// # Errors
    /// 413 as soon as it is known to be too large, 415 for a compressed one, 400 for one that breaks
    /// off.
    async fn whole(&self, size: BodySize) -> Result<Bytes, Problem> {
        let limit = size.bytes(&self.state.options.limits);
        let headers = self.request.headers();
        refuse_encoded(headers)?;
        if announced_length(headers).is_some_and(|length| length > limit as u64) {
            return Err(too_large(limit as u64));
        }
        // Also where the operation may take its time, the client may not.
        let reading =
            tokio::time::timeout(self.state.options.limits.handler_timeout, self.bytes(limit));
        reading.await.map_err(|_| Problem::timeout())?
    }

    async fn bytes(&self, limit: usize) -> Result<Bytes, Problem> {
        let mut whole: Option<Bytes> = None;
        let mut joined = BytesMut::new();
        while let Some(chunk) = self.stream.next().await? {
            let so_far = whole.as_ref().map_or(joined.len(), Bytes::len);
            if so_far + chunk.len() > limit {
                return Err(too_large(limit as u64));
            }
            // Most bodies come in one piece, which then need not be copied.
            match whole.take() {
                None if joined.is_empty() => whole = Some(chunk),
                None => joined.extend_from_slice(&chunk),
                Some(first) => {
                    joined.extend_from_slice(&first);
                    joined.extend_from_slice(&chunk);
                }
            }
        }
        Ok(whole.unwrap_or_else(|| joined.freeze()))
    }
}

/// Refuses a body that is not sent as it is.
///
/// # Errors
/// 415 for a compressed one.
pub fn refuse_encoded(headers: &HeaderMap) -> Result<(), Problem> {
    let mut encodings = headers.get_all(CONTENT_ENCODING);
    if encodings.any(|one| !one.as_bytes().eq_ignore_ascii_case(b"identity")) {
        let detail = "Request bodies are taken as they are, without a Content-Encoding.";
        return Err(Problem::new(ProblemKind::UnsupportedContentEncoding, detail));
    }
    Ok(())
}

/// How long the body is, if the request says so.
#[must_use]
pub fn announced_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// The answer to a body of more bytes than that.
#[must_use]
pub fn too_large(limit: u64) -> Problem {
    let detail = format!("The body is larger than the {limit} bytes that this operation takes.");
    Problem::new(ProblemKind::BodyTooLarge, detail)
}

/// The answer to a part of a body, such as a file, of more bytes than that.
#[must_use]
pub fn part_too_large(part: &str, limit: u64) -> Problem {
    let detail = format!("{part} is larger than the {limit} bytes that it may have.");
    Problem::new(ProblemKind::BodyTooLarge, detail)
}
