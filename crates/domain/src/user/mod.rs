//! The users of a bot (`docs/api.md`, "Users"), and who of them a supervisor may look at.

mod body;
mod job;
mod list;
mod refusal;
mod repository;
mod service;

pub use body::{CreateUser, DeleteUsers, ResetStats, USER_IDS_MAX, UpdateUser};
pub use job::REMOVE_USERS;
pub(crate) use job::RemoveUsers;
pub use refusal::UserRefusal;
pub use repository::{BotOfOrganisation, UserRepository};
pub use service::UserService;

use serde::Serialize;

use crate::clock::Timestamp;
use crate::entity_tag::{EntityTag, Tagged};
use crate::free_fields::FreeFields;
use crate::id::{BotId, UserId};

/// How many bytes a guestId has at most.
pub const GUEST_ID_MAX: usize = 256;

/// A user of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// The user's identifier.
    pub id: UserId,
    /// The bot.
    pub bot_id: BotId,
    /// What the client calls the user: 1 to 256 bytes, unique in the bot.
    pub guest_id: String,
    /// What else is kept of the user.
    pub fields: FreeFields,
    /// What the user has used.
    pub stats: UserStats,
    /// When the user came.
    pub created_at: Timestamp,
    /// When the user was changed last, by whatever but use.
    pub updated_at: Timestamp,
}

impl Tagged for User {
    fn entity_tag(&self) -> EntityTag {
        let Self { id, bot_id, guest_id, fields, stats, created_at, updated_at } = self;
        EntityTag::of(&(id, bot_id, guest_id, fields, stats, created_at, updated_at))
    }
}

/// What a user has used since the last reset. As JSON it is what clients see of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserStats {
    /// Messages that the user wrote.
    pub messages: u64,
    /// Tokens that were used for the user.
    pub tokens: u64,
    /// When the user wrote last; `None` for never.
    pub last_active_at: Option<Timestamp>,
    /// When the numbers were set to 0 last; `None` for never.
    pub reset_at: Option<Timestamp>,
}
