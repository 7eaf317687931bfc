//! Makes what a token claims into rights, by looking it up in the database.

use super::{
    BotClaim, BotScope, Conditional, InProject, Operator, OwnerClaim, OwnerScope, ProjectClaim,
    ProjectScope,
};
use crate::bot::{Bot, BotSummary, BotUnlessLarge};
use crate::error::{DomainError, Resource};
use crate::id::{BotId, ProjectId};
use crate::lock::Lock;
use crate::project::Project;
use crate::store::Repositories;

/// A claim to something that is looked up in a unit of work.
pub(crate) trait ResolvableClaim: Conditional + Send + Sync + 'static {
    /// The right to it once it was found.
    type Scope: InProject + Clone + Send + 'static;

    /// The project that it is, or in which it lies.
    fn project_id(&self) -> ProjectId;

    /// The bot that it is, if it is one.
    fn bot_id(&self) -> Option<BotId>;

    /// The right to it, if it is there; it is locked as `lock` says.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if it is not.
    fn look_up(&self, tx: &mut dyn Repositories, lock: Lock) -> Result<Self::Scope, DomainError>;

    /// The right to it, which is known to be there.
    fn granted(&self) -> Self::Scope;
}

impl ResolvableClaim for BotClaim {
    type Scope = BotScope;

    fn project_id(&self) -> ProjectId {
        self.project_id
    }

    fn bot_id(&self) -> Option<BotId> {
        Some(self.bot_id)
    }

    fn look_up(&self, tx: &mut dyn Repositories, lock: Lock) -> Result<BotScope, DomainError> {
        if !tx.has_live_bot(self, lock)? {
            return Err(DomainError::NotFound(Resource::Bot));
        }
        Ok(self.granted())
    }

    fn granted(&self) -> BotScope {
        BotScope::at(self.organisation_id, self.project_id, self.bot_id, self.actor.clone())
    }
}

impl ResolvableClaim for ProjectClaim {
    type Scope = ProjectScope;

    fn project_id(&self) -> ProjectId {
        self.project_id
    }

    fn bot_id(&self) -> Option<BotId> {
        None
    }

    fn look_up(&self, tx: &mut dyn Repositories, lock: Lock) -> Result<ProjectScope, DomainError> {
        self.resolve(tx, lock).map(|(_, scope)| scope)
    }

    fn granted(&self) -> ProjectScope {
        ProjectScope::at(self.organisation_id, self.project_id, self.actor.clone())
    }
}

impl ResolvableClaim for OwnerClaim {
    type Scope = OwnerScope;

    fn project_id(&self) -> ProjectId {
        self.project_id()
    }

    fn bot_id(&self) -> Option<BotId> {
        match self {
            Self::Bot(claim) => Some(claim.bot_id()),
            Self::Project(_) => None,
        }
    }

    fn look_up(&self, tx: &mut dyn Repositories, lock: Lock) -> Result<OwnerScope, DomainError> {
        match self {
            Self::Bot(claim) => claim.look_up(tx, lock).map(OwnerScope::Bot),
            Self::Project(claim) => claim.look_up(tx, lock).map(OwnerScope::Project),
        }
    }

    fn granted(&self) -> OwnerScope {
        match self {
            Self::Bot(claim) => OwnerScope::Bot(claim.granted()),
            Self::Project(claim) => OwnerScope::Project(claim.granted()),
        }
    }
}

impl BotClaim {
    /// Looks the bot up: the one place that decides whether a bot is there. A bot of another
    /// project, an archived, trashed, demo or template one, and one that never was are the same.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there is no such active bot.
    pub(crate) fn resolve(
        &self,
        tx: &mut dyn Repositories,
        lock: Lock,
    ) -> Result<(Bot, BotScope), DomainError> {
        let bot = tx.live_bot(self, lock)?.ok_or(DomainError::NotFound(Resource::Bot))?;
        Ok((bot, self.granted()))
    }

    /// As [`Self::resolve`], for those who would rather read a large configuration in another unit.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there is no such active bot.
    pub(crate) fn resolve_unless_large(
        &self,
        tx: &mut dyn Repositories,
        lock: Lock,
    ) -> Result<(BotUnlessLarge, BotScope), DomainError> {
        let found = tx.live_bot_unless_large(self, lock)?;
        let bot = found.ok_or(DomainError::NotFound(Resource::Bot))?;
        Ok((bot, self.granted()))
    }
}

impl BotScope {
    /// The right of the installation's own programs to a bot that they found.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if its project is gone.
    pub(crate) fn of_operator(
        tx: &mut dyn Repositories,
        operator: Operator,
        bot: &BotSummary,
    ) -> Result<Self, DomainError> {
        let project = tx.project(operator, bot.project_id)?;
        let project = project.ok_or(DomainError::NotFound(Resource::Project))?;
        Ok(Self::at(project.organisation_id, project.id, bot.id, None))
    }
}

impl ProjectClaim {
    /// Looks the project up.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if it is gone.
    pub(crate) fn resolve(
        &self,
        tx: &mut dyn Repositories,
        lock: Lock,
    ) -> Result<(Project, ProjectScope), DomainError> {
        let project =
            tx.claimed_project(self, lock)?.ok_or(DomainError::NotFound(Resource::Project))?;
        Ok((project, self.granted()))
    }
}
