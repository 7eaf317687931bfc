//! What there is to say of a kind of job, in one place: its concept's `job.rs` implements [`JobHandler`].

use std::future::Future;
use std::time::Duration;

use uuid::Uuid;

use super::run::JobRun;
use super::subject::JobSubject;
use super::{Job, JobKind, Queue, StepOutcome};
use crate::access::Operator;
use crate::clock::Timestamp;
use crate::error::DomainError;
use crate::limits::Limits;
use crate::unit::Unit;

/// A kind of job. All its functions may run more than once for the same job, and on several nodes.
pub(crate) trait JobHandler: 'static {
    /// What it is done to.
    type Subject: JobSubject;

    /// Its name.
    const KIND: JobKind;

    /// Which workers do it.
    const QUEUE: Queue = Queue::Maintenance;

    /// After how many failures in a row it is given up; `None` for what must be done in the end, however long
    /// it takes.
    const MAX_ATTEMPTS: Option<u32> = None;

    /// How long after a failure it is tried again; `None` for longer and longer (see [`Job::back_off`]).
    const RETRY_DELAY: Option<Duration> = None;

    /// For what is done again and again, when. Its subject must be `WholeInstallation`.
    const REPEAT: Option<Repeat> = None;

    /// Whether a finished job is logged at level `debug` only: there may be thousands of them, or its service
    /// logs the result itself.
    const LOGS_AT_DEBUG: bool = true;

    /// Whether a project has few slots for it, so that one may wait until another ends.
    const HAS_SLOTS: bool = false;

    /// Whether a job keeps its slot when it yields or is released, but not when it fails.
    const KEEPS_SLOT: bool = false;

    /// Does the next bounded piece.
    ///
    /// # Errors
    /// What kept it from being done. A definite outcome ends the job at once.
    fn step(
        run: JobRun,
        subject: Self::Subject,
    ) -> impl Future<Output = Result<StepOutcome, DomainError>> + Send;

    /// Whether the result of the job is still needed. Asked once a second while one of the queues `Crawls` and
    /// `Extractions` runs.
    fn is_wanted(
        _unit: &mut Unit<'_>,
        _operator: Operator,
        _subject: &Self::Subject,
    ) -> Result<bool, DomainError> {
        Ok(true)
    }

    /// Whether a slot is free, or none is needed.
    fn has_free_slot(
        _unit: &mut Unit<'_>,
        _operator: Operator,
        _subject: &Self::Subject,
    ) -> Result<bool, DomainError> {
        Ok(true)
    }

    /// Releases the slot of the job; returns whether it had one.
    fn release_slot(
        _unit: &mut Unit<'_>,
        _operator: Operator,
        _subject: &Self::Subject,
    ) -> Result<bool, DomainError> {
        Ok(false)
    }

    /// When a job that waits is due next.
    fn next_due(
        unit: &mut Unit<'_>,
        _operator: Operator,
        _job: &Job,
        _subject: &Self::Subject,
    ) -> Result<Timestamp, DomainError> {
        Ok(unit.now())
    }

    /// Ends what a job was to do that is given up, and that no other worker has by now.
    fn give_up(
        _unit: &mut Unit<'_>,
        _operator: Operator,
        _subject: &Self::Subject,
    ) -> Result<(), DomainError> {
        Ok(())
    }

    /// A job of this kind that is due at once.
    fn new_job<S>(unit: &Unit<'_, S>, subject: &Self::Subject) -> Job {
        Self::job_with_id(unit.next_id::<Uuid>(), subject, unit.now())
    }

    /// A job of this kind with an identifier of its own.
    fn job_with_id(id: Uuid, subject: &Self::Subject, now: Timestamp) -> Job {
        Job::new(id, Self::KIND, subject, now)
    }
}

/// How often something is done again.
#[derive(Clone, Copy)]
pub(crate) struct Repeat {
    /// The identifier of the job on all nodes, so that they do not each add their own.
    pub(crate) job: Uuid,
    /// How long after it is done it is due again.
    pub(crate) after: fn(&Limits) -> Duration,
}
