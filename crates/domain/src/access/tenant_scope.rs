//! The rights that claims become when what they name was looked up.

use super::{Actor, ProjectClaim};
use crate::id::{BotId, OrganisationId, ProjectId};

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
    pub(crate) const fn at(
        organisation_id: OrganisationId,
        project_id: ProjectId,
        bot_id: BotId,
        actor: Option<Actor>,
    ) -> Self {
        Self { organisation_id, project_id, bot_id, actor }
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
        ProjectClaim::at(organisation_id, project_id, self.actor.clone())
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

    /// Only the domain itself says that a project was looked up.
    pub(crate) const fn at(
        organisation_id: OrganisationId,
        project_id: ProjectId,
        actor: Option<Actor>,
    ) -> Self {
        Self { organisation_id, project_id, actor }
    }

    /// The claim by which this was given.
    pub(crate) fn claim(&self) -> ProjectClaim {
        let Self { organisation_id, project_id, .. } = *self;
        ProjectClaim::at(organisation_id, project_id, self.actor.clone())
    }

    /// The right to a bot of this project.
    pub(crate) fn with_bot(&self, bot_id: BotId) -> BotScope {
        let Self { organisation_id, project_id, .. } = *self;
        BotScope { organisation_id, project_id, bot_id, actor: self.actor.clone() }
    }
}

/// A right to something that lies in a project.
pub(crate) trait InProject {
    /// The project.
    fn project_id(&self) -> ProjectId;

    /// The bot, if the right is one to a bot.
    fn bot_id(&self) -> Option<BotId>;

    /// Who acts; `None` for an operator.
    fn actor(&self) -> Option<&Actor>;

    /// The right to the project.
    fn in_project(&self) -> ProjectScope;
}

impl InProject for BotScope {
    fn project_id(&self) -> ProjectId {
        self.project_id
    }

    fn bot_id(&self) -> Option<BotId> {
        Some(self.bot_id)
    }

    fn actor(&self) -> Option<&Actor> {
        self.actor.as_ref()
    }

    fn in_project(&self) -> ProjectScope {
        self.project()
    }
}

impl InProject for ProjectScope {
    fn project_id(&self) -> ProjectId {
        self.project_id
    }

    fn bot_id(&self) -> Option<BotId> {
        None
    }

    fn actor(&self) -> Option<&Actor> {
        self.actor.as_ref()
    }

    fn in_project(&self) -> ProjectScope {
        self.clone()
    }
}
