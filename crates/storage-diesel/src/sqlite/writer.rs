//! The one thread that writes to SQLite: group commit.
//!
//! It takes every unit that waits, runs them in one transaction, commits once, and only then answers. One commit
//! costs one wait for the disk, so under load many units share it.
//!
//! A unit that fails is undone alone. In a savepoint it can be, but for that SQLite copies each page that a unit
//! changes. So units are run without savepoints as long as nothing has to be undone: most that fail have changed
//! nothing yet. If one has, the transaction is rolled back, and its units are run again in savepoints, as those of the
//! next hundred batches are.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::query_builder::{QueryFragment, QueryId};
use diesel::sqlite::Sqlite;
use domain::event::NewEvents;
use domain::lock::Mode;
use domain::store::Outcome;
use metrics::Histogram;
use r2d2::Pool;

use super::checkpoint::Log;
use super::disk_reserve::DiskReserve;
use super::pool::{ReadOnly, end_all};
use super::unit::UnitOutcome;
use crate::engine::access_version::AccessVersion;
use crate::engine::errors::DbError;
use crate::engine::generation::Generation;
use crate::engine::meters::Meters;
use crate::engine::owner_queues::QueueOwner;
use crate::engine::queued_unit::{Failure, QueuedUnit};
use crate::engine::tx::CommitNotifications;
use crate::engine::unit_queue::{Taken, UnitQueue, closed};
use crate::open::OnFatal;
use crate::sql::transaction::{BeginImmediate, Commit, DataVersion, Rollback};

/// How often the writer looks for changes by other processes while there is nothing to do.
const POLL: Duration = Duration::from_millis(50);

/// How long the writer waits until another process has written, and how long between two attempts.
const LOCK_WAIT: Duration = Duration::from_secs(5);
const LOCK_PAUSE: Duration = Duration::from_micros(500);

/// From how many pages on the time of a commit is that of the units that wrote them: 512 KiB. To wait for the disk takes
/// about as long whatever was written, until it is more than that.
const LARGE_WRITE_PAGES: i64 = 64;

/// For how long what units have read or written may stay in it, if there is nothing to do then: what a busy time has
/// filled goes back to the system.
const CACHED: Duration = Duration::from_secs(10);

/// In how many batches units are run in savepoints after one in which a unit had to be undone: a client that makes it
/// come to that again and again must not have all units run twice.
const BATCHES_IN_SAVEPOINTS: u32 = 100;

/// The state of the writing thread.
pub struct Writer {
    pub db: SqliteConnection,
    pub queue: Arc<UnitQueue>,
    pub batch_units: usize,
    pub batch_time: Duration,
    pub on_fatal: OnFatal,
    pub access: Arc<AccessVersion>,
    pub new_events: Arc<NewEvents>,
    pub generation: Arc<Generation>,
    /// The connections that read, whose transactions hold back the write-ahead log.
    pub readers: Pool<ReadOnly>,
    pub log: Log,
    pub meters: Arc<Meters>,
    pub commit_seconds: Histogram,
    pub commits: Arc<AtomicU64>,
    pub disk_reserve: Arc<DiskReserve>,
    /// What `PRAGMA data_version` returned last. It changes with commits of other connections only.
    pub data_version: Option<i64>,
    /// How many bytes went through its cache in bulk since that was emptied.
    pub bulk: i64,
    /// In how many more batches units are run in savepoints.
    pub savepoints_left: u32,
}

/// A unit that was run in the batch, not answered yet.
type Done = (QueuedUnit, Result<Outcome, Failure>, CommitNotifications);

/// How a transaction came out.
enum TransactionOutcome {
    /// Every unit was answered.
    Finished(ControlFlow<()>),
    /// One unit failed so badly that SQLite gave up the whole transaction, as it does for one that
    /// does not fit on the disk.
    Aborted { by: QueuedUnit, error: DbError, others: Vec<QueuedUnit> },
    /// One that was run without a savepoint has to be undone, and so are all that were run.
    RolledBack { units: Vec<QueuedUnit> },
}

impl Writer {
    /// Works until the queue is closed and empty.
    pub fn run(mut self) {
        self.record_free_pages();
        // Since when there may be something in the cache.
        let mut cached_since = None;
        loop {
            match self.queue.take_within(POLL) {
                Taken::Unit(queued) => {
                    if self.batch(queued).is_break() {
                        return self.refuse_all();
                    }
                    cached_since.get_or_insert_with(Instant::now);
                }
                Taken::TimedOut => {
                    self.detect_external_changes();
                    end_all(&self.readers, Duration::ZERO);
                    // The log may have been copied since the last commit.
                    self.checkpoint_log();
                    if cached_since.is_some_and(|since: Instant| since.elapsed() >= CACHED) {
                        self.empty_cache();
                        cached_since = None;
                    }
                }
                Taken::Closed => break,
            }
        }
        let Self { mut db, readers, log, .. } = self;
        // Their transactions end with them, and only one connection at a time makes a checkpoint.
        drop((readers, log));
        // Leaves one file behind, complete in itself, unless another process has it open: that one will, and could not
        // write while this one waits for its transactions.
        if let Err(error) = db.batch_execute("PRAGMA wal_checkpoint(TRUNCATE)") {
            tracing::warn!("the last checkpoint failed, the next start makes up for it: {error}");
        }
    }

