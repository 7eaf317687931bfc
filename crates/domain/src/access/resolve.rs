//! Makes what a token claims into rights, by looking it up in the database.

use super::{BotClaim, BotScope, Operator, ProjectClaim, ProjectScope};
use crate::bot::{Bot, BotSummary, BotUnlessLarge};
use crate::error::{DomainError, Resource};
use crate::lock::Lock;
use crate::project::Project;
use crate::store::Repositories;

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
        let scope = self.granted();
        Ok((bot, scope))
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

    /// As [`Self::resolve`], for those who need nothing of the bot but that it is there.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there is no such active bot.
    pub(crate) fn scope(
        &self,
        tx: &mut dyn Repositories,
        lock: Lock,
    ) -> Result<BotScope, DomainError> {
        if !tx.has_live_bot(self, lock)? {
            return Err(DomainError::NotFound(Resource::Bot));
        }
        Ok(self.granted())
    }

    pub(super) fn granted(&self) -> BotScope {
        BotScope::at(self.organisation_id, self.project_id, self.bot_id, self.actor.clone())
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
        let scope = self.granted();
        Ok((project, scope))
    }

    pub(super) fn granted(&self) -> ProjectScope {
        ProjectScope::at(self.organisation_id, self.project_id, self.actor.clone())
    }
}
