//! The claims that tokens give, as operations need them.

use domain::Botyard;
use domain::access::{BotClaim, Claim, Principal, ProjectClaim, Scheme};
use domain::error::{DomainError, Resource};
use domain::id::BotId;

use super::path_param::{PathDoc, PathForm};
use super::router::PathParams;
use super::target::Parent;

/// Where the bot of a project token's request stands in the path.
pub(crate) const BOT_ID: &str = "botId";

/// A claim that a token gives, on what the path names if it names anything.
pub trait PathClaim: Claim + 'static {
    /// The parameters of the path that name it.
    fn path(scheme: Scheme) -> Vec<PathDoc>;

    /// What is looked up.
    fn parent(scheme: Scheme) -> Parent;

    /// The claim that the token gives on what the path names.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the path can't name such a thing.
    fn of(principal: &Principal, path: &PathParams) -> Result<Self, DomainError>;

    /// Looks it up, ahead of the unit of work that will do so again.
    fn check(&self, botyard: &Botyard) -> impl Future<Output = Result<(), DomainError>>;
}

impl PathClaim for BotClaim {
    fn path(scheme: Scheme) -> Vec<PathDoc> {
        let description = "The `_id` of a bot of the token's project.";
        let bot = PathDoc { name: BOT_ID, form: PathForm::Id, description };
        match scheme {
            Scheme::Bot => Vec::new(),
            Scheme::Project => Vec::from([bot]),
        }
    }

    fn parent(_: Scheme) -> Parent {
        Parent::Bot
    }

    fn of(principal: &Principal, path: &PathParams) -> Result<Self, DomainError> {
        let claim = match principal.scheme() {
            Scheme::Bot => principal.own_bot(),
            Scheme::Project => path
                .get(BOT_ID)
                .and_then(BotId::parse)
                .and_then(|bot| principal.bot_of_project(bot)),
        };
        claim.ok_or(DomainError::NotFound(Resource::Bot))
    }

    async fn check(&self, botyard: &Botyard) -> Result<(), DomainError> {
        botyard.access.check_bot(self).await
    }
}

impl PathClaim for ProjectClaim {
    fn path(_: Scheme) -> Vec<PathDoc> {
        Vec::new()
    }

    fn parent(_: Scheme) -> Parent {
        Parent::Project
    }

    fn of(principal: &Principal, _: &PathParams) -> Result<Self, DomainError> {
        principal.project().ok_or(DomainError::NotFound(Resource::Project))
    }

    async fn check(&self, botyard: &Botyard) -> Result<(), DomainError> {
        botyard.access.check_project(self).await
    }
}
