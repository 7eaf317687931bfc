//! Reading a request body: bounded, whole, and only after token, scope and parent were checked.

use actix_web::dev::Payload;
use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap, TRANSFER_ENCODING};
use bytes::{Bytes, BytesMut};
use domain::body::{Body, FieldDoc, Rules};
use domain::fault::Faults;
use futures_util::StreamExt;
use serde_json::Value;

use crate::options::HttpLimits;
use crate::problem::{Problem, ProblemKind};

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
}

impl BodySize {
    /// The limit in bytes.
    #[must_use]
    pub const fn bytes(self, limits: &HttpLimits) -> usize {
        match self {
            Self::Json => limits.json_body,
            Self::Bot => limits.bot_body,
        }
    }
}

/// What a handler takes as its body.
pub trait TakesBody: Sized + Send + 'static {
    /// What the table of operations says of it; `None` for an operation without a body.
    fn spec() -> Option<BodySpec>;

    /// Makes the body of the bytes that came.
    ///
    /// # Errors
    /// All that is wrong with it.
    fn parse(bytes: &[u8], rules: &Rules) -> Result<Self, Faults>;
}

/// What the table of operations says of a body.
#[derive(Clone)]
pub struct BodySpec {
    /// Whether leaving it out is an error.
    pub required: bool,
    /// Which limit applies.
    pub size: BodySize,
    /// Its members.
    pub describe: fn(&Rules) -> Vec<FieldDoc>,
    /// A body that is accepted.
    pub example: fn() -> Value,
}

/// No body: what comes is not read.
pub struct NoBody;

impl TakesBody for NoBody {
    fn spec() -> Option<BodySpec> {
        None
    }

    fn parse(_: &[u8], _: &Rules) -> Result<Self, Faults> {
        Ok(Self)
    }
}

/// A body that must be there.
pub struct Json<T>(pub T);

impl<T: HttpBody> TakesBody for Json<T> {
    fn spec() -> Option<BodySpec> {
        let (describe, example) = (T::describe, T::example);
        Some(BodySpec { required: true, size: T::SIZE, describe, example })
    }

    fn parse(bytes: &[u8], rules: &Rules) -> Result<Self, Faults> {
        T::parse(bytes, rules).map(Self)
    }
}

/// A body that may be missing, which is the same as `{}`.
pub struct JsonOrNothing<T>(pub T);

impl<T: HttpBody> TakesBody for JsonOrNothing<T> {
    fn spec() -> Option<BodySpec> {
        let (describe, example) = (T::describe, T::example);
        Some(BodySpec { required: false, size: T::SIZE, describe, example })
    }

    fn parse(bytes: &[u8], rules: &Rules) -> Result<Self, Faults> {
        T::parse(if bytes.is_empty() { b"{}" } else { bytes }, rules).map(Self)
    }
}

/// Whether the request announces a body at all.
#[must_use]
pub fn is_announced(headers: &HeaderMap) -> bool {
    headers.contains_key(TRANSFER_ENCODING)
        || headers.get(CONTENT_LENGTH).is_some_and(|length| length.as_bytes() != b"0")
}

/// Reads a body whole.
///
/// # Errors
/// 413 as soon as it is known to be too large, 415 for a compressed one, 400 for one that breaks off.
pub async fn read(
    headers: &HeaderMap,
    payload: &mut Payload,
    limit: usize,
) -> Result<Bytes, Problem> {
    let encodings = headers.get_all(CONTENT_ENCODING);
    if encodings.into_iter().any(|one| !one.as_bytes().eq_ignore_ascii_case(b"identity")) {
        let detail = "Request bodies are taken as they are, without a Content-Encoding.";
        return Err(Problem::new(ProblemKind::UnsupportedContentEncoding, detail));
    }
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok());
    let announced = announced.and_then(|length| length.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit as u64) {
        return Err(too_large(limit));
    }
    let mut whole: Option<Bytes> = None;
    let mut joined = BytesMut::new();
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|error| {
            let problem = Problem::new(ProblemKind::BrokenBody, "The body ended early.");
            tracing::debug!(%error, "a request body broke off");
            problem
        })?;
        let so_far = whole.as_ref().map_or(joined.len(), Bytes::len);
        if so_far + chunk.len() > limit {
            return Err(too_large(limit));
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

fn too_large(limit: usize) -> Problem {
    let detail = format!("The body is larger than the {limit} bytes that this operation takes.");
    Problem::new(ProblemKind::BodyTooLarge, detail)
}
