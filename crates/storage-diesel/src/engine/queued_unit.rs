//! Units of work on their way to a thread and back.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::background;
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::memory::{ContentMemory, RequestMemory, ReservedBytes};
use domain::store::{BoxedUnit, Outcome};
use domain::{DomainError, StorageError};
use tokio::sync::oneshot;

use crate::engine::errors::DbError;
use crate::engine::meters::Meters;
use crate::engine::tx::Tx;

/// How long a unit is run again because not enough memory is free for what it reads.
const MEMORY_WAIT: Duration = Duration::from_secs(10);

/// What the caller of a unit gets.
pub type UnitAnswer = Result<Outcome, DomainError>;

/// A unit of work and where its answer goes.
pub struct QueuedUnit {
    pub mode: Mode,
    /// On whose behalf it runs: a project's, or that of the service itself.
    pub tenant: Option<ProjectId>,
    /// Whether it is run by a job for which no client waits.
    pub is_background: bool,
    /// How often it collided with others.
    pub collisions: u32,
    unit: BoxedUnit,
    memory: Arc<ContentMemory>,
    reply: oneshot::Sender<UnitAnswer>,
    queued: Instant,
}

/// Why a unit failed.
#[derive(Debug, Clone)]
pub enum Failure {
    /// The unit itself returned this error.
    Refused(DomainError),
    /// The database failed, whatever the unit made of it.
    Database(DbError),
    /// The unit panicked.
    Panicked(String),
}

impl From<Failure> for DomainError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Refused(error) => error,
            Failure::Database(error) => Self::Storage(error.into()),
            Failure::Panicked(text) => Self::Storage(StorageError::Panicked(text)),
        }
    }
}

impl QueuedUnit {
    /// A unit that starts to wait now, and the place where its answer will be.
    pub fn new(
        mode: Mode,
        tenant: Option<ProjectId>,
        unit: BoxedUnit,
        memory: Arc<ContentMemory>,
    ) -> (Self, oneshot::Receiver<UnitAnswer>) {
        let (reply, answer) = oneshot::channel();
        let queued = Instant::now();
        let queued_unit = Self {
            mode,
            tenant,
            is_background: background::is_current(),
            collisions: 0,
            unit,
            memory,
            reply,
            queued,
        };
        (queued_unit, answer)
    }

    /// Whether no caller waits for the answer any more. Such a unit need not run.
    pub fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    /// For how long its caller has waited.
    pub fn age(&self) -> Duration {
        self.queued.elapsed()
    }

    /// Whether it may be run again when not enough memory is free for what it reads.
    pub fn may_wait_for_memory(&self) -> bool {
        self.age() < MEMORY_WAIT
    }

    /// As [`attempt`].
    pub fn attempt(&self, tx: &mut Tx<'_>) -> Result<Outcome, Failure> {
        attempt(&self.unit, (&self.memory, self.tenant), tx)
    }

    /// Answers, and does as [`record`].
    pub fn answer(self, answer: UnitAnswer, meters: &Meters) {
        record(self.mode, &answer, self.queued, meters);
        let Self { unit, reply, .. } = self;
        // Before its caller goes on: what both have is in memory only once.
        drop(unit);
        // A caller that has gone does not want to know.
        drop(reply.send(answer));
    }
}

/// Runs a unit in an open transaction, which the caller ends as the result says. What it reads counts as memory
/// of its project. The outcome is for [`deliver`].
pub fn attempt(
    unit: &BoxedUnit,
    (memory, tenant): (&Arc<ContentMemory>, Option<ProjectId>),
    tx: &mut Tx<'_>,
) -> Result<Outcome, Failure> {
    tx.set_memory(tenant.map(|project| (memory.clone(), project)));
    let ran = catch_unwind(AssertUnwindSafe(|| unit(tx)));
    match (ran, tx.take_error()) {
        (Err(panic), _) => Err(Failure::Panicked(panic_text(panic.as_ref()))),
        (Ok(_), Some(error)) => Err(Failure::Database(error)),
        (Ok(Err(error)), None) => Err(Failure::Refused(error)),
        (Ok(Ok(outcome)), None) => {
            let reserved = tx.take_reserved();
            Ok(if reserved.is_empty() {
                outcome
            } else {
                Box::new(WithMemory { outcome, reserved })
            })
        }
    }
}

/// An outcome that takes memory, on its way to the caller.
struct WithMemory {
    outcome: Outcome,
    reserved: Vec<ReservedBytes>,
}

/// Takes the answer of a unit on the caller's thread: the reservations for the outcome belong to the request that
/// this thread works on from now on.
pub fn deliver(answer: UnitAnswer) -> UnitAnswer {
    answer.map(|outcome| match outcome.downcast::<WithMemory>() {
        Ok(with_memory) => {
            RequestMemory::keep(with_memory.reserved);
            with_memory.outcome
        }
        Err(outcome) => outcome,
    })
}

/// Counts a unit, and logs what no caller can put right.
pub fn record(mode: Mode, answer: &UnitAnswer, since: Instant, meters: &Meters) {
    if let Err(DomainError::Storage(error)) = answer {
        log(error);
    }
    meters.unit(mode, answer, since.elapsed());
}

/// Logs a failure of the database once, where it happens.
fn log(error: &StorageError) {
    match error {
        StorageError::Panicked(_) | StorageError::Broken(_) => tracing::error!("{error}"),
        StorageError::Overloaded
        | StorageError::Contended(_)
        | StorageError::Full(_)
        | StorageError::Unavailable(_) => tracing::warn!("{error}"),
    }
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        (*text).to_owned()
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text.clone()
    } else {
        "no text".to_owned()
    }
}
