//! What an operation works on. The type stands in the handler's signature, holds the claim that only
//! the check of the token hands out, and names the scope that this takes.

use std::marker::PhantomData;
use std::sync::Arc;

use actix_web::http::Method;
use domain::Botyard;
use domain::access::{BotClaim, Principal, ProjectClaim, Scheme, ScopeSet};
use domain::error::{DomainError, Resource};
use domain::id::BotId;
use domain::idempotency::IdempotentRequest;
use domain::precondition::Precondition;
use domain::violation::Violations;

use crate::pipeline::path_param::{PathDoc, PathForm, PathParam, PathValue as _};
use crate::pipeline::query::QueryParams;
use crate::pipeline::router::PathParams;
use crate::pipeline::scopes::ScopeRule;

/// Where the bot of a project token's request stands in the path.
pub(crate) const BOT_ID: &str = "botId";

/// The parent of what an operation addresses, for the API document and the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parent {
    /// The token itself.
    Token,
    /// A bot.
    Bot,
    /// A project.
    Project,
}

/// What an operation works on.
pub trait Target: Sized + 'static {
    /// The parameters of the path, in their order.
    fn path(scheme: Scheme) -> Vec<PathDoc>;

    /// What is looked up.
    fn parent(scheme: Scheme) -> Parent;

    /// The scopes that a token needs.
    fn required(scheme: Scheme) -> ScopeSet;

    /// The claim that the token gives on what the path names.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the path can't name such a thing.
    fn claim(principal: &Arc<Principal>, path: &PathParams) -> Result<Self, DomainError>;

    /// The same for a change that takes place only under a precondition.
    #[must_use]
    fn only_if(self, precondition: Precondition) -> Self;

    /// The same for a change that is carried out once.
    #[must_use]
    fn once(self, request: Arc<IdempotentRequest>) -> Self;

    /// Refuses what no client may do to the target, whether it is there or not. It is called before
    /// anything is looked up, and before violations of the request are reported.
    ///
    /// # Errors
    /// Why it may not be done.
    fn allow(&self, _: &Method, _: &QueryParams) -> Result<(), DomainError> {
        Ok(())
    }

    /// What is wrong with the path. It is reported with the violations of query and body, and nothing is
    /// looked up by such a path.
    fn violations(&self) -> Violations {
        Violations::none()
    }

    /// Looks the target up, ahead of the unit of work that will do so again.
    fn check(&self, botyard: &Botyard) -> impl Future<Output = Result<(), DomainError>>;
}

/// Nothing but the token.
pub struct OnToken {
    /// Who calls.
    pub principal: Arc<Principal>,
}

impl Target for OnToken {
    fn path(_: Scheme) -> Vec<PathDoc> {
        Vec::new()
    }

    fn parent(_: Scheme) -> Parent {
        Parent::Token
    }

    fn required(_: Scheme) -> ScopeSet {
        ScopeSet::NONE
    }

    fn claim(principal: &Arc<Principal>, _: &PathParams) -> Result<Self, DomainError> {
        Ok(Self { principal: principal.clone() })
    }

    fn only_if(self, _: Precondition) -> Self {
        self
    }

    fn once(self, _: Arc<IdempotentRequest>) -> Self {
        self
    }

    async fn check(&self, _: &Botyard) -> Result<(), DomainError> {
        Ok(())
    }
}

/// A target together with who calls.
pub struct WithPrincipal<T> {
    /// What the operation works on.
    pub target: T,
    /// Who calls.
    pub principal: Arc<Principal>,
}

impl<T: Target> Target for WithPrincipal<T> {
    fn path(scheme: Scheme) -> Vec<PathDoc> {
        T::path(scheme)
    }

    fn parent(scheme: Scheme) -> Parent {
        T::parent(scheme)
    }

    fn required(scheme: Scheme) -> ScopeSet {
        T::required(scheme)
    }

    fn claim(principal: &Arc<Principal>, path: &PathParams) -> Result<Self, DomainError> {
        Ok(Self { target: T::claim(principal, path)?, principal: principal.clone() })
    }

    fn only_if(self, precondition: Precondition) -> Self {
        Self { target: self.target.only_if(precondition), ..self }
    }

    fn once(self, request: Arc<IdempotentRequest>) -> Self {
        Self { target: self.target.once(request), ..self }
    }

    fn allow(&self, method: &Method, params: &QueryParams) -> Result<(), DomainError> {
        self.target.allow(method, params)
    }

    fn violations(&self) -> Violations {
        self.target.violations()
    }

    async fn check(&self, botyard: &Botyard) -> Result<(), DomainError> {
        self.target.check(botyard).await
    }
}

/// One bot: the token's own, or the one of the token's project that the path names.
pub struct OnBot<S> {
    /// The claim, not looked up yet.
    pub claim: BotClaim,
    scope: PhantomData<S>,
}

impl<S: ScopeRule> Target for OnBot<S> {
    fn path(scheme: Scheme) -> Vec<PathDoc> {
        bot_in_path(scheme)
    }

    fn parent(_: Scheme) -> Parent {
        Parent::Bot
    }

    fn required(scheme: Scheme) -> ScopeSet {
        S::required(scheme)
    }

    fn claim(principal: &Arc<Principal>, path: &PathParams) -> Result<Self, DomainError> {
        Ok(Self { claim: bot_of(principal, path)?, scope: PhantomData })
    }

    fn only_if(self, precondition: Precondition) -> Self {
        Self { claim: self.claim.only_if(precondition), ..self }
    }

