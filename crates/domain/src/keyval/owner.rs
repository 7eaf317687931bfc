//! Whose entries they are: a bot's or a project's. A token of the one scheme reaches the ones, a
//! token of the other the others.

use std::sync::Arc;

use uuid::Uuid;

use crate::access::{BotClaim, BotScope, ProjectClaim, ProjectScope};
use crate::id::{BotId, ProjectId};
use crate::idempotency::IdempotentRequest;
use crate::precondition::Precondition;

/// What a token says it may reach, not looked up yet.
#[derive(Debug, Clone)]
pub enum KeyvalClaim {
    /// The entries of a bot.
    Bot(BotClaim),
    /// The entries of a project itself.
    Project(ProjectClaim),
}

impl KeyvalClaim {
    /// The project of the owner, or that is the owner.
    #[must_use]
    pub const fn project_id(&self) -> ProjectId {
        match self {
            Self::Bot(claim) => claim.project_id(),
            Self::Project(claim) => claim.project_id(),
        }
    }

    /// As [`BotClaim::only_if`].
    #[must_use]
    pub fn only_if(self, precondition: Precondition) -> Self {
        match self {
            Self::Bot(claim) => Self::Bot(claim.only_if(precondition)),
            Self::Project(claim) => Self::Project(claim.only_if(precondition)),
        }
    }

    /// As [`BotClaim::once`].
    #[must_use]
    pub fn once(self, request: Arc<IdempotentRequest>) -> Self {
        match self {
            Self::Bot(claim) => Self::Bot(claim.once(request)),
            Self::Project(claim) => Self::Project(claim.once(request)),
        }
    }

    /// The request that is carried out once, if the change has a key.
    pub(crate) const fn idempotent(&self) -> Option<&Arc<IdempotentRequest>> {
        match self {
            Self::Bot(claim) => claim.idempotent(),
            Self::Project(claim) => claim.idempotent(),
        }
    }

    /// The bot, if the entries are those of one.
    pub(crate) fn bot_id(&self) -> Option<BotId> {
        match self {
            Self::Bot(claim) => Some(claim.bot_id()),
            Self::Project(_) => None,
        }
    }

    /// Under which precondition a change takes place, if any.
    pub(crate) const fn precondition(&self) -> Option<&Arc<Precondition>> {
        match self {
            Self::Bot(claim) => claim.precondition(),
            Self::Project(claim) => claim.precondition(),
        }
    }
}

/// The right to the entries of one owner, given by looking the owner up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyvalScope {
    project_id: ProjectId,
    bot_id: Option<BotId>,
}

impl KeyvalScope {
    /// The project of the owner, or that is the owner.
    #[must_use]
    pub const fn project_id(&self) -> ProjectId {
        self.project_id
    }

    /// The bot, if the owner is one.
    #[must_use]
    pub const fn bot_id(&self) -> Option<BotId> {
        self.bot_id
    }

    /// The owner's own identifier.
    #[must_use]
    pub fn owner_id(&self) -> Uuid {
        self.bot_id.map_or_else(|| self.project_id.uuid(), BotId::uuid)
    }
}

impl From<&BotScope> for KeyvalScope {
    fn from(scope: &BotScope) -> Self {
        Self { project_id: scope.project_id(), bot_id: Some(scope.bot_id()) }
    }
}

impl From<&ProjectScope> for KeyvalScope {
    fn from(scope: &ProjectScope) -> Self {
        Self { project_id: scope.project_id(), bot_id: None }
    }
}

#[cfg(test)]
impl KeyvalScope {
    /// The right to the entries of a project that was not looked up.
    pub(super) const fn sample(project_id: ProjectId) -> Self {
        Self { project_id, bot_id: None }
    }
}
