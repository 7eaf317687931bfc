//! The store on SQLite: its queues, and the threads behind them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::{JoinHandle, available_parallelism};

use async_trait::async_trait;
use diesel::prelude::*;
use domain::event::NewEvents;
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::memory::ContentMemory;
use domain::store::{BoxedUnit, Outcome, Store};
use domain::{DomainError, StorageError};
use r2d2::Pool;

use super::checkpoint::Log;
use super::connect::{connect, make_writer};
use super::disk_reserve::{DiskReserve, log_of};
use super::pool::{self, ReadOnly};
use super::reader::{Reader, look_up_here};
use super::writer::Writer;
use crate::engine::access_version::AccessVersion;
use crate::engine::errors::{DbError, of_empty_unit};
use crate::engine::gauges;
use crate::engine::generation::Generation;
use crate::engine::meters::{Meters, commit_seconds};
use crate::engine::queue_bounds::QueueBounds;
use crate::engine::threads;
use crate::engine::unit_queue::OwnedQueue;
use crate::open::{OpenError, Options};
use crate::tables::event::{IS_UNNUMBERED, NUMBER_EVENTS, UnnumberedRow};

/// The `Store` port on a file of SQLite.
///
/// Units run on threads that the store owns, but for look-ups that find a connection free, which run on
/// their caller's.
pub struct SqliteStore {
    reads: OwnedQueue,
    writes: OwnedQueue,
    /// The connections that read, until the store is closed.
    readers: RwLock<Option<Pool<ReadOnly>>>,
    memory: Arc<ContentMemory>,
    access: Arc<AccessVersion>,
    new_events: Arc<NewEvents>,
    generation: Arc<Generation>,
    meters: Arc<Meters>,
    commits: Arc<AtomicU64>,
    disk_reserve: Arc<DiskReserve>,
    /// The database file, and its write-ahead log.
    files: [PathBuf; 2],
    threads: Mutex<Threads>,
}

/// The threads to end, in this order: readers hold back the writer's last checkpoint.
#[derive(Default)]
struct Threads {
    readers: Vec<JoinHandle<()>>,
    writer: Option<JoinHandle<()>>,
}

impl SqliteStore {
    /// Opens a database file whose tables are up to date.
    pub(crate) fn open(path: &Path, options: Options) -> Result<Self, OpenError> {
        let mut connection = connect(path)?;
        number_events(&mut connection).map_err(DbError::from).map_err(DbError::on_open)?;
        make_writer(&mut connection, options.sqlite_max_pages)?;
        let memory = ContentMemory::new(options.content_memory);
        let cores = available_parallelism().map_or(1, usize::from);
        let bounds = QueueBounds::of_sqlite_readers(options.queue, options.readers, cores);
        let reads = OwnedQueue::new(bounds, memory.clone());
        let bounds = QueueBounds::of_sqlite_writer(options.queue, options.write_batch_time);
        let writes = OwnedQueue::new(bounds, memory.clone());
        let access = Arc::new(AccessVersion::new(None));
        let new_events = Arc::new(NewEvents::new());
        let generation = Arc::new(Generation::default());
        let meters = Arc::new(Meters::new());
        let commits = Arc::new(AtomicU64::new(0));
        let disk_reserve = Arc::new(DiskReserve::new(path, options.reserve));
        let mut threads = Threads::default();
        let connections = pool::open(path.to_path_buf(), options.readers)?;
        for number in 1..=options.readers.max(1) {
            let reader = Reader {
                connections: connections.clone(),
                queue: reads.share(),
                meters: meters.clone(),
            };
            let thread = threads::start(format!("storage-reader-{number}"), || reader.run())?;
            threads.readers.push(thread);
        }
        let writer = Writer {
            db: connection,
            queue: writes.share(),
            batch_units: options.write_batch.max(1),
            batch_time: options.write_batch_time,
            on_fatal: options.on_fatal,
            access: access.clone(),
            new_events: new_events.clone(),
            generation: generation.clone(),
            readers: connections.clone(),
            log: Log::open(path)?,
            meters: meters.clone(),
            commit_seconds: commit_seconds(),
            commits: commits.clone(),
            disk_reserve: disk_reserve.clone(),
            data_version: None,
            bulk: 0,
            savepoints_left: 0,
        };
        let readers = RwLock::new(Some(connections));
        // Known from the first moment on: the writer itself has not looked yet.
        access.confirm();
        threads.writer = Some(threads::start("storage-writer".to_owned(), || writer.run())?);
        let threads = Mutex::new(threads);
        Ok(Self {
            reads,
            writes,
            readers,
            memory,
            access,
            new_events,
            generation,
            meters,
            commits,
            disk_reserve,
            files: [path.to_owned(), log_of(path)],
            threads,
        })
    }

