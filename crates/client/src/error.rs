//! Why a request has no result.

use std::fmt;
use std::time::Duration;

use crate::shared::Problem;

/// The result of a request.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request has no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server refused the request, or could not do it.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// There was no answer, or not a whole one. Whether the request had an effect is not known.
    #[error("no answer from the server")]
    Connection(#[source] reqwest::Error),
    /// The request, or the client, can't be made. Nothing was sent.
    #[error("the request can't be made")]
    Request(#[source] reqwest::Error),
    /// An answer that is none of this API, for example of a proxy.
    #[error("the answer with status {status} is not one of the API")]
    Answer {
        /// The status of the answer.
        status: u16,
        /// What is wrong with its body.
        source: serde_json::Error,
    },
    /// The body of the request can't be written as JSON.
    #[error("the body can't be written as JSON")]
    Body(#[source] serde_json::Error),
    /// The address of the server can't be read.
    #[error("the address of the server must be an absolute http or https URL")]
    Address,
    /// The token has characters that no token has.
    #[error("the token has characters that no token has")]
    Token,
    /// A name that no URL can have as a part of its path: an empty one, `.` or `..`. Nothing was sent.
    #[error("{0:?} can't be a part of a path")]
    Path(String),
}

impl From<reqwest::Error> for Error {
    fn from(error: reqwest::Error) -> Self {
        if error.is_builder() { Self::Request(error) } else { Self::Connection(error) }
    }
}

/// What the server said when it refused a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The body of the answer.
    pub problem: Problem,
    /// After what time it makes sense to send the request again, if the server said so (429 and 503).
    pub retry_after: Option<Duration>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.problem.detail, self.problem.code)?;
        match self.problem.errors.as_deref() {
            // The detail says the same of one.
            None | Some([] | [_]) => Ok(()),
            Some(errors) => errors
                .iter()
                .try_for_each(|error| write!(f, "\n{}: {}", error.pointer, error.message)),
        }
    }
}
