//! Reading from SQLite: on the thread of the caller, or on threads that do nothing else.

use std::sync::Arc;
use std::time::Instant;

use diesel::prelude::*;
use domain::DomainError;
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::memory::{ContentMemory, RequestMemory};
use domain::store::{BoxedUnit, Outcome};
use r2d2::{Pool, PooledConnection};

use super::pool::ReadOnly;
use super::snapshot::ReadConnection;
use crate::engine::db::Db;
use crate::engine::errors::DbError;
use crate::engine::generation::Generation;
use crate::engine::meters::Meters;
use crate::engine::pool;
use crate::engine::queued_unit::{Failure, attempt, deliver, record};
use crate::engine::tx::Tx;
use crate::engine::unit_queue::UnitQueue;
use crate::sql::transaction::Commit;

/// The state of a reading thread.
pub struct Reader {
    pub connections: Pool<ReadOnly>,
    pub queue: Arc<UnitQueue>,
    pub meters: Arc<Meters>,
}

impl Reader {
    /// Works until the queue is closed and empty.
    pub fn run(self) {
        while let Some((queued, running)) = self.queue.take() {
            self.meters.waiting(Mode::Read, self.queue.waiting());
            let result =
                pool::take(&self.connections).map_err(Failure::Database).and_then(|session| {
                    let began = Instant::now();
                    let ran = in_transaction(session, |tx| self.queue.attempt(&queued, tx));
                    self.meters.held(Mode::Read, began);
                    ran
                });
            let is_short = matches!(result, Err(Failure::Database(DbError::NoMemory)));
            if is_short && queued.may_wait_for_memory() {
                self.queue.requeue(queued);
                continue;
            }
            // Before the answer: the caller's next unit must not be counted against this one.
            drop(running);
            queued.answer(result.map_err(Into::into), &self.meters);
        }
    }
}

/// How many bytes of one content are read on the thread of a caller at most. They are parsed there as well.
const READ_HERE_MAX: u64 = 256 << 10;

/// Runs a unit of a few look-ups on the thread of its caller.
///
/// A look-up takes some microseconds, most of which its way to another thread and back would cost once
/// more. So a unit that finds a connection free does not go there; one that does not, waits in the
/// queue of the reading threads, as does one for which not enough memory is free, or that reads so much that its
/// caller, which is a thread of HTTP, would answer no other request for milliseconds. Its transaction stays open for the
/// next one.
pub fn look_up_here(
    (connections, generation): (&Pool<ReadOnly>, &Generation),
    unit: &BoxedUnit,
    memory: (&Arc<ContentMemory>, Option<ProjectId>),
    meters: &Meters,
) -> Option<Result<Outcome, DomainError>> {
    let started = Instant::now();
    let mut session = connections.try_get()?;
    session.begun();
    RequestMemory::keep(Vec::new());
    let run = |connection: &mut ReadConnection| {
        let is_new = connection.refresh(generation, started);
        let is_new = is_new.map_err(|error| Failure::Database(error.into()))?;
        let mut tx = Tx::new(Db::Sqlite(&mut connection.db), Mode::LookUp);
        tx.refuse_contents_above(READ_HERE_MAX);
        Ok((attempt(unit, memory, &mut tx), is_new))
    };
    let mut ran = run(&mut session.db);
    if matches!(ran, Ok((Err(Failure::Refused(_)), false))) && session.db.end().is_ok() {
        // What is missing may have been added by another process a moment ago.
        ran = run(&mut session.db);
    }
    let ran = ran.and_then(|(ran, _)| ran);
    let is_short = matches!(ran, Err(Failure::Database(DbError::NoMemory)));
    let is_usable = match &ran {
        Ok(_) | Err(Failure::Refused(_)) => true,
        Err(Failure::Panicked(_)) => session.db.end().is_ok(),
        Err(Failure::Database(_)) => is_short,
    };
    if is_usable {
        session.ended();
    }
    drop(session);
    meters.held(Mode::LookUp, started);
    if is_short {
        return None;
    }
    let answer = deliver(ran.map_err(Into::into));
    record(Mode::LookUp, &answer, started, meters);
    Some(answer)
}

/// Runs one unit in a transaction of its own, so that all its look-ups see one state of the database: that
/// of now, also of what other processes have committed.
fn in_transaction(
    mut session: PooledConnection<ReadOnly>,
    unit: impl FnOnce(&mut Tx<'_>) -> Result<Outcome, Failure>,
) -> Result<Outcome, Failure> {
    session.begun();
    let begun = session.db.begin(Instant::now());
    begun.map_err(|error| Failure::Database(error.into()))?;
    let ran = unit(&mut Tx::new(Db::Sqlite(&mut session.db.db), Mode::Read));
    // A connection on which the transaction stays open would show an old state from then on, so it
    // is closed.
    if Commit.execute(&mut session.db.db).is_ok() {
        session.ended();
    }
    ran
}
