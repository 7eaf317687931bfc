//! What was said to and by a bot, and the part of it that a supervisor may read: supervisor chats
//! (`docs/api.md`, "Supervisor").

mod repository;
mod service;

pub use repository::HistoryRepository;
pub use service::SupervisorService;

use crate::choice;
use crate::clock::Timestamp;
use crate::id::{BotId, HistoryItemId, UserId};

choice! {
    /// Who said it.
    Role {
        User "user",
        Assistant "assistant",
        Supervisor "supervisor",
        System "system",
    }

    /// What it is.
    HistoryKind {
        Message "message",
        SocketEvent "socketEvent",
    }
}

/// An item of a user's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryItem {
    /// Its identifier.
    pub id: HistoryItemId,
    /// The bot.
    pub bot_id: BotId,
    /// The user.
    pub user_id: UserId,
    /// Who said it.
    pub role: Role,
    /// What it is.
    pub kind: HistoryKind,
    /// Whether a supervisor may read it.
    pub supervisor_enabled: bool,
    /// What was said; up to 1 MiB.
    pub text: String,
    /// When it was recorded.
    pub created_at: Timestamp,
}

impl HistoryItem {
    /// Whether it is part of a supervisor chat.
    #[must_use]
    pub fn is_in_chat(&self) -> bool {
        self.supervisor_enabled && self.kind == HistoryKind::Message
    }
}

/// What a supervisor may read of one user; its items are read page by page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SupervisorChat {
    /// The user.
    pub user_id: UserId,
    /// What the client calls the user.
    pub guest_id: String,
    /// When the latest item was written; `None` if there is no item.
    pub last_at: Option<Timestamp>,
}
