//! The store on PostgreSQL: a queue for reading and one for writing, and the threads behind them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use crossbeam_channel::{Sender, bounded};
use diesel::prelude::*;
use diesel::sql_types::Text;
use domain::event::NewEvents;
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::memory::ContentMemory;
use domain::store::{BoxedUnit, Outcome, Store};
use domain::{DomainError, StorageError};
use r2d2::Pool;
use tokio::sync::oneshot;

use super::listener::{self, Listener, PollRequest};
use super::pool::{self, Sessions};
use super::sequencer::{Sequencer, SequencerWaker};
use super::server::Server;
use super::worker::Worker;
use crate::engine::access_version::AccessVersion;
use crate::engine::errors::{DbError, of_empty_unit};
use crate::engine::gauges;
use crate::engine::meters::Meters;
use crate::engine::queue_bounds::{LONG_READ, QueueBounds};
use crate::engine::threads;
use crate::engine::unit_queue::OwnedQueue;
use crate::open::{OpenError, Options};

/// The `Store` port on a PostgreSQL server. Units run on threads that the store owns.
pub struct PostgresStore {
    /// Reading units and look-ups, on sessions that writing units can't take.
    reads: OwnedQueue,
    writes: OwnedQueue,
    /// The sessions of those, and of these.
    sessions: [Pool<Sessions>; 2],
    access: Arc<AccessVersion>,
    new_events: Arc<NewEvents>,
    /// As the listener saw it last.
    is_read_only: Arc<AtomicBool>,
    /// When the server had no room for a change last.
    was_full: Mutex<Option<Instant>>,
    meters: Arc<Meters>,
    threads: Mutex<Threads>,
}

#[diesel::declare_sql_function]
extern "SQL" {
    /// The size of a database on disk, in bytes.
    fn pg_database_size(name: Text) -> BigInt;
    /// The name of the database of this session.
    fn current_database() -> Text;
}

/// How many at once may have the listener poll; others do not wait for it.
const POLL_REQUESTS: usize = 64;

/// For how long the server counts as full after a change for which it had no room.
const FULL_FOR: Duration = Duration::from_secs(10);

/// The threads to end.
#[derive(Default)]
struct Threads {
    workers: Vec<JoinHandle<()>>,
    listener: Option<(Sender<PollRequest>, JoinHandle<()>)>,
    sequencer: Option<(SequencerWaker, JoinHandle<()>)>,
}

impl PostgresStore {
    /// Opens a database whose tables are up to date. `direct` is the server itself if `server` is a pooler before it.
    pub(crate) fn open(
        server: Arc<Server>,
        direct: Arc<Server>,
        options: &Options,
    ) -> Result<Self, OpenError> {
        let access = Arc::new(AccessVersion::new(Some(listener::MAX_AGE)));
        let new_events = Arc::new(NewEvents::new());
        let is_read_only = Arc::new(AtomicBool::new(false));
        let meters = Arc::new(Meters::new());
        let memory = ContentMemory::new(options.content_memory);
        let (poll_request, poll_requests) = bounded(POLL_REQUESTS);
        let noticed = (access.clone(), new_events.clone());
        let mut listener =
            Listener::start(direct.clone(), noticed, is_read_only.clone(), poll_requests)
                .map_err(DbError::on_open)?;
        if !listener.receives_notifications(&server).map_err(DbError::on_open)? {
            return Err(OpenError::NoNotifications);
        }
        let listener = threads::start("storage-listener".to_owned(), || listener.run())?;
        let (wake, sequencer) = Sequencer::new(direct, new_events.clone());
        let sequencer = threads::start("storage-sequencer".to_owned(), || sequencer.run())?;
        let mut threads = Threads {
            workers: Vec::new(),
            listener: Some((poll_request, listener)),
            sequencer: Some((wake.clone(), sequencer)),
        };
        let mut start = |name: &str, count: usize, bounds: QueueBounds, batch| {
            let queue = OwnedQueue::new(bounds, memory.clone());
            let sessions = pool::open(server.clone(), count)?;
            for number in 1..=count.max(1) {
                let worker = Worker {
                    server: server.clone(),
                    sessions: sessions.clone(),
                    queue: queue.share(),
                    batch,
                    lock_wait: options.lock_wait,
                    access: access.clone(),
                    sequencer: wake.clone(),
                    meters: meters.clone(),
                };
                let thread = threads::start(format!("{name}-{number}"), || worker.run())?;
                threads.workers.push(thread);
            }
            Ok::<_, OpenError>((queue, sessions))
        };
        let bounds = QueueBounds::of(options.queue, options.readers, LONG_READ);
        let (reads, readers) =
            start("storage-reader", options.readers, bounds, (1, Duration::ZERO))?;
        let bounds = QueueBounds::of_postgres_writers(options.queue, options.writers);
        let batch = (options.write_batch, options.write_batch_time);
        let (writes, writers) = start("storage-writer", options.writers, bounds, batch)?;
        let sessions = [readers, writers];
        let (threads, was_full) = (Mutex::new(threads), Mutex::default());
        Ok(Self {
            reads,
            writes,
            sessions,
            access,
            new_events,
            is_read_only,
            was_full,
            meters,
            threads,
        })
    }

