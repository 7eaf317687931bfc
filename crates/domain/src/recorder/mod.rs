//! What a chat runtime writes: it has no endpoint, and comes through a service that embeds this crate,
//! or as lines of a file (see [`crate::import`]).
//!
//! A [`Record`] is one thing to write. Each kind has a struct with the members of a line, and one
//! check for both ways in.

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
mod visual_block;

pub use feedback::NewFeedback;
pub use history::NewHistoryItem;
pub use keyval::NewEntry;
pub use service::RecorderService;
pub use usage::NewUsage;
pub use user::NewUser;
pub use visual_block::NewVisualBlock;

use crate::id::UserId;
use crate::violation::Violations;

/// One thing to write.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// An item of a user's history. A message of the user's own counts as one in the user's stats.
    History(NewHistoryItem),
    /// Something to add to the usage of a day.
    Usage(NewUsage),
    /// What a user thinks of a message.
    Feedback(NewFeedback),
    /// A key-value entry, which may be a permanent one. It replaces the one at its address.
    Entry(NewEntry),
    /// A new user.
    User(NewUser),
    /// A visual block. It replaces the one of its name.
    VisualBlock(NewVisualBlock),
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
        impl From<$kind> for Record {
            fn from(record: $kind) -> Self {
                Self::$variant(record)
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
    UsedTokens Tokens,
}

impl Record {
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

    /// Checks what can be seen without the database.
    ///
    /// # Errors
    /// All that is wrong with it; pointers are those of its line.
    pub fn check(&self) -> Result<(), Violations> {
        let mut violations = Violations::none();
        match self {
            Self::History(item) => item.check(&mut violations),
            Self::Usage(usage) => usage.check(&mut violations),
            Self::Feedback(feedback) => feedback.check(&mut violations),
            Self::Entry(entry) => entry.check(&mut violations),
            Self::User(user) => user.check(&mut violations),
            Self::VisualBlock(block) => block.check(&mut violations),
            Self::Tokens(_) => {}
        }
        violations.into_result(())
    }
}
