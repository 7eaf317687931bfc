//! From "this token says so" to "the database says so".

use super::Actor;
use crate::bot::Bot;
use crate::error::{DomainError, Resource};
use crate::id::{BotId, OrganisationId, ProjectId};
use crate::project::Project;
use crate::store::{Lock, Repositories};
use crate::user::BotOfOrganisation;

/// What a token says it may reach: a bot, not looked up yet. Only a [`super::Principal`] and an
/// [`super::Operator`] hand one out.
#[derive(Debug, Clone)]
pub struct BotClaim {
    pub(super) organisation_id: OrganisationId,
    pub(super) project_id: ProjectId,
    pub(super) bot_id: BotId,
    pub(super) actor: Option<Actor>,
}

impl BotClaim {
    /// The project in which the bot must lie.
    #[must_use]
    pub const fn project_id(&self) -> ProjectId {
        self.project_id
    }

    /// The bot that is claimed.
    #[must_use]
    pub const fn bot_id(&self) -> BotId {
        self.bot_id
    }

    /// Looks the bot up: the one place that decides whether a bot is there. A bot of another
    /// project, an archived, trashed, demo or template one, and one that never was are the same.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there is no such active bot.
    pub fn resolve(
        &self,
        tx: &mut dyn Repositories,
        lock: Lock,
    ) -> Result<(Bot, BotScope), DomainError> {
        let bot = tx.live_bot(self, lock)?.ok_or(DomainError::NotFound(Resource::Bot))?;
        let scope = BotScope::of(self.organisation_id, &bot, self.actor.clone());
        Ok((bot, scope))
    }

    /// As [`Self::resolve`], for those who need nothing of the bot but that it is there.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there is no such active bot.
    pub fn scope(&self, tx: &mut dyn Repositories, lock: Lock) -> Result<BotScope, DomainError> {
        if !tx.has_live_bot(self, lock)? {
            return Err(DomainError::NotFound(Resource::Bot));
        }
        let Self { organisation_id, project_id, bot_id, .. } = *self;
        Ok(BotScope { organisation_id, project_id, bot_id, actor: self.actor.clone() })
    }

    /// The claim on another bot of the same organisation, which was looked up there.
    pub(crate) fn of_organisation(&self, bot: &BotOfOrganisation) -> Self {
        Self { project_id: bot.project_id, bot_id: bot.id, ..self.clone() }
    }

    /// The claim on the project of this bot, for what is done beside it.
    #[must_use]
    pub fn project(&self) -> ProjectClaim {
        ProjectClaim {
            organisation_id: self.organisation_id,
            project_id: self.project_id,
            actor: self.actor.clone(),
        }
    }
}

/// What a token says it may reach: a project, not looked up yet.
#[derive(Debug, Clone)]
pub struct ProjectClaim {
    pub(super) organisation_id: OrganisationId,
    pub(super) project_id: ProjectId,
    pub(super) actor: Option<Actor>,
}

impl ProjectClaim {
    /// The organisation in which the project must lie.
    #[must_use]
    pub const fn organisation_id(&self) -> OrganisationId {
        self.organisation_id
    }

    /// The project that is claimed.
    #[must_use]
    pub const fn project_id(&self) -> ProjectId {
        self.project_id
    }

    /// Looks the project up.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if it is gone.
    pub fn resolve(
        &self,
        tx: &mut dyn Repositories,
        lock: Lock,
    ) -> Result<(Project, ProjectScope), DomainError> {
        let project =
            tx.claimed_project(self, lock)?.ok_or(DomainError::NotFound(Resource::Project))?;
        let scope = ProjectScope {
            organisation_id: project.organisation_id,
            project_id: project.id,
            actor: self.actor.clone(),
        };
        Ok((project, scope))
    }
}

/// The right to one bot's content, given by looking the bot up.
#[derive(Debug, Clone)]
pub struct BotScope {
    organisation_id: OrganisationId,
    project_id: ProjectId,
    bot_id: BotId,
    actor: Option<Actor>,
}

impl BotScope {
    /// Only the domain itself says that a bot was looked up.
    pub(crate) const fn of(
        organisation_id: OrganisationId,
        bot: &Bot,
        actor: Option<Actor>,
    ) -> Self {
        Self { organisation_id, project_id: bot.project_id, bot_id: bot.id, actor }
    }

    /// The same for a bot of which the database told no more than where it is.
    pub(crate) const fn at(
        organisation_id: OrganisationId,
        project_id: ProjectId,
        bot_id: BotId,
    ) -> Self {
        Self { organisation_id, project_id, bot_id, actor: None }
    }

    /// The bot's organisation.
    #[must_use]
    pub const fn organisation_id(&self) -> OrganisationId {
        self.organisation_id
    }

    /// The bot's project.
    #[must_use]
    pub const fn project_id(&self) -> ProjectId {
        self.project_id
    }

    /// The bot.
    #[must_use]
    pub const fn bot_id(&self) -> BotId {
        self.bot_id
    }

    /// Who acts; `None` for an operator.
    #[must_use]
    pub const fn actor(&self) -> Option<&Actor> {
        self.actor.as_ref()
    }

    /// The right to the project of this bot.
    pub(crate) fn project(&self) -> ProjectScope {
        let Self { organisation_id, project_id, .. } = *self;
        ProjectScope { organisation_id, project_id, actor: self.actor.clone() }
    }

    /// The claim on the project of this bot, for what is done beside it.
    pub(crate) fn project_claim(&self) -> ProjectClaim {
        let Self { organisation_id, project_id, .. } = *self;
        ProjectClaim { organisation_id, project_id, actor: self.actor.clone() }
    }
}

/// The right to one project's content, given by looking the project up.
#[derive(Debug, Clone)]
pub struct ProjectScope {
    organisation_id: OrganisationId,
    project_id: ProjectId,
    actor: Option<Actor>,
}

impl ProjectScope {
    /// The project's organisation.
    #[must_use]
    pub const fn organisation_id(&self) -> OrganisationId {
        self.organisation_id
    }

    /// The project.
    #[must_use]
    pub const fn project_id(&self) -> ProjectId {
        self.project_id
    }

    /// Who acts; `None` for an operator.
    #[must_use]
    pub const fn actor(&self) -> Option<&Actor> {
        self.actor.as_ref()
    }

    /// The right that an operator has who found something of the project.
    pub(crate) const fn at(organisation_id: OrganisationId, project_id: ProjectId) -> Self {
        Self { organisation_id, project_id, actor: None }
    }

    /// The claim by which this was given.
    pub(crate) fn claim(&self) -> ProjectClaim {
        let Self { organisation_id, project_id, .. } = *self;
        ProjectClaim { organisation_id, project_id, actor: self.actor.clone() }
    }

    /// The right to a bot that has something of this project's.
    pub(crate) fn with_bot(&self, bot_id: BotId) -> BotScope {
        let Self { organisation_id, project_id, .. } = *self;
        BotScope { organisation_id, project_id, bot_id, actor: self.actor.clone() }
    }

    /// The right to a bot that is being made in this project.
    pub(crate) fn bot(&self, bot: &Bot) -> BotScope {
        BotScope::of(self.organisation_id, bot, self.actor.clone())
    }
}
