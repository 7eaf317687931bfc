//! The two token schemes.

use crate::choice;

choice! {
    /// Whether a token is bound to one bot, or to one project and all its bots.
    Scheme {
        Bot "APIKeyHeader",
        Project "APIKeyHeaderProject",
    }
}

impl Scheme {
    /// How every token of this scheme begins.
    #[must_use]
    pub const fn token_prefix(self) -> &'static str {
        match self {
            Self::Bot => "byb_",
            Self::Project => "byp_",
        }
    }
}
