//! What users think of messages.

use super::check::{check_created_at, check_text, check_word, stand_in};
use crate::body::{Body, Fields, Rules};
use crate::clock::Timestamp;
use crate::feedback::Rating;
use crate::violation::Violations;

/// New feedback.
///
/// As a line: `messageId` and `rating` are required, `createdAt` is now by default.
#[derive(Debug, Clone, PartialEq, Eq)]
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

impl NewFeedback {
    pub(super) fn check(&self, violations: &mut Violations) {
        check_word(violations, "messageId", &self.message_id);
        if let Some(user) = &self.user_id {
            check_word(violations, "userId", user);
        }
        let texts =
            [("comment", &self.comment), ("question", &self.question), ("answer", &self.answer)];
        for (member, text) in texts {
            check_text(violations, member, text.as_deref().unwrap_or_default());
        }
        check_created_at(violations, self.created_at);
    }
}

impl Body for NewFeedback {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        let feedback = Self {
            message_id: fields.required("messageId").unwrap_or_else(stand_in),
            user_id: fields.optional("userId"),
            rating: fields.required("rating").unwrap_or(Rating::None),
            comment: fields.optional("comment"),
            question: fields.optional("question"),
            answer: fields.optional("answer"),
            created_at: fields.optional("createdAt"),
        };
        fields.with_violations(|violations| feedback.check(violations));
        feedback
    }
}
