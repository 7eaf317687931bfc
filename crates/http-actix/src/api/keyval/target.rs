//! What operations on key-value entries work on: the entries of the token's bot, or of its project,
//! and which of them the path names.

use std::marker::PhantomData;

use actix_web::http::Method;
use domain::Botyard;
use domain::access::{BotClaim, OwnerClaim, Principal, ProjectClaim, Scheme};
use domain::error::DomainError;
use domain::keyval::{EntryAddress, EntryOfGuest, KEY_MAX, WORD_MAX, user_violations};
use domain::violation::Violations;

use super::query::KeepPermanent;
use super::view::EntryView;
use crate::pipeline::claim::PathClaim;
use crate::pipeline::path_param::{NamedByPath, PathDoc, PathForm};
use crate::pipeline::query::QueryParams;
use crate::pipeline::router::PathParams;
use crate::pipeline::scopes::NoScope;
use crate::pipeline::target::{On, Parent};

/// Entries of one owner, as far as the path names them. Any token of the scheme reaches them.
pub(crate) type OnKeyval<P> = On<OwnerClaim, NoScope, Entries<P>>;

/// What the path names among the entries of an owner.
pub(crate) struct Entries<P>(PhantomData<P>);

impl<P: EntryPath> OnKeyval<P> {
    /// What clients see of these entries when they read them.
    pub(super) const fn view(&self) -> fn(EntryOfGuest) -> EntryView {
        match self.claim {
            OwnerClaim::Bot(_) => EntryView::of_bot,
            OwnerClaim::Project(_) => EntryView::of_project,
        }
    }
}

impl<P: EntryPath> NamedByPath for Entries<P> {
    type Value = P;

    fn docs() -> Vec<PathDoc> {
        let docs = P::NAMES.iter().map(|(name, max, description)| PathDoc {
            name,
            form: PathForm::Bytes(*max),
            description,
        });
        docs.collect()
    }

    fn read(path: &PathParams) -> P {
        P::of(path)
    }

    fn violations(named: &P) -> Violations {
        named.violations()
    }

    fn allow(named: &P, method: &Method, query: &QueryParams) -> Result<(), DomainError> {
        if named.may_be(method, query) { Ok(()) } else { Err(DomainError::PermanentKey) }
    }
}

/// The token's bot, or its project.
impl PathClaim for OwnerClaim {
    fn path(_: Scheme) -> Vec<PathDoc> {
        Vec::new()
    }

    fn parent(scheme: Scheme) -> Parent {
        match scheme {
            Scheme::Bot => Parent::Bot,
            Scheme::Project => Parent::Project,
        }
    }

    fn of(principal: &Principal, path: &PathParams) -> Result<Self, DomainError> {
        match principal.scheme() {
            Scheme::Bot => BotClaim::of(principal, path).map(Self::Bot),
            Scheme::Project => ProjectClaim::of(principal, path).map(Self::Project),
        }
    }

    async fn check(&self, botyard: &Botyard) -> Result<(), DomainError> {
        match self {
            Self::Bot(claim) => claim.check(botyard).await,
            Self::Project(claim) => claim.check(botyard).await,
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
