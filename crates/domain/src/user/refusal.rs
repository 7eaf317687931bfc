//! Why a user was not made or changed.

use std::fmt;

/// Why a user was not made or changed, of the reasons in `docs/api.md`, "Users".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserRefusal {
    /// There is no guestId, or it is empty.
    NoGuestId,
    /// Another user of the bot has this guestId.
    GuestIdTaken,
    /// Of several users that are stored at once, an earlier one has this guestId.
    GuestIdRepeated,
    /// The body names no user.
    NoUser,
    /// The bot has no such user.
    UnknownUser,
}

impl fmt::Display for UserRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoGuestId => "a user needs a guestId",
            Self::GuestIdTaken => "another user of the bot has this guestId",
            Self::GuestIdRepeated => "an earlier record has this guestId",
            Self::NoUser => "the body names no user",
            Self::UnknownUser => "the bot has no such user",
        })
    }
}
