//! A store that has its units of work looked at, replaced or refused before another one runs them.

use std::sync::Arc;

use async_trait::async_trait;
use domain::error::{DomainError, StorageError};
use domain::event::NewEvents;
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::store::{BoxedUnit, Outcome, Store};

/// Gets each unit ahead of its run, with the tenant, and gives the one that is run.
type Intercept =
    dyn Fn(Mode, Option<ProjectId>, BoxedUnit) -> Result<BoxedUnit, DomainError> + Send + Sync;

/// Such a store.
pub struct InterceptedStore {
    store: Arc<dyn Store>,
    intercept: Box<Intercept>,
}

impl InterceptedStore {
    /// `intercept` gets each unit ahead of its run, with the tenant, and gives the one that is run, or refuses it.
    pub fn of(
        store: Arc<dyn Store>,
        intercept: impl Fn(Mode, Option<ProjectId>, BoxedUnit) -> Result<BoxedUnit, DomainError>
        + Send
        + Sync
        + 'static,
    ) -> Arc<dyn Store> {
        Arc::new(Self { store, intercept: Box::new(intercept) })
    }
}

#[async_trait]
impl Store for InterceptedStore {
    async fn run(
        &self,
        mode: Mode,
        tenant: Option<ProjectId>,
        unit: BoxedUnit,
    ) -> Result<Outcome, DomainError> {
        let unit = (self.intercept)(mode, tenant, unit)?;
        self.store.run(mode, tenant, unit).await
    }

    fn access_version(&self) -> Option<u64> {
        self.store.access_version()
    }

    fn access_changed(&self, project: ProjectId) -> Option<u64> {
        self.store.access_changed(project)
    }

    fn content_version(&self, project: ProjectId) -> Option<u64> {
        self.store.content_version(project)
    }

    fn new_events(&self) -> &NewEvents {
        self.store.new_events()
    }

    fn has_free_space(&self) -> bool {
        self.store.has_free_space()
    }

    async fn check(&self) -> Result<(), StorageError> {
        self.store.check().await
    }
}
