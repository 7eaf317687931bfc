//! The right of code that runs the installation: the command line, the seed, an embedding service.

use super::{BotClaim, ProjectClaim};
use crate::bot::Bot;
use crate::id::{BotId, OrganisationId, ProjectId};
use crate::project::Project;

/// The right to look at everything, across tenants. It is for code that acts for the person who
/// runs the installation, never for a request: no route may hold one, and the project's lint checks
/// that the HTTP crate does not name it.
#[derive(Debug, Clone, Copy)]
pub struct Operator(());

impl Operator {
    /// Says that the caller acts for the person who runs this installation.
    #[must_use]
    pub const fn of_this_installation() -> Self {
        Self(())
    }

    /// A claim on a bot, with no token behind it: changes made with it have no actor.
    #[must_use]
    pub const fn bot(self, organisation_id: OrganisationId, bot: &Bot) -> BotClaim {
        self.bot_with_id(organisation_id, bot.project_id, bot.id)
    }

    /// The same, on a bot of which only this is known.
    #[must_use]
    pub const fn bot_with_id(
        self,
        organisation_id: OrganisationId,
        project_id: ProjectId,
        bot_id: BotId,
    ) -> BotClaim {
        BotClaim::at(organisation_id, project_id, bot_id, None)
    }

    /// A claim on a project, with no token behind it.
    #[must_use]
    pub const fn project(self, project: &Project) -> ProjectClaim {
        ProjectClaim::at(project.organisation_id, project.id, None)
    }
}
