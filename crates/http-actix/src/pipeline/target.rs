//! What an operation works on. The type stands in the handler's signature, holds the claim that only
//! the check of the token hands out, and names the scope that this takes.

use std::marker::PhantomData;
use std::sync::Arc;

use actix_web::http::Method;
use domain::Botyard;
use domain::access::{BotClaim, Principal, ProjectClaim, Scheme, ScopeSet};
use domain::error::DomainError;
use domain::idempotency::IdempotentRequest;
use domain::precondition::Precondition;
use domain::violation::Violations;

use crate::pipeline::claim::PathClaim;
use crate::pipeline::path_param::{NamedByPath, PathDoc};
use crate::pipeline::query::QueryParams;
use crate::pipeline::router::PathParams;
use crate::pipeline::scopes::ScopeRule;

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

/// What a token claims by `C`, with a scope that `S` names, and what the path names of it by the parameters `P`. What is
/// claimed is looked up first.
pub struct On<C, S, P: NamedByPath = ()> {
    /// The claim, not looked up yet.
    pub claim: C,
    /// What the path names. It need not be there.
    pub id: P::Value,
    scope: PhantomData<S>,
}

/// One bot: the token's own, or the one of the token's project that the path names.
pub type OnBot<S> = On<BotClaim, S>;

/// Something of one bot that the path names.
pub type OnSubresource<S, P> = On<BotClaim, S, P>;

/// The token's project.
pub type OnProject<S> = On<ProjectClaim, S>;

/// Something of the token's project that the path names.
pub type OnProjectSubresource<S, P> = On<ProjectClaim, S, P>;

impl<C: PathClaim, S: ScopeRule, P: NamedByPath> Target for On<C, S, P> {
    fn path(scheme: Scheme) -> Vec<PathDoc> {
        C::path(scheme).into_iter().chain(P::docs()).collect()
    }

    fn parent(scheme: Scheme) -> Parent {
        C::parent(scheme)
    }

    fn required(scheme: Scheme) -> ScopeSet {
        S::required(scheme)
    }

    fn claim(principal: &Arc<Principal>, path: &PathParams) -> Result<Self, DomainError> {
        Ok(Self { claim: C::of(principal, path)?, id: P::read(path), scope: PhantomData })
    }

    fn only_if(self, precondition: Precondition) -> Self {
        Self { claim: self.claim.only_if(precondition), ..self }
    }

    fn once(self, request: Arc<IdempotentRequest>) -> Self {
        Self { claim: self.claim.once(request), ..self }
    }

    fn allow(&self, method: &Method, query: &QueryParams) -> Result<(), DomainError> {
        P::allow(&self.id, method, query)
    }

    fn violations(&self) -> Violations {
        P::violations(&self.id)
    }

    async fn check(&self, botyard: &Botyard) -> Result<(), DomainError> {
        self.claim.check(botyard).await
    }
}
