//! Stores that fail in all the ways that they can, for tests, and tokens that they know.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use domain::Botyard;
use domain::access::{Scheme, ScopeSet, Secret, Token, TokenOwner};
use domain::batch::Batch;
use domain::changelog::{Action, ChangedResource, ChangelogEntry};
use domain::clock::Timestamp;
use domain::error::{DomainError, Resource, StorageError};
use domain::id::{BotId, ChangelogEntryId, OrganisationId, ProjectId, TokenId};
use domain::json::Json;
use domain::lock::Mode;
use domain::store::{BoxedUnit, Outcome, Store};
use domain::testing::{MemoryBlobs, SeededEntropy, SetClock, TrustingArchives};

use crate::options::{HttpLimits, HttpOptions};
use crate::pipeline::state::AppState;

/// How the store behaves.
#[derive(Clone)]
pub(crate) enum Failing {
    With(StorageError),
    ByPanic,
    ByHanging,
    /// So late that no ordinary request waits for it.
    TooLate,
    /// Can't say whether tokens have changed. Knows the token the first time, no bot, and then no token any
    /// more. Counts its units.
    ToFollowTokens(Arc<AtomicUsize>),
    /// Knows the token and the first page of a changelog, and fails from then on. Counts its units.
    InTheMiddle(Arc<AtomicUsize>),
}

#[async_trait]
impl Store for Failing {
    async fn run(
        &self,
        _: Mode,
        _: Option<ProjectId>,
        _: BoxedUnit,
    ) -> Result<Outcome, DomainError> {
        match self {
            Self::With(error) => Err(error.clone().into()),
            Self::ByPanic => panic!("what nobody may know"),
            Self::ByHanging => std::future::pending().await,
            Self::TooLate => {
                tokio::time::sleep(10 * SHORT).await;
                Err(StorageError::Broken("what nobody may know".into()).into())
            }
            Self::ToFollowTokens(units) => match units.fetch_add(1, Ordering::SeqCst) {
                0 => Ok(Box::new(Some(token(Scheme::Bot)))),
                1 => Err(DomainError::NotFound(Resource::Bot)),
                _ => Ok(Box::new(None::<Token>)),
            },
            Self::InTheMiddle(units) => match units.fetch_add(1, Ordering::SeqCst) {
                0 => Ok(Box::new(Some(token(Scheme::Bot)))),
                1 => Ok(Box::new(Batch::new(vec![entry(); 16], false))),
                _ => Err(StorageError::Broken("what nobody may know".into()).into()),
            },
        }
    }

    fn access_version(&self) -> Option<u64> {
        match self {
            Self::ToFollowTokens(_) => None,
            Self::With(_)
            | Self::ByPanic
            | Self::ByHanging
            | Self::TooLate
            | Self::InTheMiddle(_) => Some(0),
        }
    }

    async fn check(&self) -> Result<(), StorageError> {
        match self {
            Self::With(error) => Err(error.clone()),
            Self::ByPanic
            | Self::ByHanging
            | Self::TooLate
            | Self::ToFollowTokens(_)
            | Self::InTheMiddle(_) => Ok(()),
        }
    }
}

/// The services on a store.
pub(crate) fn botyard(store: impl Store + 'static) -> Botyard {
    let clock = Arc::new(SetClock::at(1_000));
    Botyard::builder(Arc::new(store), clock.clone(), Arc::new(SeededEntropy::new(1)))
        .blobs(Arc::new(MemoryBlobs::new(clock)))
        .archives(Arc::new(TrustingArchives))
        .build()
}

pub(crate) fn state(store: Failing, limits: HttpLimits) -> Arc<AppState> {
    let options = HttpOptions { limits, ..HttpOptions::default() };
    Arc::new(AppState::new(botyard(store), options, &SeededEntropy::new(2)).unwrap())
}

/// A token that the store knows.
pub(crate) fn secret(scheme: Scheme) -> Secret {
    Secret::generate(scheme, &SeededEntropy::new(3))
}

/// What the store knows of it.
pub(crate) fn token(scheme: Scheme) -> Token {
    let (secret, bot) = (secret(scheme), BotId::from_uuid(Default::default()));
    Token {
        id: TokenId::from_uuid(Default::default()),
        organisation_id: OrganisationId::from_uuid(Default::default()),
        project_id: ProjectId::from_uuid(Default::default()),
        owner: match scheme {
            Scheme::Bot => TokenOwner::Bot(bot),
            Scheme::Project => TokenOwner::Project,
        },
        digest: secret.digest(),
        last_four: secret.last_four(),
        name: "a token".to_owned(),
        scopes: ScopeSet::of_scheme(scheme),
        read_only: false,
        created_at: Timestamp::from_millis(0),
        expires_at: None,
        revoked_at: None,
        last_used_at: None,
    }
}

pub(crate) fn entry() -> ChangelogEntry {
    ChangelogEntry {
        id: ChangelogEntryId::from_uuid(Default::default()),
        bot_id: BotId::from_uuid(Default::default()),
        at: Timestamp::from_millis(0),
        actor: None,
        action: Action::Update,
        resource: ChangedResource::Bot,
        resource_id: String::new(),
        changes: Json::of(&[0; 0]),
    }
}

/// Less time than [`Failing::TooLate`] takes.
pub(crate) const SHORT: Duration = Duration::from_millis(5);
