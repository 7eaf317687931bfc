//! Group commit: units of several callers in one transaction, which waits for the disk once.
//!
//! There are no savepoints, which would cost a round trip for each unit. So the transaction is committed only
//! if every unit that changed something has ended well; otherwise it is rolled back, and its units are queued
//! again, with the tenant of the unit that failed isolated from the others.

use std::time::Instant;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use domain::lock::Mode;
use domain::store::Outcome;

use super::worker::{Worker, unknown_commit};
use crate::engine::db::Db;
use crate::engine::errors::DbError;
use crate::engine::owner_queues::QueueOwner;
use crate::engine::pool::Session;
use crate::engine::queued_unit::{Failure, QueuedUnit};
use crate::engine::tx::{CommitNotifications, Tx};
use crate::engine::unit_queue::RunningBatch;
use crate::postgres::listener::notify_access;

/// For how long a unit may wait for a row while others wait for it, which is longer than another node's batch
/// takes as a rule.
const LOCK_WAIT: &str = "SET LOCAL lock_timeout = '20ms'";

/// What a unit came to in the transaction, whose commit decides whether that counts.
type UnitResult = Result<Outcome, Failure>;

/// Why a batch was rolled back.
struct RolledBack {
    /// Whose units made the transaction fail; nobody's if that is not known.
    by: Option<QueueOwner>,
    because: String,
}

/// What became of a batch.
enum BatchOutcome {
    /// These are the answers of the first units; the others were not run.
    Answers(Vec<UnitResult>),
    /// Nothing was done.
    RolledBack(RolledBack),
    /// Whether it was committed is not known.
    Unknown(Failure),
}

impl From<diesel::result::Error> for RolledBack {
    fn from(error: diesel::result::Error) -> Self {
        Self { by: None, because: format!("{:?}", DbError::from(error)) }
    }
}

impl Worker {
    /// Runs units in one transaction, answers them, and gives back those that are to be run again.
    pub(super) fn run_batch(&self, mut units: Vec<QueuedUnit>, running: RunningBatch<'_>) {
        self.meters.waiting(Mode::Write, self.queue.waiting());
        units.retain(|unit| !unit.is_abandoned());
        if units.is_empty() {
            return;
        }
        let results = match self.transact_together(&units) {
            BatchOutcome::Answers(results) => results,
            BatchOutcome::Unknown(failure) => units.iter().map(|_| Err(failure.clone())).collect(),
            BatchOutcome::RolledBack(RolledBack { by, because }) => {
                tracing::debug!("{} units are run again: {because}", units.len());
                let isolated = by.map_or_else(|| running.owners().to_vec(), |owner| vec![owner]);
                return running.requeue(units, &isolated);
            }
        };
        let not_run = units.split_off(results.len());
        // Before the answers: the next units of the callers must not be counted against these.
        running.requeue(not_run, &[]);
        for (unit, result) in units.into_iter().zip(results) {
            unit.answer(result.map_err(Into::into), &self.meters);
        }
    }

    fn transact_together(&self, units: &[QueuedUnit]) -> BatchOutcome {
        let mut session = match self.session() {
            Ok(session) => session,
            // Each unit learns by itself why there is none.
            Err(error) => {
                return BatchOutcome::RolledBack(RolledBack {
                    by: None,
                    because: format!("{error:?}"),
                });
            }
        };
        session.begun();
        let (results, notifications) = match self.run_together(units, &mut session) {
            Ok(ran) => ran,
            Err(rolled_back) => {
                // A session that can't even roll back is closed, which rolls back too.
                if session.db.batch_execute("ROLLBACK").is_ok() {
                    session.ended();
                }
                return BatchOutcome::RolledBack(rolled_back);
            }
        };
        match session.db.batch_execute("COMMIT").map_err(DbError::from) {
            Ok(()) => {
                session.ended();
                self.announce(notifications, units.iter().map(|unit| unit.tenant));
                self.meters.batch(results.len());
                BatchOutcome::Answers(results)
            }
            Err(DbError::Lost(text)) => BatchOutcome::Unknown(unknown_commit(&text)),
            Err(error) => {
                BatchOutcome::RolledBack(RolledBack { by: None, because: format!("{error:?}") })
            }
        }
    }

    /// Runs units, one after the other, in a transaction that stays open. After a while those that are left are
    /// not run. Also what other readers must be notified of after the commit.
    fn run_together(
        &self,
        units: &[QueuedUnit],
        session: &mut Session<PgConnection>,
    ) -> Result<(Vec<UnitResult>, CommitNotifications), RolledBack> {
        let started = Instant::now();
        let begin = self.server.begin().of(Mode::Write);
        session.db.batch_execute(&format!("{begin}; {LOCK_WAIT}"))?;
        let mut results = Vec::new();
        let mut notifications = CommitNotifications::default();
        for unit in units {
            if started.elapsed() > self.batch.1 && !results.is_empty() {
                break;
            }
            let began = Instant::now();
            let mut tx = Tx::new(Db::Pg(&mut session.db), Mode::Write);
            let ran = self.queue.attempt(unit, &mut tx);
            let (has_changed, of_unit) = (tx.has_changed(), tx.notifications());
            let longest = tx.longest_value();
            session.transferred(longest);
            self.meters.held(Mode::Write, began);
            let rolled_back_by = |because| RolledBack { by: Some(unit.owner()), because };
            match &ran {
                // A caller that got no answer may try again; then the change must not be there twice.
                Ok(_) if has_changed && unit.is_abandoned() => {
                    return Err(rolled_back_by("a caller has gone".to_owned()));
                }
                Ok(_) => notifications = notifications.and(of_unit),
                Err(Failure::Refused(_)) if !has_changed => {}
                Err(failure) => return Err(rolled_back_by(format!("{failure:?}"))),
            }
            results.push(ran);
        }
        notify_access(&mut session.db, &notifications.access)?;
        Ok((results, notifications))
    }
}
