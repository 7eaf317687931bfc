//! The threads that run units on PostgreSQL, each with a session of its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use domain::StorageError;
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::store::Outcome;
use r2d2::{Pool, PooledConnection};

use super::pool::Sessions;
use crate::engine::access_version::AccessVersion;
use crate::engine::db::Db;
use crate::engine::errors::DbError;
use crate::engine::meters::Meters;
use crate::engine::pool::{self, Session};
use crate::engine::queued_unit::{Failure, QueuedUnit, UnitAnswer};
use crate::engine::tx::{CommitNotifications, Tx};
use crate::engine::unit_queue::{Running, UnitQueue, Work};
use crate::postgres::listener::notify_access;
use crate::postgres::sequencer::SequencerWaker;
use crate::postgres::server::Server;

/// How often a unit is run again after it collided with others.
const REPEATS: u32 = 3;

/// The state of a thread.
pub struct Worker {
    pub server: Arc<Server>,
    pub sessions: Pool<Sessions>,
    pub queue: Arc<UnitQueue>,
    /// How many units that write are committed together at most, and how long they are run before that.
    pub batch: (usize, Duration),
    /// For how long, from when it was queued, a unit is run again because another holds a row.
    pub lock_wait: Duration,
    pub access: Arc<AccessVersion>,
    pub sequencer: SequencerWaker,
    pub meters: Arc<Meters>,
}

/// Why an attempt to run a unit failed.
enum AttemptError {
    /// It can be run again.
    Collided(String),
    /// It can be run again, but others must not wait for that.
    Locked(String),
    /// It can be run again when enough memory is free for what it reads.
    NoMemory,
    /// The session was lost before the commit, so nothing was done; it can be run again.
    Lost(String),
    /// That is the answer.
    Final(Failure),
    /// The caller has gone, so it was rolled back.
    Abandoned,
}

/// What became of a unit.
enum ServeOutcome {
    /// It has its answer.
    Answer(UnitAnswer),
    /// It collided with others, and is to be run when it is its turn again. Until then it has no session.
    Again,
    /// The caller has gone.
    Abandoned,
}

impl From<DbError> for AttemptError {
    fn from(error: DbError) -> Self {
        match error {
            DbError::Collision(text) => Self::Collided(text),
            DbError::Locked(text) => Self::Locked(text),
            DbError::NoMemory => Self::NoMemory,
            DbError::Lost(text) => Self::Lost(text),
            DbError::Slow(_) | DbError::Full(_) | DbError::Io(_) | DbError::Broken(_) => {
                Self::Final(Failure::Database(error))
            }
        }
    }
}

impl From<Failure> for AttemptError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Database(error) => error.into(),
            Failure::Refused(_) | Failure::Panicked(_) => Self::Final(failure),
        }
    }
}

impl Worker {
    /// Works until the queue is closed and empty.
    pub fn run(mut self) {
        let queue = self.queue.clone();
        while let Some(work) = queue.take_batch(self.batch.0, self.batch.1) {
            match work {
                Work::One(queued, running) => self.one(queued, running),
                Work::Batch(units, running) => self.run_batch(units, running),
            }
        }
    }

    /// Runs a unit in transactions of its own, and answers it or queues it again.
    fn one(&mut self, mut queued: QueuedUnit, running: Running<'_>) {
        self.meters.waiting(queued.mode, self.queue.waiting());
        match self.serve(&mut queued) {
            ServeOutcome::Answer(answer) => {
                // Before the answer: the caller's next unit must not be counted against this one.
                drop(running);
                queued.answer(answer, &self.meters);
            }
            ServeOutcome::Again => self.queue.requeue(queued),
            ServeOutcome::Abandoned => {}
        }
    }

    /// Runs a unit, and once more if its session was lost.
    fn serve(&mut self, queued: &mut QueuedUnit) -> ServeOutcome {
        let mut was_lost = false;
        while !queued.is_abandoned() {
            match self.attempt(queued) {
                Ok(outcome) => return ServeOutcome::Answer(Ok(outcome)),
                Err(AttemptError::Final(failure)) => {
                    return ServeOutcome::Answer(Err(failure.into()));
                }
                Err(AttemptError::Abandoned) => break,
                Err(AttemptError::Collided(text)) if queued.collisions == REPEATS => {
                    return ServeOutcome::Answer(Err(StorageError::Contended(text).into()));
                }
                Err(AttemptError::Collided(text)) => {
                    queued.collisions += 1;
                    tracing::debug!("run {} of a unit collided: {text}", queued.collisions);
                    return ServeOutcome::Again;
                }
                Err(AttemptError::Locked(text)) if queued.age() > self.lock_wait => {
                    return ServeOutcome::Answer(Err(StorageError::Contended(text).into()));
                }
                Err(AttemptError::Locked(text)) => {
                    tracing::debug!("a unit waits for a row without a session: {text}");
                    return ServeOutcome::Again;
                }
                Err(AttemptError::NoMemory) if queued.may_wait_for_memory() => {
                    return ServeOutcome::Again;
                }
                Err(AttemptError::NoMemory) => {
                    return ServeOutcome::Answer(Err(StorageError::Overloaded.into()));
                }
                Err(AttemptError::Lost(text)) if was_lost => {
                    return ServeOutcome::Answer(Err(StorageError::Unavailable(text).into()));
                }
                Err(AttemptError::Lost(text)) => {
                    was_lost = true;
                    tracing::debug!("a unit lost its session and is run again: {text}");
                }
            }
        }
        ServeOutcome::Abandoned
    }

