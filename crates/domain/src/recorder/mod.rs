//! What a chat runtime writes: it has no endpoint, and comes through a service that embeds this crate,
//! or as lines of a file (see [`crate::import`]).
//!
//! A [`Record`] is one thing to write. Each kind has a struct with the members of a line, and becomes a
//! record by `try_into`, which checks it as a line is checked.

mod batch;
mod check;
mod feedback;
mod history;
mod keyval;
mod service;
#[cfg(test)]
mod tests;
mod usage;
mod user;

pub use crate::visual_block::NewVisualBlock;
pub(crate) use batch::{put_entries, write_records};
pub use feedback::NewFeedback;
pub use history::NewHistoryItem;
pub use keyval::NewEntry;
pub use service::RecorderService;
pub use usage::NewUsage;
pub use user::NewUser;

use crate::id::UserId;
use crate::input::{Input as _, InputSettings, Valid};
use crate::violation::Violations;

/// One thing to write.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// An item of a user's history. A message of the user's own counts as one in the user's stats.
    History(Valid<NewHistoryItem>),
    /// Something to add to the usage of a day.
    Usage(Valid<NewUsage>),
    /// What a user thinks of a message.
    Feedback(Valid<NewFeedback>),
    /// A key-value entry, which may be a permanent one. It replaces the one at its address.
    Entry(Valid<NewEntry>),
    /// A new user.
    User(Valid<NewUser>),
    /// A visual block. It replaces the one of its name.
    VisualBlock(Valid<NewVisualBlock>),
    /// Tokens that were used for a user, to be counted in the user's stats.
    Tokens(UsedTokens),
}

/// Tokens that were used for a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsedTokens {
    /// The user.
    pub user_id: UserId,
    /// How many.
    pub tokens: u64,
}

macro_rules! records {
    ($($kind:ident $variant:ident,)+) => {$(
        impl From<Valid<$kind>> for Record {
            fn from(record: Valid<$kind>) -> Self {
                Self::$variant(record)
            }
        }

        impl TryFrom<$kind> for Record {
            type Error = Violations;

            /// No setting decides on a record.
            fn try_from(record: $kind) -> Result<Self, Violations> {
                record.check(&InputSettings::default()).map(Self::$variant)
            }
        }
    )+};
}

records! {
    NewHistoryItem History,
    NewUsage Usage,
    NewFeedback Feedback,
    NewEntry Entry,
    NewUser User,
    NewVisualBlock VisualBlock,
}

impl From<UsedTokens> for Record {
    fn from(used: UsedTokens) -> Self {
        Self::Tokens(used)
    }
}

impl Record {
    /// The key-value entry, if it is one.
    pub(crate) fn as_entry(&self) -> Option<&NewEntry> {
        match self {
            Self::Entry(entry) => Some(entry),
            Self::History(_)
            | Self::Usage(_)
            | Self::Feedback(_)
            | Self::User(_)
            | Self::VisualBlock(_)
            | Self::Tokens(_) => None,
        }
    }

    /// The user with whose history or stats it has to do.
    fn counts_for(&self) -> Option<UserId> {
        match self {
            Self::History(item) => Some(item.user_id),
            Self::Tokens(used) => Some(used.user_id),
            Self::Usage(_)
            | Self::Feedback(_)
            | Self::Entry(_)
            | Self::User(_)
            | Self::VisualBlock(_) => None,
        }
    }
}
