//! What users think of messages.

use serde::Serialize;

use super::check::{created_at, stand_in, word};
use crate::clock::Timestamp;
use crate::feedback::Rating;
use crate::input::{Field, Fields, Input};

/// New feedback.
///
/// As a line: `messageId` and `rating` are required, `createdAt` is now by default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewFeedback {
    /// `messageId`: 1 to 256 bytes.
    pub message_id: String,
    /// `userId`: the user's `_id`, 1 to 256 bytes. Feedback outlives its user, so it may name one who
    /// is not there; for one who is, the guestId is kept as it is now.
    pub user_id: Option<String>,
    /// `rating`
    pub rating: Rating,
    /// `comment`: at most 1 MiB, as the two texts after it.
    pub comment: Option<String>,
    /// `question`
    pub question: Option<String>,
    /// `answer`
    pub answer: Option<String>,
    /// `createdAt`; `None` for now.
    pub created_at: Option<Timestamp>,
}

impl Input for NewFeedback {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            message_id: fields.required(word("messageId")).unwrap_or_else(stand_in),
            user_id: fields.optional(word("userId")),
            rating: fields.required(Field::new("rating")).unwrap_or(Rating::None),
            comment: fields.optional(Field::new("comment")),
            question: fields.optional(Field::new("question")),
            answer: fields.optional(Field::new("answer")),
            created_at: created_at(fields),
        }
    }
}
