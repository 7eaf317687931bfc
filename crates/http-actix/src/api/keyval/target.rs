//! What operations on key-value entries work on: the entries of the token's bot, or of its project,
//! and which of them the path names.

use std::sync::Arc;

use actix_web::http::Method;
use domain::Botyard;
use domain::access::{Principal, Scheme, ScopeSet};
use domain::error::{DomainError, Resource};
use domain::idempotency::IdempotentRequest;
use domain::keyval::{EntryAddress, EntryOfGuest, KEY_MAX, KeyvalClaim, WORD_MAX, user_violations};
use domain::precondition::Precondition;
use domain::violation::Violations;

use super::query::KeepPermanent;
use super::view::EntryView;
use crate::pipeline::path_param::{PathDoc, PathForm};
use crate::pipeline::query::QueryParams;
use crate::pipeline::router::PathParams;
use crate::pipeline::target::{Parent, Target};

/// Entries of one owner, as far as the path names them. Any token of the scheme reaches them.
pub(crate) struct OnKeyval<P> {
    /// The claim on the owner's entries, not looked up yet.
    pub(super) claim: KeyvalClaim,
    /// What the path says, decoded. It may name nothing.
    pub(super) named: P,
}

impl<P> OnKeyval<P> {
    /// What clients see of these entries when they read them.
    pub(super) const fn view(&self) -> fn(EntryOfGuest) -> EntryView {
        match self.claim {
            KeyvalClaim::Bot(_) => EntryView::of_bot,
            KeyvalClaim::Project(_) => EntryView::of_project,
        }
    }
}

impl<P: EntryPath> Target for OnKeyval<P> {
    fn path(_: Scheme) -> Vec<PathDoc> {
        let docs = P::NAMES.iter().map(|(name, max, description)| PathDoc {
            name,
            form: PathForm::Bytes(*max),
            description,
        });
        docs.collect()
    }

    fn parent(scheme: Scheme) -> Parent {
        match scheme {
            Scheme::Bot => Parent::Bot,
            Scheme::Project => Parent::Project,
        }
    }

    fn required(_: Scheme) -> ScopeSet {
        ScopeSet::NONE
    }

    fn claim(principal: &Arc<Principal>, path: &PathParams) -> Result<Self, DomainError> {
        let claim = match principal.scheme() {
            Scheme::Bot => {
                let own = principal.own_bot().ok_or(DomainError::NotFound(Resource::Bot))?;
                KeyvalClaim::Bot(own)
            }
            Scheme::Project => {
                let own = principal.project().ok_or(DomainError::NotFound(Resource::Project))?;
                KeyvalClaim::Project(own)
            }
        };
        Ok(Self { claim, named: P::of(path) })
    }

    fn only_if(self, precondition: Precondition) -> Self {
        Self { claim: self.claim.only_if(precondition), ..self }
    }

    fn once(self, request: Arc<IdempotentRequest>) -> Self {
        Self { claim: self.claim.once(request), ..self }
    }

    fn allow(&self, method: &Method, query: &QueryParams) -> Result<(), DomainError> {
        if self.named.may_be(method, query) { Ok(()) } else { Err(DomainError::PermanentKey) }
    }

    fn violations(&self) -> Violations {
        self.named.violations()
    }

    async fn check(&self, botyard: &Botyard) -> Result<(), DomainError> {
        match &self.claim {
            KeyvalClaim::Bot(claim) => botyard.access.check_bot(claim).await,
            KeyvalClaim::Project(claim) => botyard.access.check_project(claim).await,
        }
    }
}

/// What a path names among the entries of an owner.
pub(crate) trait EntryPath: Sized + 'static {
    /// The parameters of the path: of each its name, how many bytes it has at most, and what it names.
    const NAMES: &'static [(&'static str, usize, &'static str)];

    /// Reads it from the path.
    fn of(path: &PathParams) -> Self;

    /// What is wrong with it.
    fn violations(&self) -> Violations {
        Violations::none()
    }

    /// Whether anybody may do this to it.
    fn may_be(&self, _: &Method, _: &QueryParams) -> bool {
        true
    }
}

/// Nothing: all entries of the owner.
pub(crate) struct All;

impl EntryPath for All {
    const NAMES: &'static [(&'static str, usize, &'static str)] = &[];

    fn of(_: &PathParams) -> Self {
        Self
    }
}

const USER_ID: &str = "userId";
const USER: (&str, usize, &str) = (USER_ID, WORD_MAX, "Whose entries they are; any text.");

/// The entries of one userId.
pub(crate) struct OfUser {
    pub(super) user_id: String,
}

impl EntryPath for OfUser {
    const NAMES: &'static [(&'static str, usize, &'static str)] = &[USER];

    fn of(path: &PathParams) -> Self {
        Self { user_id: part(path, USER_ID) }
    }

    fn violations(&self) -> Violations {
        user_violations(&self.user_id)
    }
}

/// One entry.
impl EntryPath for EntryAddress {
    const NAMES: &'static [(&'static str, usize, &'static str)] = &[
        USER,
        ("type", WORD_MAX, "The type of the entry."),
        ("key", KEY_MAX, "The key of the entry; a permanent one begins with `!`."),
    ];

    fn of(path: &PathParams) -> Self {
        Self {
            user_id: part(path, USER_ID),
            entry_type: part(path, "type"),
            key: part(path, "key"),
        }
    }

    fn violations(&self) -> Violations {
        self.violations()
    }

    fn may_be(&self, method: &Method, query: &QueryParams) -> bool {
        let writes = match *method {
            Method::PUT => true,
            Method::DELETE => KeepPermanent::is_said_by(query),
            _ => false,
        };
        !(writes && self.is_permanent())
    }
}

fn part(path: &PathParams, name: &str) -> String {
    path.get(name).unwrap_or_default().to_owned()
}
