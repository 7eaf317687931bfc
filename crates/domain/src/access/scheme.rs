//! The two token schemes.

use serde::{Deserialize, Serialize};

/// The two token schemes (`docs/api.md`, "Tokens and scopes").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Scheme {
    /// A token bound to one bot.
    #[serde(rename = "APIKeyHeader")]
    Bot,
    /// A token bound to one project and all its bots.
    #[serde(rename = "APIKeyHeaderProject")]
    Project,
}

impl Scheme {
    /// The scheme's name in `docs/api.md`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bot => "APIKeyHeader",
            Self::Project => "APIKeyHeaderProject",
        }
    }

    /// How every token of this scheme begins.
    #[must_use]
    pub const fn token_prefix(self) -> &'static str {
        match self {
            Self::Bot => "byb_",
            Self::Project => "byp_",
        }
    }
}
