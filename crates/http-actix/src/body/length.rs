//! How long a body is, and how it is encoded.

use actix_web::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap};

use crate::problem::{Problem, ProblemKind};

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
