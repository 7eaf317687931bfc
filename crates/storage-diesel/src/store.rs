//! The store: queues, and the threads behind them.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

use async_trait::async_trait;
use crossbeam_channel::{Sender, bounded};
use domain::lock::Mode;
use domain::store::{Outcome, Store, Unit};
use domain::{DomainError, StorageError};

use crate::access_version::AccessVersion;
use crate::db::Db;
use crate::errors::Fault;
use crate::listener::{self, Listener};
use crate::meters::Meters;
use crate::migrations;
use crate::open::{DatabaseUrl, OpenError, Options};
use crate::pool::{self, Connections, Place};
use crate::postgres::Server;
use crate::postgres_worker::Worker;
use crate::queued_unit::QueuedUnit;
use crate::sqlite;
use crate::sqlite_reader::{self, Reader};
use crate::sqlite_writer::Writer;
use crate::unit_queue::{UnitQueue, closed};

/// The `Store` port on SQLite or PostgreSQL.
///
/// Units run on threads that the store owns, but for look-ups in SQLite that find a connection free,
/// which run on their caller's. `run` needs no particular runtime. A unit whose caller has stopped
/// waiting before its turn is not run.
pub struct DieselStore {
    reads: Arc<UnitQueue>,
    /// On PostgreSQL the same as that of `reads`.
    writes: Arc<UnitQueue>,
    /// The connections that read from SQLite, until the store is closed.
    readers: RwLock<Option<Connections>>,
    access: Arc<AccessVersion>,
    meters: Arc<Meters>,
    commits: Arc<AtomicU64>,
    threads: Mutex<Threads>,
}

/// The threads to end, in this order: readers of SQLite hold back the writer's last checkpoint.
#[derive(Default)]
struct Threads {
    readers: Vec<JoinHandle<()>>,
    writer: Option<JoinHandle<()>>,
    listener: Option<(Sender<()>, JoinHandle<()>)>,
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
            DatabaseUrl::Sqlite(path) => Self::open_sqlite(path, url, options),
            DatabaseUrl::Postgres(address) => Self::open_postgres(address, &options),
        }
    }

    /// Brings the database up to date, creating that of SQLite if need be, and opens it.
    ///
    /// # Errors
    /// As [`migrations::migrate`] and [`Self::open`].
    pub fn open_and_migrate(url: &DatabaseUrl, options: Options) -> Result<Self, OpenError> {
        migrations::migrate(url)?;
        Self::open(url, options)
    }

    fn open_sqlite(path: &Path, url: &DatabaseUrl, options: Options) -> Result<Self, OpenError> {
        migrations::check(&migrations::migration_status(url)?)?;
        let mut connection = sqlite::connect(path)?;
        sqlite::make_writer(&mut connection, options.sqlite_max_pages)?;
        let (reads, read_inbox) = UnitQueue::bounded(options.queue);
        let (writes, write_inbox) = UnitQueue::bounded(options.queue);
        let access = Arc::new(AccessVersion::new(None));
        let meters = Arc::new(Meters::new());
        let commits = Arc::new(AtomicU64::new(0));
        let mut threads = Threads::default();
        let connections = pool::open(Place::SqliteReaders(path.to_path_buf()), options.readers)?;
        for number in 1..=options.readers.max(1) {
            let reader = Reader {
                connections: connections.clone(),
                inbox: read_inbox.clone(),
                meters: meters.clone(),
            };
            let thread = spawn(format!("storage-reader-{number}"), || reader.run())?;
            threads.readers.push(thread);
        }
        let writer = Writer {
            db: Db::Sqlite(connection),
            inbox: write_inbox,
            batch_units: options.write_batch.max(1),
            batch_time: options.write_batch_time,
            on_fatal: options.on_fatal,
            access: access.clone(),
            meters: meters.clone(),
            commits: commits.clone(),
            data_version: None,
            bulk: 0,
        };
        let readers = RwLock::new(Some(connections));
        // Known from the first moment on: the writer itself has not looked yet.
        access.confirm();
        threads.writer = Some(spawn("storage-writer".to_owned(), || writer.run())?);
        Ok(Self {
            reads: Arc::new(reads),
            writes: Arc::new(writes),
            readers,
            access,
            meters,
            commits,
            threads: Mutex::new(threads),
        })
    }

    fn open_postgres(address: &str, options: &Options) -> Result<Self, OpenError> {
        let server = Arc::new(Server::new(address)?);
        let mut first = Db::Pg(server.connect().map_err(unreachable)?);
        migrations::check(&migrations::status_of(&mut first)?)?;
        drop(first);
        let (queue, inbox) = UnitQueue::bounded(options.queue);
        let queue = Arc::new(queue);
        let access = Arc::new(AccessVersion::new(Some(listener::MAX_AGE)));
        let meters = Arc::new(Meters::new());
        let (stop, stopped) = bounded(0);
        let listener =
            Listener::start(server.clone(), access.clone(), stopped).map_err(unreachable)?;
        let listener = spawn("storage-listener".to_owned(), || listener.run())?;
        let mut threads = Threads { listener: Some((stop, listener)), ..Threads::default() };
        let sessions = pool::open(Place::Postgres(server.clone()), options.readers)?;
        for number in 1..=options.readers.max(1) {
            let worker = Worker {
                server: server.clone(),
                sessions: sessions.clone(),
                inbox: inbox.clone(),
                access: access.clone(),
                meters: meters.clone(),
            };
            let thread = spawn(format!("storage-{number}"), || worker.run())?;
            threads.readers.push(thread);
        }
        Ok(Self {
            reads: queue.clone(),
            writes: queue,
            readers: RwLock::new(None),
            access,
            meters,
            commits: Arc::default(),
            threads: Mutex::new(threads),
        })
    }

    /// Runs what waits, then ends the threads and leaves a complete database file. Units that come
    /// later are refused. It blocks until all is done; a second call does nothing.
    pub fn close(&self) {
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        let Threads { readers, writer, listener } = std::mem::take(&mut *threads);
        // Waits for those who read at the moment.
        self.readers.write().unwrap_or_else(PoisonError::into_inner).take();
        self.reads.close();
        for reader in readers {
            end(reader);
        }
        if let Some(writer) = writer {
            self.writes.close();
            end(writer);
        }
        if let Some((stop, listener)) = listener {
            drop(stop);
            end(listener);
        }
    }

    /// Runs a unit at once, if it can; see [`sqlite_reader::look_up_here`].
    fn look_up_here(&self, unit: &Unit) -> Option<Result<Outcome, DomainError>> {
        let readers = self.readers.read().unwrap_or_else(PoisonError::into_inner);
        sqlite_reader::look_up_here(readers.as_ref()?, unit, &self.meters)
    }

    /// SQLite: how many times the writer has committed. Under load it is far less than the number
    /// of writing units.
    #[must_use]
    pub fn commits(&self) -> u64 {
        self.commits.load(Ordering::Relaxed)
    }
}

