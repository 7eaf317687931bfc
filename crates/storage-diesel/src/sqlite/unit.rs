//! One unit of a batch: run with or without a savepoint, and how it came out.

use std::time::Instant;

use domain::lock::Mode;
use domain::store::Outcome;

use super::writer::Writer;
use crate::engine::db::Db;
use crate::engine::errors::DbError;
use crate::engine::queued_unit::{Failure, QueuedUnit};
use crate::engine::tx::{CommitNotifications, Tx};
use crate::sql::transaction::{Release, RollbackTo, Savepoint};

/// The result of a unit, and what other readers must be notified of after the commit.
pub type UnitResult = (Result<Outcome, Failure>, CommitNotifications);

/// How a unit came out of its transaction.
pub enum UnitOutcome {
    /// This is to be its answer.
    Answer(UnitResult),
    /// Its caller has gone meanwhile, so nothing of it is left.
    Abandoned,
    /// It has to be undone with all others.
    MustRollBack,
    /// The whole transaction is gone: SQLite ends it by itself after some failures.
    Aborted(DbError),
}

impl Writer {
    /// Runs one unit.
    pub fn unit(&mut self, queued: &QueuedUnit, has_savepoints: bool) -> UnitOutcome {
        let began = Instant::now();
        let ended = if has_savepoints {
            self.in_savepoint(queued).unwrap_or_else(UnitOutcome::Aborted)
        } else {
            self.without_savepoint(queued)
        };
        self.meters.held(Mode::Write, began);
        ended
    }

    /// Runs one unit, and says whether it may have changed something.
    fn attempt(&mut self, queued: &QueuedUnit) -> (UnitResult, bool) {
        let mut tx = Tx::new(Db::Sqlite(&mut self.db), Mode::Write);
        let ran = self.queue.attempt(queued, &mut tx);
        let notifications =
            if ran.is_ok() { tx.notifications() } else { CommitNotifications::default() };
        self.bulk = self.bulk.saturating_add(tx.bulk());
        ((ran, notifications), tx.has_changed())
    }

    fn without_savepoint(&mut self, queued: &QueuedUnit) -> UnitOutcome {
        let (ran, has_changed) = self.attempt(queued);
        let is_abandoned = queued.is_abandoned();
        let has_failed = match &ran.0 {
            Ok(_) => false,
            Err(Failure::Refused(_)) => has_changed,
            // Not enough memory was free for what was to be read.
            Err(Failure::Database(DbError::NoMemory)) => has_changed,
            // SQLite may have ended the transaction, also before a panic.
            Err(Failure::Database(_) | Failure::Panicked(_)) => true,
        };
        if has_failed || (is_abandoned && has_changed) {
            UnitOutcome::MustRollBack
        } else if is_abandoned {
            UnitOutcome::Abandoned
        } else {
            UnitOutcome::Answer(ran)
        }
    }

    fn in_savepoint(&mut self, queued: &QueuedUnit) -> Result<UnitOutcome, DbError> {
        self.execute(Savepoint)?;
        let ((ran, notifications), _) = self.attempt(queued);
        // A caller that got no answer may try again; then the change must not be there twice.
        let is_abandoned = queued.is_abandoned();
        if ran.is_err() || is_abandoned {
            self.execute(RollbackTo).map_err(|error| match &ran {
                Err(Failure::Database(cause)) => cause.clone(),
                Ok(_) | Err(Failure::Refused(_) | Failure::Panicked(_)) => error,
            })?;
        }
        self.execute(Release)?;
        Ok(if is_abandoned {
            UnitOutcome::Abandoned
        } else {
            UnitOutcome::Answer((ran, notifications))
        })
    }
}
