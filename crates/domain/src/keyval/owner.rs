//! Whose entries they are: a bot's or a project's. A token of the one scheme reaches the ones, a
//! token of the other the others.

use uuid::Uuid;

use crate::access::{BotScope, InProject as _, OwnerScope, ProjectScope};
use crate::id::{BotId, ProjectId};

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

impl From<&OwnerScope> for KeyvalScope {
    fn from(scope: &OwnerScope) -> Self {
        Self { project_id: scope.project_id(), bot_id: scope.bot_id() }
    }
}

#[cfg(test)]
impl KeyvalScope {
    /// The right to the entries of a project that was not looked up.
    pub(super) const fn sample(project_id: ProjectId) -> Self {
        Self { project_id, bot_id: None }
    }
}