    /// Runs what waits, then ends the threads and leaves a complete database file. Units that come
    /// later are refused. It blocks until all is done; a second call does nothing.
    pub fn close(&self) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let Threads { readers, writer } = std::mem::take(&mut *threads);
        // Waits for units that read at the moment.
        self.readers.write().unwrap_or_else(PoisonError::into_inner).take();
        self.reads.close();
        readers.into_iter().for_each(threads::join);
        self.writes.close();
        writer.into_iter().for_each(threads::join);
    }

    /// How many times the writer has committed. Under load it is far less than the number of writing
    /// units.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }

    /// As [`DieselStore::record_gauges`](crate::DieselStore::record_gauges).
    pub(crate) fn record_gauges(&self) {
        let readers = self.readers.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(readers) = &*readers {
            gauges::connections(Mode::Read, readers);
        }
        self.meters.waiting(Mode::Read, self.reads.waiting());
        self.meters.waiting(Mode::Write, self.writes.waiting());
        let [database, log] = self.files.each_ref().map(fs::metadata);
        if let Ok(database) = database {
            gauges::database_bytes(database.len());
        }
        // Without a log nothing waits to be moved into the file.
        gauges::log_bytes(log.map_or(0, |log| log.len()));
    }

    /// Runs a unit at once, if it can; see [`look_up_here`].
    fn look_up_here(
        &self,
        unit: &BoxedUnit,
        tenant: Option<ProjectId>,
    ) -> Option<Result<Outcome, DomainError>> {
        let readers = self.readers.read().unwrap_or_else(PoisonError::into_inner);
        let readers = (readers.as_ref()?, &*self.generation);
        look_up_here(readers, unit, (&self.memory, tenant), &self.meters)
    }
}

/// Gives numbers to events that have none: a copy of a database of PostgreSQL may have some that were just written.
fn number_events(db: &mut SqliteConnection) -> QueryResult<()> {
    while diesel::sql_query(IS_UNNUMBERED).get_result::<UnnumberedRow>(db)?.is_unnumbered {
        diesel::sql_query(NUMBER_EVENTS).execute(db)?;
    }
    Ok(())
}

#[async_trait]
impl Store for SqliteStore {
    async fn run(
        &self,
        mode: Mode,
        tenant: Option<ProjectId>,
        unit: BoxedUnit,
    ) -> Result<Outcome, DomainError> {
        if mode == Mode::LookUp
            && let Some(answer) = self.look_up_here(&unit, tenant)
        {
            return answer;
        }
        let queue = match mode {
            Mode::LookUp | Mode::Read => &self.reads,
            Mode::Write => &self.writes,
        };
        queue.run(mode, tenant, unit, &self.meters).await
    }

    fn access_version(&self) -> Option<u64> {
        self.access.current()
    }

    fn access_changed(&self, project: ProjectId) -> Option<u64> {
        self.access.changed(project)
    }

    fn content_version(&self, project: ProjectId) -> Option<u64> {
        // As long as changes by other processes are noticed.
        self.access.current()?;
        Some(self.generation.of_project(project))
    }

    fn new_events(&self) -> &NewEvents {
        &self.new_events
    }

    fn has_free_space(&self) -> bool {
        self.disk_reserve.has_free_space()
    }

    async fn check(&self) -> Result<(), StorageError> {
        // Beginning a writing transaction needs all that a change needs, but room on the disk.
        for mode in [Mode::Read, Mode::Write] {
            let empty = self.run(mode, None, Box::new(|_| Ok(Box::new(())))).await;
            empty.map_err(of_empty_unit)?;
        }
        if !self.has_free_space() {
            return Err(StorageError::Full("less is free than is kept back".to_owned()));
        }
        Ok(())
    }
}
