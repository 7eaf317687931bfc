//! The `Store` port: a unit of work is a closure, and the store makes it one transaction.

use std::any::Any;

use async_trait::async_trait;

use crate::access::{TicketRepository, TokenRepository};
use crate::audit::AuditRepository;
use crate::blob::BlobRepository;
use crate::bot::{BotRepository, ConfigRepository};
use crate::changelog::ChangelogRepository;
use crate::crawl::{CrawlRepository, PageSetRepository};
use crate::document::{BotDocumentRepository, ChunkRepository, DocumentRepository};
use crate::encryption::{EncryptedSecretRepository, EncryptionRepository};
use crate::error::{DomainError, StorageError};
use crate::event::{EventRepository, NewEvents};
use crate::feedback::FeedbackRepository;
use crate::fusion::FusionViewRepository;
use crate::history::HistoryRepository;
use crate::id::ProjectId;
use crate::idempotency::IdempotencyRepository;
use crate::import::ImportRepository;
use crate::installation::InstallationRepository;
use crate::job::JobRepository;
use crate::keyval::KeyvalRepository;
use crate::list::ListRepository;
use crate::lock::Mode;
use crate::max_age::MaxAgeRepository;
use crate::organisation::OrganisationRepository;
use crate::project::ProjectRepository;
use crate::skill::SkillRepository;
use crate::stage::StageRepository;
use crate::usage::UsageRepository;
use crate::user::UserRepository;
use crate::visual_block::VisualBlockRepository;
use crate::webhook::WebhookRepository;

/// Everything that a unit of work can ask of the database. Every method fails with a [`StorageError`] if
/// the database does; methods name only what else they fail with.
pub trait Repositories:
    OrganisationRepository
    + ProjectRepository
    + BotRepository
    + ConfigRepository
    + TokenRepository
    + TicketRepository
    + ChangelogRepository
    + EventRepository
    + SkillRepository
    + StageRepository
    + VisualBlockRepository
    + FusionViewRepository
    + BlobRepository
    + JobRepository
    + AuditRepository
    + InstallationRepository
    + EncryptionRepository
    + EncryptedSecretRepository
    + UserRepository
    + UsageRepository
    + MaxAgeRepository
    + KeyvalRepository
    + HistoryRepository
    + FeedbackRepository
    + CrawlRepository
    + PageSetRepository
    + DocumentRepository
    + BotDocumentRepository
    + ChunkRepository
    + IdempotencyRepository
    + ImportRepository
    + WebhookRepository
    + ListRepository
{
}

/// A notifier that never fires, for stores that can't say when there are new events.
static NEVER_NOTIFIED: NewEvents = NewEvents::new();

/// What a unit of work gives back, before [`dyn Store::read`] and [`dyn Store::write`] name its type.
pub type Outcome = Box<dyn Any + Send>;

/// A unit of work. It may be run more than once, so it changes nothing but through its argument,
/// does no I/O of its own and waits for nothing.
pub type BoxedUnit = Box<dyn Fn(&mut dyn Repositories) -> Result<Outcome, DomainError> + Send>;

/// The database.
///
/// # Contract
/// - A unit is atomic: an `Err` or a panic undoes all that it did, and nothing that others did.
/// - `Ok` of a writing unit means that it is on disk.
/// - A unit sees either all of another unit or nothing of it.
/// - A unit sees everything that this process was answered before. What another process has committed it may see a
///   moment later, if it only looks up (see [`Mode::LookUp`]).
/// - Writing units whose look-ups lock what they rely on (see [`crate::lock::Lock`]) behave as if run one after
///   the other.
#[async_trait]
pub trait Store: Send + Sync {
    /// Runs one unit as one transaction, on behalf of `tenant`, or of the service itself.
    ///
    /// Units of different tenants take turns, so that a tenant with many waits for itself and not others
    /// for it. A unit whose caller has stopped waiting is not committed, if that is known in time.
    ///
    /// # Errors
    /// The error of the unit itself, or [`StorageError`] if the database could not run or keep it.
    async fn run(
        &self,
        mode: Mode,
        tenant: Option<ProjectId>,
        unit: BoxedUnit,
    ) -> Result<Outcome, DomainError>;

