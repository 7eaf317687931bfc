//! The store that an address leads to.

#[cfg(feature = "postgres")]
use std::sync::Arc;

use async_trait::async_trait;
use domain::event::NewEvents;
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::store::{BoxedUnit, Outcome, Store};
use domain::{DomainError, StorageError};

#[cfg(feature = "postgres")]
use crate::engine::db::Db;
#[cfg(feature = "postgres")]
use crate::engine::errors::DbError;
use crate::migrations;
use crate::open::{DatabaseUrl, OpenError, Options};
#[cfg(feature = "postgres")]
use crate::postgres::server::Server;
#[cfg(feature = "postgres")]
use crate::postgres::store::PostgresStore;
#[cfg(feature = "sqlite")]
use crate::sqlite::store::SqliteStore;

/// The `Store` port on SQLite or PostgreSQL.
///
/// `run` needs no particular runtime. A unit whose caller has stopped waiting before its turn is not
/// run. One that is dropped ends its threads and connections, but only [`close`](Self::close) waits for that.
pub enum DieselStore {
    /// On a file.
    #[cfg(feature = "sqlite")]
    Sqlite(SqliteStore),
    /// On a server.
    #[cfg(feature = "postgres")]
    Postgres(PostgresStore),
}

impl DieselStore {
    /// Opens a database that is up to date.
    ///
    /// The recorder of `metrics` must be installed by then, if there is to be one.
    ///
    /// # Errors
    /// [`OpenError`] if it can't be reached or written, or if its tables are older or newer than
    /// this service.
    pub fn open(url: &DatabaseUrl, options: Options) -> Result<Self, OpenError> {
        match url {
            #[cfg(feature = "sqlite")]
            DatabaseUrl::Sqlite(path) => {
                migrations::check(&migrations::migration_status(url)?)?;
                Ok(Self::Sqlite(SqliteStore::open(path, options)?))
            }
            #[cfg(feature = "postgres")]
            DatabaseUrl::Postgres(address) => {
                let server = Server::new(address)?.preparing(options.prepared_statements);
                let (server, direct) = match &options.listen_url {
                    None => {
                        let server = Arc::new(server);
                        (server.clone(), server)
                    }
                    Some(direct) => (Arc::new(server.pooling()), Arc::new(Server::new(direct)?)),
                };
                let mut first = direct.connect().map_err(DbError::on_open)?;
                migrations::check(&migrations::status_of(&mut Db::Pg(&mut first))?)?;
                drop(first);
                server.warn_of_plain_text();
                if options.listen_url.is_some() {
                    direct.warn_of_plain_text();
                }
                Ok(Self::Postgres(PostgresStore::open(server, direct, &options)?))
            }
            #[cfg(not(all(feature = "postgres", feature = "sqlite")))]
            other => Err(other.not_in_build()),
        }
    }

    /// Brings the database up to date, creating that of SQLite if need be, and opens it.
    ///
    /// # Errors
    /// As [`migrations::migrate`] and [`Self::open`].
    pub fn open_and_migrate(url: &DatabaseUrl, options: Options) -> Result<Self, OpenError> {
        let direct = options.listen_url.clone().map(DatabaseUrl::Postgres);
        migrations::migrate(direct.as_ref().unwrap_or(url))?;
        Self::open(url, options)
    }

    /// Runs what waits, then ends the threads. Units that come later are refused. It blocks until all
    /// is done; a second call does nothing.
    pub fn close(&self) {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(store) => store.close(),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.close(),
        }
    }

    /// Records the connections in use, the units that wait and the size of the database as gauges of the recorder of
    /// `metrics`. It blocks, on PostgreSQL for a statement, so it is called every few seconds and not for each request
    /// that reads the gauges.
    pub fn record_gauges(&self) {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(store) => store.record_gauges(),
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store.record_gauges(),
        }
    }

    fn port(&self) -> &dyn Store {
        match self {
            #[cfg(feature = "sqlite")]
            Self::Sqlite(store) => store,
            #[cfg(feature = "postgres")]
            Self::Postgres(store) => store,
        }
    }
}

#[async_trait]
impl Store for DieselStore {
    async fn run(
        &self,
        mode: Mode,
        tenant: Option<ProjectId>,
        unit: BoxedUnit,
    ) -> Result<Outcome, DomainError> {
        self.port().run(mode, tenant, unit).await
    }

    fn access_version(&self) -> Option<u64> {
        self.port().access_version()
    }

    fn access_changed(&self, project: ProjectId) -> Option<u64> {
        self.port().access_changed(project)
    }

    fn content_version(&self, project: ProjectId) -> Option<u64> {
        self.port().content_version(project)
    }

    fn new_events(&self) -> &NewEvents {
        self.port().new_events()
    }

    fn has_free_space(&self) -> bool {
        self.port().has_free_space()
    }

    async fn check(&self) -> Result<(), StorageError> {
        self.port().check().await
    }
}
