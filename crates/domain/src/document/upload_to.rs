//! What an upload goes to.

use std::sync::Arc;

use crate::access::{BotClaim, BotScope, ProjectClaim, ProjectScope};
use crate::blob::BlobOwner;
use crate::error::DomainError;
use crate::id::{BotId, ProjectId};
use crate::idempotency::IdempotentRequest;
use crate::lock::Lock;
use crate::precondition::Precondition;
use crate::store::Repositories;

/// Where an upload goes.
#[derive(Debug, Clone)]
pub enum UploadTo {
    /// To a project.
    Project(ProjectClaim),
    /// To a bot, and to its project.
    Bot(BotClaim),
}

impl UploadTo {
    /// Whether it is there.
    pub(super) fn look_up(&self, tx: &mut dyn Repositories) -> Result<(), DomainError> {
        self.resolve_owner(tx, Lock::None).map(|_| ())
    }
}

/// The right to what an upload goes to.
pub(crate) enum UploadScope {
    Project(ProjectScope),
    Bot(BotScope),
}

impl UploadScope {
    pub(super) fn bot_id(&self) -> Option<BotId> {
        match self {
            Self::Project(_) => None,
            Self::Bot(scope) => Some(scope.bot_id()),
        }
    }
}

impl BlobOwner for UploadTo {
    type Scope = UploadScope;

    fn project_id(&self) -> ProjectId {
        match self {
            Self::Project(claim) => claim.project_id(),
            Self::Bot(claim) => claim.project_id(),
        }
    }

    fn resolve_owner(
        &self,
        tx: &mut dyn Repositories,
        lock: Lock,
    ) -> Result<UploadScope, DomainError> {
        Ok(match self {
            // It is locked later on, after the bot if there is one.
            Self::Project(claim) => UploadScope::Project(claim.resolve(tx, Lock::None)?.1),
            Self::Bot(claim) => UploadScope::Bot(claim.scope(tx, lock)?),
        })
    }

    fn precondition(&self) -> Option<&Arc<Precondition>> {
        match self {
            Self::Project(claim) => claim.precondition(),
            Self::Bot(claim) => claim.precondition(),
        }
    }

    fn idempotent(&self) -> Option<&Arc<IdempotentRequest>> {
        match self {
            Self::Project(claim) => claim.idempotent(),
            Self::Bot(claim) => claim.idempotent(),
        }
    }

    fn bot_id(&self) -> Option<BotId> {
        match self {
            Self::Project(_) => None,
            Self::Bot(claim) => Some(claim.bot_id()),
        }
    }

    fn project(scope: &UploadScope) -> ProjectScope {
        match scope {
            UploadScope::Project(scope) => scope.clone(),
            UploadScope::Bot(scope) => scope.project(),
        }
    }
}