    /// A number that grows whenever tokens, or what makes them valid, may have changed, or a bot can't be
    /// found any more: before a unit of this process is answered, and a moment after what another process has
    /// committed. `None` if the store can't tell at the moment; then nothing that was looked up before may be
    /// relied on.
    fn access_version(&self) -> Option<u64>;

    /// The access version of the latest change in this project: what was looked up of it under this version or a later
    /// one is still so. `None` if the store can't tell at the moment. A store that does not tell projects apart
    /// takes every change for one of each.
    fn access_changed(&self, _project: ProjectId) -> Option<u64> {
        self.access_version()
    }

    /// A number that grows whenever something may have changed that belongs to this project: before a unit of
    /// this process is answered, and within 0.1 s of what another process has committed. `None` if the store
    /// can't tell.
    fn content_version(&self, _project: ProjectId) -> Option<u64> {
        None
    }

    /// Notified when a project has new events that can be read: at once after a unit of this process, and a moment
    /// after what another process has committed. A store that can't say so notifies no one, and then followers are
    /// never woken.
    fn new_events(&self) -> &NewEvents {
        &NEVER_NOTIFIED
    }

    /// Whether more of the disk is free than is reserved for deletes. If not, services add nothing for tenants. A
    /// store that can't tell always says yes.
    fn has_free_space(&self) -> bool {
        true
    }

    /// Whether the database answers, takes writes and has room.
    ///
    /// # Errors
    /// [`StorageError`] if it does not.
    async fn check(&self) -> Result<(), StorageError>;
}

impl dyn Store {
    /// Runs a reading unit of the service itself.
    ///
    /// # Errors
    /// As [`Store::run`].
    pub(crate) async fn read<T, F>(&self, unit: F) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
    {
        self.typed(Mode::Read, unit).await
    }

    /// Runs a unit of the service itself of a few look-ups by key; see [`Mode::LookUp`].
    ///
    /// # Errors
    /// As [`Store::run`].
    pub(crate) async fn look_up<T, F>(&self, unit: F) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
    {
        self.typed(Mode::LookUp, unit).await
    }

    /// Runs a writing unit of the service itself.
    ///
    /// # Errors
    /// As [`Store::run`].
    pub(crate) async fn write<T, F>(&self, unit: F) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
    {
        self.typed(Mode::Write, unit).await
    }

    pub(crate) async fn typed<T, F>(&self, mode: Mode, unit: F) -> Result<T, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories) -> Result<T, DomainError> + Send + 'static,
    {
        let unit: BoxedUnit = Box::new(move |tx| unit(tx).map(|value| Box::new(value) as Outcome));
        downcast(self.run(mode, None, unit).await?)
    }
}

/// The value of a unit that gives back a `T`.
///
/// # Errors
/// [`StorageError::Broken`] if the store returned the outcome of another unit.
pub(crate) fn downcast<T: 'static>(outcome: Outcome) -> Result<T, DomainError> {
    match outcome.downcast::<T>() {
        Ok(value) => Ok(*value),
        Err(_) => Err(StorageError::Broken("a store returned a foreign outcome".into()).into()),
    }
}

#[async_trait]
impl<S: Store + ?Sized> Store for std::sync::Arc<S> {
    async fn run(
        &self,
        mode: Mode,
        tenant: Option<ProjectId>,
        unit: BoxedUnit,
    ) -> Result<Outcome, DomainError> {
        (**self).run(mode, tenant, unit).await
    }

    fn access_version(&self) -> Option<u64> {
        (**self).access_version()
    }

    fn access_changed(&self, project: ProjectId) -> Option<u64> {
        (**self).access_changed(project)
    }

    fn content_version(&self, project: ProjectId) -> Option<u64> {
        (**self).content_version(project)
    }

    fn new_events(&self) -> &NewEvents {
        (**self).new_events()
    }

    fn has_free_space(&self) -> bool {
        (**self).has_free_space()
    }

    async fn check(&self) -> Result<(), StorageError> {
        (**self).check().await
    }
}
