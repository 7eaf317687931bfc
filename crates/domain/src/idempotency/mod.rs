//! Requests that take effect once, however often they are sent (`docs/api.md`, "Repeating requests").
//!
//! The answer to a request with a key is stored in the transaction of its effect, so that a process that ends at any
//! point has stored both or neither. A claim that was given an [`IdempotentRequest`] brings it to the unit of work, which
//! looks for an earlier attempt first, and stores the answer last. Work of several units has the key until a lease
//! ends, which each of them renews, so that the request can be carried out soon if the process ended.

mod key;
mod repository;
mod request;
mod service;

pub use key::IdempotencyKey;
pub use repository::{IdempotencyRepository, IdempotentOutcome, StoredRequest};
pub use request::{AnswerText, AnsweredBot, IdempotentRequest, StoredAnswer};
pub use service::{AnswerAgain, IdempotencyService};

use std::time::Duration;

/// For how long a request of several units has its key after each of them.
pub(crate) const LEASE: Duration = Duration::from_secs(60);
