//! What a token says it may reach, and the rights that are given for it by looking in the database.

use std::sync::Arc;

use super::Actor;
use crate::id::{BotId, OrganisationId, ProjectId};
use crate::idempotency::IdempotentRequest;
use crate::precondition::Precondition;

/// What a token says it may reach: a bot, not looked up yet. Only a [`super::Principal`] and an
/// [`super::Operator`] hand one out.
#[derive(Debug, Clone)]
pub struct BotClaim {
    pub(super) organisation_id: OrganisationId,
    pub(super) project_id: ProjectId,
    pub(super) bot_id: BotId,
    pub(super) actor: Option<Actor>,
    pub(super) precondition: Option<Arc<Precondition>>,
    pub(super) idempotent: Option<Arc<IdempotentRequest>>,
}

impl BotClaim {
    /// The claim for a change that takes place only under this precondition of what is changed. A change that has
    /// nothing to evaluate is refused with [`DomainError::PreconditionNotSupported`](crate::DomainError::PreconditionNotSupported).
    #[must_use]
    pub fn only_if(self, precondition: Precondition) -> Self {
        Self { precondition: Some(Arc::new(precondition)), ..self }
    }

    /// Under which precondition a change takes place, if any.
    pub(crate) const fn precondition(&self) -> Option<&Arc<Precondition>> {
        self.precondition.as_ref()
    }

    /// The claim for a change that is carried out once, however often it is asked for with this key.
    #[must_use]
    pub fn once(self, request: Arc<IdempotentRequest>) -> Self {
        Self { idempotent: Some(request), ..self }
    }

    /// The request that is carried out once, if the change has a key.
    pub(crate) const fn idempotent(&self) -> Option<&Arc<IdempotentRequest>> {
        self.idempotent.as_ref()
    }

    /// The claim for what is still to be done after the request was answered.
    pub(crate) fn without_idempotency_key(&self) -> Self {
        Self { idempotent: None, ..self.clone() }
    }

    /// The claim for what is still to be done after the precondition was evaluated.
    pub(crate) fn unconditional(&self) -> Self {
        Self { precondition: None, ..self.clone() }
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
        ProjectClaim {
            organisation_id: self.organisation_id,
            project_id: self.project_id,
            actor: self.actor.clone(),
            precondition: None,
            idempotent: None,
        }
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
    pub(super) precondition: Option<Arc<Precondition>>,
    pub(super) idempotent: Option<Arc<IdempotentRequest>>,
}

impl ProjectClaim {
    /// As [`BotClaim::only_if`].
    #[must_use]
    pub fn only_if(self, precondition: Precondition) -> Self {
        Self { precondition: Some(Arc::new(precondition)), ..self }
    }

    /// Under which precondition a change takes place, if any.
    pub(crate) const fn precondition(&self) -> Option<&Arc<Precondition>> {
        self.precondition.as_ref()
    }

    /// As [`BotClaim::once`].
    #[must_use]
    pub fn once(self, request: Arc<IdempotentRequest>) -> Self {
        Self { idempotent: Some(request), ..self }
    }

    /// The request that is carried out once, if the change has a key.
    pub(crate) const fn idempotent(&self) -> Option<&Arc<IdempotentRequest>> {
        self.idempotent.as_ref()
    }

    /// The claim for what is still to be done after the precondition was evaluated.
    pub(crate) fn unconditional(&self) -> Self {
        Self { precondition: None, ..self.clone() }
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
        ProjectClaim {
            organisation_id,
            project_id,
            actor: self.actor.clone(),
            precondition: None,
            idempotent: None,
        }
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
        ProjectClaim {
            organisation_id,
            project_id,
            actor: self.actor.clone(),
            precondition: None,
            idempotent: None,
        }
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
