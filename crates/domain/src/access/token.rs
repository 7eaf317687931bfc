//! Tokens as they are stored: everything but the secret text.

use super::{Principal, Scheme, ScopeSet, TokenDigest};
use crate::clock::Timestamp;
use crate::id::{BotId, OrganisationId, ProjectId, TokenId};

/// What a token is bound to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenOwner {
    /// One bot.
    Bot(BotId),
    /// A project and all its bots.
    Project,
}

impl TokenOwner {
    /// The scheme in which such a token is presented.
    #[must_use]
    pub const fn scheme(self) -> Scheme {
        match self {
            Self::Bot(_) => Scheme::Bot,
            Self::Project => Scheme::Project,
        }
    }

    /// The bot, for a bot token.
    #[must_use]
    pub const fn bot_id(self) -> Option<BotId> {
        match self {
            Self::Bot(id) => Some(id),
            Self::Project => None,
        }
    }
}

/// A token as it is stored. It goes away together with its bot or project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its identifier.
    pub id: TokenId,
    /// The organisation of its project.
    pub organisation_id: OrganisationId,
    /// Its project.
    pub project_id: ProjectId,
    /// What it is bound to.
    pub owner: TokenOwner,
    /// SHA-256 of its text.
    pub digest: TokenDigest,
    /// The last four characters of its text.
    pub last_four: String,
    /// What a person calls it.
    pub name: String,
    /// What it allows.
    pub scopes: ScopeSet,
    /// Whether every write is refused.
    pub read_only: bool,
    /// When it was minted.
    pub created_at: Timestamp,
    /// When it ends, if it does.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<Timestamp>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
}

impl Token {
    /// The text with all but its prefix and its last four characters masked: `byb_****3f9a`.
    #[must_use]
    pub fn masked(&self) -> String {
        format!("{}****{}", self.owner.scheme().token_prefix(), self.last_four)
    }

    /// Whether the token opens anything at this time. The one rule for every way in; that the
    /// token's project and bot still exist is part of finding it.
    #[must_use]
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && self.expires_at.is_none_or(|end| now < end)
    }

    /// The principal that this token makes of its bearer.
    #[must_use]
    pub(super) fn into_principal(self) -> Principal {
        Principal {
            token_id: self.id,
            digest: self.digest,
            scheme: self.owner.scheme(),
            name: self.name,
            scopes: self.scopes,
            read_only: self.read_only,
            organisation_id: self.organisation_id,
            project_id: self.project_id,
            bot_id: self.owner.bot_id(),
            created_at: self.created_at,
            expires_at: self.expires_at,
            last_used_at: self.last_used_at,
        }
    }
}
