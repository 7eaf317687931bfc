//! What users think of a bot's answers: message feedback (`docs/api.md`, "Feedback").

mod repository;
mod service;

pub use repository::FeedbackRepository;
pub use service::FeedbackService;

use crate::choice;
use crate::clock::{TimeRange, Timestamp};
use crate::id::{BotId, FeedbackId};

choice! {
    /// What a user thinks of an answer.
    Rating {
        Up "up",
        Down "down",
        None "none",
    }
}

choice! {
    /// The order of a list of feedback; what is of the same time is in the order of its identifiers, in the same
    /// direction.
    FeedbackOrder {
        OldestFirst "createdAt",
        NewestFirst "-createdAt",
    }
}

/// Which feedback is meant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FeedbackFilter {
    /// Only with this rating.
    pub rating: Option<Rating>,
    /// Only from these times.
    pub times: TimeRange,
}

/// What a user thinks of one message. It stays when the user goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Feedback {
    /// Its identifier.
    pub id: FeedbackId,
    /// The bot.
    pub bot_id: BotId,
    /// The message, as the chat runtime calls it: 1 to 256 bytes.
    pub message_id: String,
    /// The user's `_id`; `None` for one who is not known.
    pub user_id: Option<String>,
    /// What the client called the user at that time.
    pub guest_id: Option<String>,
    /// Up, down or neither.
    pub rating: Rating,
    /// What the user wrote about it.
    pub comment: Option<String>,
    /// What the user had asked.
    pub question: Option<String>,
    /// What the bot had answered.
    pub answer: Option<String>,
    /// When it was given.
    pub created_at: Timestamp,
}
