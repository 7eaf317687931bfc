//! A bot or a project, where the same is done with either.

use super::conditions::{Conditional, Conditions};
use super::{Actor, BotClaim, BotScope, InProject, ProjectClaim, ProjectScope};
use crate::id::{BotId, ProjectId};

/// A claim to what has something: a bot, or a project itself.
#[derive(Debug, Clone)]
pub enum OwnerClaim {
    /// A bot.
    Bot(BotClaim),
    /// A project itself.
    Project(ProjectClaim),
}

impl OwnerClaim {
    /// The project of the owner, or that is the owner.
    #[must_use]
    pub const fn project_id(&self) -> ProjectId {
        match self {
            Self::Bot(claim) => claim.project_id(),
            Self::Project(claim) => claim.project_id(),
        }
    }

    /// The claim on the project of the owner, or that is the owner.
    pub(crate) fn project(&self) -> ProjectClaim {
        match self {
            Self::Bot(claim) => claim.project(),
            Self::Project(claim) => claim.clone(),
        }
    }
}

impl From<BotClaim> for OwnerClaim {
    fn from(claim: BotClaim) -> Self {
        Self::Bot(claim)
    }
}

impl From<ProjectClaim> for OwnerClaim {
    fn from(claim: ProjectClaim) -> Self {
        Self::Project(claim)
    }
}

impl Conditional for OwnerClaim {
    fn conditions(&self) -> &Conditions {
        match self {
            Self::Bot(claim) => claim.conditions(),
            Self::Project(claim) => claim.conditions(),
        }
    }

    fn conditions_mut(&mut self) -> &mut Conditions {
        match self {
            Self::Bot(claim) => claim.conditions_mut(),
            Self::Project(claim) => claim.conditions_mut(),
        }
    }
}

/// The right to what an owner has, given by looking the owner up.
#[derive(Debug, Clone)]
pub(crate) enum OwnerScope {
    Bot(BotScope),
    Project(ProjectScope),
}

impl OwnerScope {
    fn either(&self) -> &dyn InProject {
        match self {
            Self::Bot(scope) => scope,
            Self::Project(scope) => scope,
        }
    }
}

impl InProject for OwnerScope {
    fn project_id(&self) -> ProjectId {
        self.either().project_id()
    }

    fn bot_id(&self) -> Option<BotId> {
        self.either().bot_id()
    }

    fn actor(&self) -> Option<&Actor> {
        self.either().actor()
    }

    fn in_project(&self) -> ProjectScope {
        self.either().in_project()
    }
}