    fn once(self, request: Arc<IdempotentRequest>) -> Self {
        Self { claim: self.claim.once(request), ..self }
    }

    async fn check(&self, botyard: &Botyard) -> Result<(), DomainError> {
        botyard.access.check_bot(&self.claim).await
    }
}

/// Something of one bot that the path names by the parameter `P`. The bot is what is looked up
/// first.
pub struct OnSubresource<S, P: PathParam> {
    /// The claim on the bot, not looked up yet.
    pub claim: BotClaim,
    /// What the path names. It need not be there.
    pub id: P::Value,
    marker: PhantomData<(S, P)>,
}

impl<S: ScopeRule, P: PathParam> Target for OnSubresource<S, P> {
    fn path(scheme: Scheme) -> Vec<PathDoc> {
        bot_in_path(scheme).into_iter().chain([in_path::<P>()]).collect()
    }

    fn parent(_: Scheme) -> Parent {
        Parent::Bot
    }

    fn required(scheme: Scheme) -> ScopeSet {
        S::required(scheme)
    }

    fn claim(principal: &Arc<Principal>, path: &PathParams) -> Result<Self, DomainError> {
        let id = P::Value::of_path(path.get(P::NAME).unwrap_or_default());
        Ok(Self { claim: bot_of(principal, path)?, id, marker: PhantomData })
    }

    fn only_if(self, precondition: Precondition) -> Self {
        Self { claim: self.claim.only_if(precondition), ..self }
    }

    fn once(self, request: Arc<IdempotentRequest>) -> Self {
        Self { claim: self.claim.once(request), ..self }
    }

    async fn check(&self, botyard: &Botyard) -> Result<(), DomainError> {
        botyard.access.check_bot(&self.claim).await
    }
}

/// Something of the token's project that the path names by the parameter `P`. The project is what is
/// looked up first.
pub struct OnProjectSubresource<S, P: PathParam> {
    /// The claim on the project, not looked up yet.
    pub claim: ProjectClaim,
    /// What the path names. It need not be there.
    pub id: P::Value,
    marker: PhantomData<(S, P)>,
}

impl<S: ScopeRule, P: PathParam> Target for OnProjectSubresource<S, P> {
    fn path(_: Scheme) -> Vec<PathDoc> {
        Vec::from([in_path::<P>()])
    }

    fn parent(_: Scheme) -> Parent {
        Parent::Project
    }

    fn required(scheme: Scheme) -> ScopeSet {
        S::required(scheme)
    }

    fn claim(principal: &Arc<Principal>, path: &PathParams) -> Result<Self, DomainError> {
        let id = P::Value::of_path(path.get(P::NAME).unwrap_or_default());
        Ok(Self { claim: project_of(principal)?, id, marker: PhantomData })
    }

    fn only_if(self, precondition: Precondition) -> Self {
        Self { claim: self.claim.only_if(precondition), ..self }
    }

    fn once(self, request: Arc<IdempotentRequest>) -> Self {
        Self { claim: self.claim.once(request), ..self }
    }

    async fn check(&self, botyard: &Botyard) -> Result<(), DomainError> {
        botyard.access.check_project(&self.claim).await
    }
}

/// The bot, where a path names it.
fn bot_in_path(scheme: Scheme) -> Vec<PathDoc> {
    let description = "The `_id` of a bot of the token's project.";
    let bot = PathDoc { name: BOT_ID, form: PathForm::Id, description };
    match scheme {
        Scheme::Bot => Vec::new(),
        Scheme::Project => Vec::from([bot]),
    }
}

fn in_path<P: PathParam>() -> PathDoc {
    PathDoc { name: P::NAME, form: P::Value::FORM, description: P::DESCRIPTION }
}

/// The claim on the token's project.
fn project_of(principal: &Principal) -> Result<ProjectClaim, DomainError> {
    principal.project().ok_or(DomainError::NotFound(Resource::Project))
}

/// The claim on the token's own bot, or on the one of its project that the path names.
fn bot_of(principal: &Arc<Principal>, path: &PathParams) -> Result<BotClaim, DomainError> {
    let claim = match principal.scheme() {
        Scheme::Bot => principal.own_bot(),
        Scheme::Project => {
            path.get(BOT_ID).and_then(BotId::parse).and_then(|bot| principal.bot_of_project(bot))
        }
    };
    claim.ok_or(DomainError::NotFound(Resource::Bot))
}

/// The token's project.
pub struct OnProject<S> {
    /// The claim, not looked up yet.
    pub claim: ProjectClaim,
    scope: PhantomData<S>,
}

impl<S: ScopeRule> Target for OnProject<S> {
    fn path(_: Scheme) -> Vec<PathDoc> {
        Vec::new()
    }

    fn parent(_: Scheme) -> Parent {
        Parent::Project
    }

    fn required(scheme: Scheme) -> ScopeSet {
        S::required(scheme)
    }

    fn claim(principal: &Arc<Principal>, _: &PathParams) -> Result<Self, DomainError> {
        Ok(Self { claim: project_of(principal)?, scope: PhantomData })
    }

    fn only_if(self, precondition: Precondition) -> Self {
        Self { claim: self.claim.only_if(precondition), ..self }
    }

    fn once(self, request: Arc<IdempotentRequest>) -> Self {
        Self { claim: self.claim.once(request), ..self }
    }

    async fn check(&self, botyard: &Botyard) -> Result<(), DomainError> {
        botyard.access.check_project(&self.claim).await
    }
}
