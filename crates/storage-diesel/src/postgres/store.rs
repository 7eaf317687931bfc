//! The store on PostgreSQL: its queue, and the threads behind it.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use async_trait::async_trait;
use crossbeam_channel::{Sender, bounded};
use domain::lock::Mode;
use domain::store::{Outcome, Store, Unit};
use domain::{DomainError, StorageError};

use super::listener::{self, Listener};
use super::pool;
use super::server::Server;
use super::worker::Worker;
use crate::engine::access_version::AccessVersion;
use crate::engine::errors::DbError;
use crate::engine::meters::Meters;
use crate::engine::threads;
use crate::engine::unit_queue::UnitQueue;
use crate::open::{OpenError, Options};

/// The `Store` port on a PostgreSQL server. Units run on threads that the store owns.
pub struct PostgresStore {
    queue: UnitQueue,
    access: Arc<AccessVersion>,
    meters: Arc<Meters>,
    threads: Mutex<Threads>,
}

/// The threads to end.
#[derive(Default)]
struct Threads {
    workers: Vec<JoinHandle<()>>,
    listener: Option<(Sender<()>, JoinHandle<()>)>,
}

impl PostgresStore {
    /// Opens a database whose tables are up to date.
    pub(crate) fn open(server: Arc<Server>, options: &Options) -> Result<Self, OpenError> {
        let (queue, inbox) = UnitQueue::bounded(options.queue);
        let access = Arc::new(AccessVersion::new(Some(listener::MAX_AGE)));
        let meters = Arc::new(Meters::new());
        let (stop, stopped) = bounded(0);
        let listener =
            Listener::start(server.clone(), access.clone(), stopped).map_err(DbError::on_open)?;
        let listener = threads::start("storage-listener".to_owned(), || listener.run())?;
        let mut threads = Threads { listener: Some((stop, listener)), ..Threads::default() };
        let sessions = pool::open(server.clone(), options.readers)?;
        for number in 1..=options.readers.max(1) {
            let worker = Worker {
                server: server.clone(),
                sessions: sessions.clone(),
                inbox: inbox.clone(),
                access: access.clone(),
                meters: meters.clone(),
            };
            let thread = threads::start(format!("storage-{number}"), || worker.run())?;
            threads.workers.push(thread);
        }
        Ok(Self { queue, access, meters, threads: Mutex::new(threads) })
    }

    /// Runs what waits, then ends the threads. Units that come later are refused. It blocks until all
    /// is done; a second call does nothing.
    pub fn close(&self) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let Threads { workers, listener } = std::mem::take(&mut *threads);
        self.queue.close();
        workers.into_iter().for_each(threads::join);
        if let Some((stop, listener)) = listener {
            drop(stop);
            threads::join(listener);
        }
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn run(&self, mode: Mode, unit: Unit) -> Result<Outcome, DomainError> {
        self.queue.run(mode, unit, &self.meters).await
    }

    fn access_version(&self) -> Option<u64> {
        self.access.current()
    }

    async fn check(&self) -> Result<(), StorageError> {
        // A writing transaction can't be begun on a server that only follows another.
        for mode in [Mode::Read, Mode::Write] {
            self.run(mode, Box::new(|_| Ok(Box::new(())))).await?;
        }
        Ok(())
    }
}