    /// Runs a unit once, in one transaction.
    fn attempt(&mut self, queued: &QueuedUnit) -> Result<Outcome, AttemptError> {
        // A unit that gets no session fails at once: it is not run again.
        let session = self.session();
        let mut session = session.map_err(|error| AttemptError::Final(Failure::Database(error)))?;
        let began = Instant::now();
        let ran = match queued.mode {
            Mode::LookUp if !self.server.is_pooled() => self.look_up(queued, &mut session),
            // Without a transaction, nothing would bound the time of its statements on a pooled session.
            Mode::LookUp | Mode::Read | Mode::Write => self.transact(queued, &mut session),
        };
        self.meters.held(queued.mode, began);
        ran
    }

    /// Notifies others of what was committed for these tenants.
    pub(super) fn announce(
        &self,
        notifications: CommitNotifications,
        tenants: impl IntoIterator<Item = Option<ProjectId>>,
    ) {
        self.access.raise(notifications.access);
        if notifications.events {
            self.sequencer.wake(tenants);
        }
    }

    /// A session, or the reason why there is none. An idle one is taken even if no other could be opened just now.
    pub(super) fn session(&self) -> Result<PooledConnection<Sessions>, DbError> {
        if let Some(idle) = self.sessions.try_get() {
            return Ok(idle);
        }
        self.server.check_up(self.sessions.state().connections > 0)?;
        pool::take(&self.sessions)
    }

    /// Runs a unit in one transaction of this session.
    fn transact(
        &self,
        queued: &QueuedUnit,
        session: &mut Session<PgConnection>,
    ) -> Result<Outcome, AttemptError> {
        session.begun();
        let db = &mut session.db;
        db.batch_execute(self.server.begin().of(queued.mode)).map_err(DbError::from)?;
        let mut tx = Tx::new(Db::Pg(db), queued.mode);
        let ran = self.queue.attempt(queued, &mut tx);
        let (notifications, longest) = (tx.notifications(), tx.longest_value());
        session.transferred(longest);
        let db = &mut session.db;
        let ran = ran.map_err(AttemptError::from).and_then(|outcome| {
            // A caller that got no answer may try again; then the change must not be there twice.
            if queued.is_abandoned() {
                return Err(AttemptError::Abandoned);
            }
            notify_access(db, &notifications.access).map_err(DbError::from)?;
            Ok(outcome)
        });
        match ran {
            Ok(outcome) => {
                db.batch_execute("COMMIT").map_err(|error| commit_failed(error.into()))?;
                session.ended();
                self.announce(notifications, [queued.tenant]);
                Ok(outcome)
            }
            Err(trouble) => {
                // A session that can't even roll back is closed, which rolls back too.
                if db.batch_execute("ROLLBACK").is_ok() {
                    session.ended();
                }
                Err(trouble)
            }
        }
    }

    /// Runs look-ups without a transaction around them, which would cost as much as they do.
    fn look_up(
        &self,
        queued: &QueuedUnit,
        session: &mut Session<PgConnection>,
    ) -> Result<Outcome, AttemptError> {
        session.begun();
        let mut tx = Tx::new(Db::Pg(&mut session.db), queued.mode);
        let ran = self.queue.attempt(queued, &mut tx);
        let longest = tx.longest_value();
        session.transferred(longest);
        match ran {
            // A value that is too long, or was replaced meanwhile, leaves the session as it was.
            Err(Failure::Database(error))
                if !matches!(error, DbError::NoMemory | DbError::Collision(_)) =>
            {
                Err(error.into())
            }
            ran => {
                session.ended();
                ran.map_err(AttemptError::from)
            }
        }
    }
}

/// A commit that was refused can be tried again; whether one took place during which the session was
/// lost is unknown, so it must not be.
fn commit_failed(error: DbError) -> AttemptError {
    match error {
        DbError::Lost(text) => AttemptError::Final(unknown_commit(&text)),
        DbError::Collision(_)
        | DbError::Locked(_)
        | DbError::NoMemory
        | DbError::Slow(_)
        | DbError::Full(_)
        | DbError::Io(_)
        | DbError::Broken(_) => error.into(),
    }
}

/// The failure of a unit whose session was lost during the commit.
pub(super) fn unknown_commit(text: &str) -> Failure {
    let text = format!("whether the unit was committed is unknown: {text}");
    Failure::Database(DbError::Lost(text))
}
