//! Who calls: the validated token, as the rest of the service sees it.

use super::{Actor, BotClaim, ProjectClaim, Scheme, ScopeSet, TokenDigest};
use crate::blob::Sha256;
use crate::clock::Timestamp;
use crate::error::DomainError;
use crate::id::{BotId, IdempotentRequestId, OrganisationId, ProjectId, TokenId};
use crate::idempotency::{AnswerText, IdempotencyKey, IdempotentRequest};

/// A validated token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    pub(super) token_id: TokenId,
    pub(super) digest: TokenDigest,
    pub(super) scheme: Scheme,
    pub(super) name: String,
    pub(super) scopes: ScopeSet,
    pub(super) read_only: bool,
    pub(super) organisation_id: OrganisationId,
    pub(super) project_id: ProjectId,
    pub(super) bot_id: Option<BotId>,
    pub(super) created_at: Timestamp,
    pub(super) expires_at: Option<Timestamp>,
    pub(super) last_used_at: Option<Timestamp>,
}

impl Principal {
    /// The token's identifier.
    #[must_use]
    pub const fn token_id(&self) -> TokenId {
        self.token_id
    }

    /// SHA-256 of the token's text.
    pub(super) const fn digest(&self) -> TokenDigest {
        self.digest
    }

    /// The token's scheme.
    #[must_use]
    pub const fn scheme(&self) -> Scheme {
        self.scheme
    }

    /// The token's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the token allows.
    #[must_use]
    pub const fn scopes(&self) -> ScopeSet {
        self.scopes
    }

    /// Whether the token was minted for reading only.
    #[must_use]
    pub const fn read_only(&self) -> bool {
        self.read_only
    }

    /// The organisation that the token belongs to.
    #[must_use]
    pub const fn organisation_id(&self) -> OrganisationId {
        self.organisation_id
    }

    /// The project that the token belongs to.
    #[must_use]
    pub const fn project_id(&self) -> ProjectId {
        self.project_id
    }

    /// The bot that a bot token is bound to.
    #[must_use]
    pub const fn bot_id(&self) -> Option<BotId> {
        self.bot_id
    }

    /// When the token was minted.
    #[must_use]
    pub const fn created_at(&self) -> Timestamp {
        self.created_at
    }

    /// When the token ends, if it does.
    #[must_use]
    pub const fn expires_at(&self) -> Option<Timestamp> {
        self.expires_at
    }

    /// The last use that the database knows of.
    #[must_use]
    pub const fn last_used_at(&self) -> Option<Timestamp> {
        self.last_used_at
    }

    /// The actor that is recorded with a change.
    #[must_use]
    pub fn actor(&self) -> Actor {
        Actor { token_id: self.token_id, name: self.name.clone(), scheme: self.scheme }
    }

    /// Refuses a token that lacks one of these scopes, or that writes although it may only read.
    ///
    /// # Errors
    /// [`DomainError::MissingScope`] or [`DomainError::ReadOnlyToken`].
    pub fn allow(&self, scopes: ScopeSet, writes: bool) -> Result<(), DomainError> {
        if !self.scopes.contains(scopes) {
            return Err(DomainError::MissingScope(scopes));
        }
        if writes && self.read_only {
            return Err(DomainError::ReadOnlyToken);
        }
        Ok(())
    }

    /// The claim on the bot that a bot token is bound to; `None` for a project token.
    #[must_use]
    pub fn own_bot(&self) -> Option<BotClaim> {
        self.bot_id.map(|bot| self.claim(bot))
    }

    /// The claim of a project token on a bot that the caller named; `None` for a bot token. The
    /// claim says nothing about whether there is such a bot.
    #[must_use]
    pub fn bot_of_project(&self, bot: BotId) -> Option<BotClaim> {
        (self.scheme == Scheme::Project).then(|| self.claim(bot))
    }

    /// The claim of a project token on its project; `None` for a bot token.
    #[must_use]
    pub fn project(&self) -> Option<ProjectClaim> {
        (self.scheme == Scheme::Project)
            .then(|| ProjectClaim::at(self.organisation_id, self.project_id, Some(self.actor())))
    }

    /// An attempt at a request of this token with a key.
    pub(crate) fn attempt<T: 'static>(
        &self,
        id: IdempotentRequestId,
        request: (IdempotencyKey, Sha256),
        answer: impl Fn(&T) -> Option<AnswerText> + Send + Sync + 'static,
    ) -> IdempotentRequest {
        IdempotentRequest::new((self.project_id, self.token_id), request, id, answer)
    }

    /// The claim on a bot that the token need not reach otherwise: it was shown to it before.
    pub(crate) fn claim(&self, bot_id: BotId) -> BotClaim {
        BotClaim::at(self.organisation_id, self.project_id, bot_id, Some(self.actor()))
    }
}
