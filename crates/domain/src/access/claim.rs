//! What a token says it may reach.

use super::Actor;
use super::conditions::{Conditional, Conditions};
use crate::id::{BotId, OrganisationId, ProjectId};

/// What a token says it may reach: a bot, not looked up yet. Only a [`super::Principal`] and an
/// [`super::Operator`] hand one out.
#[derive(Debug, Clone)]
pub struct BotClaim {
    pub(super) organisation_id: OrganisationId,
    pub(super) project_id: ProjectId,
    pub(super) bot_id: BotId,
    pub(super) actor: Option<Actor>,
    conditions: Conditions,
}

impl BotClaim {
    /// Only what knows a token, or acts for an operator, says what may be reached.
    pub(super) const fn at(
        organisation_id: OrganisationId,
        project_id: ProjectId,
        bot_id: BotId,
        actor: Option<Actor>,
    ) -> Self {
        Self { organisation_id, project_id, bot_id, actor, conditions: Conditions::NONE }
    }

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

    /// The right to read the users of a bot of the same organisation, which was looked up there.
    pub(crate) fn users_of(&self, project_id: ProjectId, bot_id: BotId) -> UsersClaim {
        let bot = Self { project_id, bot_id, ..self.clone() };
        UsersClaim { reader: self.project_id, bot }
    }

    /// The claim on the project of this bot, for what is done beside it.
    #[must_use]
    pub fn project(&self) -> ProjectClaim {
        ProjectClaim::at(self.organisation_id, self.project_id, self.actor.clone())
    }
}

impl Conditional for BotClaim {
    fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    fn conditions_mut(&mut self) -> &mut Conditions {
        &mut self.conditions
    }
}

/// The right to read the users of a bot of the organisation, and nothing else of that bot.
#[derive(Debug, Clone)]
pub struct UsersClaim {
    /// The project that reads them: its queue, and its share of the memory, are used.
    pub(crate) reader: ProjectId,
    /// The bot that has them.
    pub(crate) bot: BotClaim,
}

/// The claim on the project of the bot.
impl From<&BotClaim> for ProjectClaim {
    fn from(claim: &BotClaim) -> Self {
        claim.project()
    }
}

/// The same claim.
impl From<&Self> for ProjectClaim {
    fn from(claim: &Self) -> Self {
        claim.clone()
    }
}

/// What a token says it may reach: a project, not looked up yet.
#[derive(Debug, Clone)]
pub struct ProjectClaim {
    pub(super) organisation_id: OrganisationId,
    pub(super) project_id: ProjectId,
    pub(super) actor: Option<Actor>,
    conditions: Conditions,
}

impl ProjectClaim {
    /// As [`BotClaim::at`].
    pub(super) const fn at(
        organisation_id: OrganisationId,
        project_id: ProjectId,
        actor: Option<Actor>,
    ) -> Self {
        Self { organisation_id, project_id, actor, conditions: Conditions::NONE }
    }

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
}

impl Conditional for ProjectClaim {
    fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    fn conditions_mut(&mut self) -> &mut Conditions {
        &mut self.conditions
    }
}