    /// As [`DieselStore::record_gauges`](crate::DieselStore::record_gauges).
    pub(crate) fn record_gauges(&self) {
        let [readers, writers] = &self.sessions;
        gauges::connections(Mode::Read, readers);
        gauges::connections(Mode::Write, writers);
        self.meters.waiting(Mode::Read, self.reads.waiting());
        self.meters.waiting(Mode::Write, self.writes.waiting());
        // Where requests have all sessions, the size can wait.
        if let Some(mut session) = readers.try_get() {
            session.begun();
            let size = diesel::select(pg_database_size(current_database()));
            if let Ok(bytes) = size.get_result::<i64>(&mut session.db) {
                session.ended();
                gauges::database_bytes(bytes.try_into().unwrap_or(0));
            }
        }
    }

    /// Runs what waits, then ends the threads. Units that come later are refused. It blocks until all
    /// is done; a second call does nothing.
    pub fn close(&self) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let Threads { workers, listener, sequencer } = std::mem::take(&mut *threads);
        self.reads.close();
        self.writes.close();
        workers.into_iter().for_each(threads::join);
        // After the workers: it ends when no one can wake it any more.
        if let Some((wake, sequencer)) = sequencer {
            drop(wake);
            threads::join(sequencer);
        }
        if let Some((poll_request, listener)) = listener {
            drop(poll_request);
            threads::join(listener);
        }
    }
}

impl PostgresStore {
    /// Waits until what other processes have committed so far is noticed, if it can be noticed.
    async fn notice_others(&self) {
        if self.access.current().is_none() {
            return;
        }
        let (request, polled) = oneshot::channel();
        let is_requested =
            match &self.threads.lock().unwrap_or_else(PoisonError::into_inner).listener {
                Some((poll_requests, _)) => poll_requests.try_send(request).is_ok(),
                None => false,
            };
        if is_requested {
            // Nothing is ever sent: it ends.
            polled.await.unwrap_or_default();
        }
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn run(
        &self,
        mode: Mode,
        tenant: Option<ProjectId>,
        unit: BoxedUnit,
    ) -> Result<Outcome, DomainError> {
        let queue = match mode {
            Mode::LookUp | Mode::Read => &self.reads,
            Mode::Write => &self.writes,
        };
        let done = queue.run(mode, tenant, unit, &self.meters).await;
        // A look-up that finds no room for what it sorts says nothing of room for changes.
        if mode == Mode::Write
            && let Err(DomainError::Storage(StorageError::Full(_))) = &done
        {
            *self.was_full.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        done
    }

    fn access_version(&self) -> Option<u64> {
        self.access.current()
    }

    fn access_changed(&self, project: ProjectId) -> Option<u64> {
        self.access.changed(project)
    }

    fn new_events(&self) -> &NewEvents {
        &self.new_events
    }

    async fn check(&self) -> Result<(), StorageError> {
        for mode in [Mode::Read, Mode::Write] {
            let empty = self.run(mode, None, Box::new(|_| Ok(Box::new(())))).await;
            empty.map_err(of_empty_unit)?;
        }
        self.notice_others().await;
        if self.is_read_only.load(Ordering::SeqCst) {
            return Err(StorageError::Unavailable("the server takes no changes".to_owned()));
        }
        // The disk can't be seen, and an empty change needs no room.
        let was_full = *self.was_full.lock().unwrap_or_else(PoisonError::into_inner);
        if was_full.is_some_and(|since| since.elapsed() < FULL_FOR) {
            return Err(StorageError::Full("there was no room for a change just now".to_owned()));
        }
        Ok(())
    }
}