    /// Runs this unit and those that wait behind it, commits, and answers them all. `Break` means
    /// that the thread must not go on.
    fn batch(&mut self, first: QueuedUnit) -> ControlFlow<()> {
        let mut units = vec![first];
        let mut has_savepoints = self.savepoints_left > 0;
        self.savepoints_left = self.savepoints_left.saturating_sub(1);
        // A unit that aborted the transaction is failed alone, and the others are run again without it. Each
        // transaction has one unit less, but for one at most after which there are savepoints, so this ends.
        while !units.is_empty() {
            match self.transaction(units, has_savepoints) {
                TransactionOutcome::Finished(flow) => return flow,
                TransactionOutcome::Aborted { by, error, others } => {
                    self.roll_back();
                    by.answer(Err(Failure::Database(error).into()), &self.meters);
                    units = others;
                }
                // In savepoints none has to be undone with others.
                TransactionOutcome::RolledBack { units: all } => {
                    self.roll_back();
                    tracing::debug!(
                        "a unit has to be undone, so the next ones are run in savepoints"
                    );
                    self.savepoints_left = BATCHES_IN_SAVEPOINTS;
                    has_savepoints = true;
                    units = all;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Runs these units, and as many of those that wait as a batch holds, in one transaction.
    fn transaction(&mut self, units: Vec<QueuedUnit>, has_savepoints: bool) -> TransactionOutcome {
        let begun = self.begin();
        // Only now: another process may have committed while this one waited for its turn, and can't any more.
        self.detect_external_changes();
        if let Err(error) = begun {
            // An earlier transaction that could not be ended would fail every later one too.
            self.roll_back();
            self.refuse_waiting(units, &error);
            return TransactionOutcome::Finished(ControlFlow::Continue(()));
        }
        let started = Instant::now();
        let mut done: Vec<Done> = Vec::new();
        let mut units = units.into_iter();
        let mut was_long = false;
        let mut longest = None;
        while let Some(queued) = units
            .next()
            .or_else(|| if was_long { None } else { self.take_waiting(done.len(), started) })
        {
            if queued.is_abandoned() {
                continue;
            }
            let began = Instant::now();
            let outcome = self.unit(&queued, has_savepoints);
            let time = began.elapsed();
            // To commit it takes long as well, which the others would wait for.
            was_long |= self.queue.is_long(time);
            if longest.is_none_or(|(longest, _)| time > longest) {
                longest = Some((time, queued.owner()));
            }
            match outcome {
                UnitOutcome::Answer((Err(Failure::Database(DbError::NoMemory)), _))
                    if queued.may_wait_for_memory() =>
                {
                    self.queue.requeue(queued);
                }
                UnitOutcome::Answer((result, notifications)) => {
                    done.push((queued, result, notifications));
                }
                UnitOutcome::Abandoned => {}
                UnitOutcome::MustRollBack => {
                    let before = done.into_iter().map(|(queued, ..)| queued);
                    return TransactionOutcome::RolledBack {
                        units: before.chain([queued]).chain(units).collect(),
                    };
                }
                UnitOutcome::Aborted(error) => {
                    let mut others: Vec<_> = done.into_iter().map(|(queued, ..)| queued).collect();
                    others.extend(units);
                    return TransactionOutcome::Aborted { by: queued, error, others };
                }
            }
        }
        TransactionOutcome::Finished(self.commit(done, longest.map(|(_, owner)| owner)))
    }

    /// Begins a transaction, as soon as no other process has one.
    fn begin(&mut self) -> Result<(), DbError> {
        let began = Instant::now();
        let mut next_end = Duration::ZERO;
        loop {
            match self.execute(BeginImmediate) {
                Err(DbError::Collision(_)) if began.elapsed() < LOCK_WAIT => {
                    if began.elapsed() >= next_end {
                        // The other one may wait for the transactions of look-ups, to move the log.
                        end_all(&self.readers, Duration::ZERO);
                        next_end = began.elapsed() + POLL;
                    }
                    thread::sleep(LOCK_PAUSE);
                }
                ended => return ended,
            }
        }
    }

    /// The next unit that waits, if the batch has room for it. A long one waits for a batch of its own, because
    /// all units of a batch are answered together.
    fn take_waiting(&mut self, units: usize, started: Instant) -> Option<QueuedUnit> {
        if units >= self.batch_units || started.elapsed() >= self.batch_time {
            return None;
        }
        self.queue.take_waiting()
    }

    /// Ends the transaction in which these units were run, the longest of them for this owner.
    fn commit(&mut self, done: Vec<Done>, of_longest: Option<QueueOwner>) -> ControlFlow<()> {
        let began = Instant::now();
        let Err(error) = self.execute(Commit) else {
            let time = began.elapsed();
            self.commits.fetch_add(1, Ordering::Relaxed);
            let changes = done.iter().filter(|(_, result, _)| result.is_ok());
            self.generation.raise(changes.map(|(queued, ..)| queued.tenant));
            let with_access = done.iter().flat_map(|(_, _, notifications)| &notifications.access);
            self.access.raise(with_access.copied());
            let with_events = done.iter().filter(|(_, _, notifications)| notifications.events);
            let with_events: BTreeSet<_> = with_events.map(|(queued, ..)| queued.tenant).collect();
            self.meters.batch(done.len());
            self.commit_seconds.record(time.as_secs_f64());
            self.meters.waiting(Mode::Write, self.queue.waiting());
            for (queued, result, _) in done {
                queued.answer(result.map_err(Into::into), &self.meters);
            }
            for project in with_events {
                self.new_events.notify_of(project);
            }
            self.shrink_cache();
            self.record_free_pages();
            let written = self.checkpoint_log();
            if let Some(owner) = of_longest.filter(|_| written >= LARGE_WRITE_PAGES) {
                self.queue.committed_much(owner, time);
            }
            return ControlFlow::Continue(());
        };
        self.roll_back();
        let fatal = matches!(error, DbError::Io(_));
        if fatal {
            // The system may have dropped what it could not write, and would call a second attempt
            // a success. Only a start from what is on disk is safe.
            (self.on_fatal)(&format!("the database could not be written: {error:?}"));
        }
        self.answer_failed(done, &error);
        if fatal { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Answers the units of a batch whose commit failed. What a unit refused may have rested on
    /// what another unit of the batch did, so even refusals do not count.
    fn answer_failed(&self, done: Vec<Done>, error: &DbError) {
        for (queued, result, _) in done {
            let failure = match result {
                Err(Failure::Panicked(text)) => Failure::Panicked(text),
                Ok(_) | Err(Failure::Refused(_) | Failure::Database(_)) => {
                    Failure::Database(error.clone())
                }
            };
            queued.answer(Err(failure.into()), &self.meters);
        }
    }

    /// Answers these units and those that wait, after no transaction could be begun. They would only
    /// wait as long again, one after the other.
    fn refuse_waiting(&mut self, mut units: Vec<QueuedUnit>, error: &DbError) {
        // All are taken before the first is answered: a caller that sends its unit again after the
        // refusal would be refused with these otherwise, though the new unit has not waited yet.
        let started = Instant::now();
        while let Some(queued) = self.take_waiting(units.len(), started) {
            units.push(queued);
        }
        for queued in units {
            queued.answer(Err(Failure::Database(error.clone()).into()), &self.meters);
        }
    }

    /// Refuses every unit until the queue is closed: after a commit that failed in the file system nothing
    /// may be written, and callers must not wait for it.
    fn refuse_all(self) {
        let Self { db, queue, meters, .. } = self;
        // Closing it may run a checkpoint; no unit is acknowledged after that.
        drop(db);
        while let Some((queued, _)) = queue.take() {
            queued.answer(Err(closed().into()), &meters);
        }
    }

    /// Ends a transaction that failed. If SQLite has ended it already, the rollback fails, which is harmless.
    fn roll_back(&mut self) {
        if let Err(error) = self.execute(Rollback) {
            tracing::debug!("rolling back: {error:?}");
        }
    }

    /// Looks whether another process has changed the database; if so, tokens may have changed.
    fn detect_external_changes(&mut self) {
        match DataVersion.get_result::<i64>(&mut self.db) {
            Ok(now) => {
                if self.data_version.replace(now) != Some(now) {
                    self.generation.raise([None]);
                    self.access.raise_all();
                    self.new_events.notify_all();
                }
                self.access.confirm();
            }
            Err(error) => {
                tracing::warn!("changes by other processes can't be noticed: {error}");
                self.data_version = None;
                self.access.lose();
            }
        }
    }

    pub fn execute<S>(&mut self, statement: S) -> Result<(), DbError>
    where
        S: QueryFragment<Sqlite> + QueryId + RunQueryDsl<SqliteConnection>,
    {
        statement.execute(&mut self.db).map_err(DbError::from)?;
        Ok(())
    }
}
