//! The answer to a request that never reached an operation.

use super::{Problem, ProblemKind};
use crate::connection::exchange::Refusal;

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let (kind, detail) = match refusal {
            Refusal::Malformed(fault) => {
                let detail = format!("The head of the request is malformed: {fault}.");
                return Self::new(ProblemKind::MalformedRequest, detail);
            }
            Refusal::TargetTooLong => {
                (ProblemKind::UriTooLong, "Path and query are longer than allowed.")
            }
            Refusal::TooLarge => (
                ProblemKind::HeadTooLarge,
                "A request must have at most 96 headers, which come to at most 24 KiB.",
            ),
            Refusal::TooSlow => (ProblemKind::TooSlow, "The head of the request came too slowly."),
        };
        Self::new(kind, detail)
    }
}