fn spawn(name: String, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, OpenError> {
    std::thread::Builder::new()
        .name(name)
        .spawn(work)
        .map_err(|error| OpenError::Failed(format!("no thread could be started: {error}")))
}

fn end(thread: JoinHandle<()>) {
    if thread.join().is_err() {
        tracing::error!("a thread of the store panicked");
    }
}

fn unreachable(fault: Fault) -> OpenError {
    match fault {
        Fault::Lost(text) => OpenError::Unreachable(text),
        Fault::Collision(text)
        | Fault::Slow(text)
        | Fault::Full(text)
        | Fault::Io(text)
        | Fault::Broken(text) => OpenError::Failed(text),
    }
}

#[async_trait]
impl Store for DieselStore {
    async fn run(&self, mode: Mode, unit: Unit) -> Result<Outcome, DomainError> {
        if mode == Mode::LookUp
            && let Some(answer) = self.look_up_here(&unit)
        {
            return answer;
        }
        let queue = match mode {
            Mode::LookUp | Mode::Read => &self.reads,
            Mode::Write => &self.writes,
        };
        let (queued, answer) = QueuedUnit::new(mode, unit);
        if let Err(refusal) = queue.send(queued) {
            let refusal = Err(refusal.into());
            self.meters.unit(mode, &refusal, Duration::ZERO);
            return refusal;
        }
        answer.await.unwrap_or_else(|_| Err(closed().into()))
    }

    fn access_version(&self) -> Option<u64> {
        self.access.current()
    }

    async fn check(&self) -> Result<(), StorageError> {
        // Beginning a writing transaction needs all that a change needs, but room on the disk.
        for mode in [Mode::Read, Mode::Write] {
            self.run(mode, Box::new(|_| Ok(Box::new(())))).await?;
        }
        Ok(())
    }
}
