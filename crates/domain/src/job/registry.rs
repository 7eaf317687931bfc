//! All kinds of job that these services know.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use super::handler::{JobHandler, Repeat};
use super::run::JobRun;
use super::subject::JobSubject;
use super::{Job, JobKind, Queue, StepOutcome};
use crate::access::Operator;
use crate::clock::Timestamp;
use crate::error::DomainError;
use crate::unit::Unit;

type StepFuture = Pin<Box<dyn Future<Output = Result<StepOutcome, DomainError>> + Send>>;
/// A function of [`JobHandler`] for the subject in a row; it may change something.
type SubjectFn = fn(&mut Unit<'_>, Operator, &str) -> Result<bool, DomainError>;

/// What [`JobHandler`] says of one kind, with the subject as a row keeps it.
pub(crate) struct Registered {
    pub(crate) kind: JobKind,
    pub(crate) queue: Queue,
    pub(crate) max_attempts: Option<u32>,
    pub(crate) retry_delay: Option<Duration>,
    pub(crate) repeat: Option<Repeat>,
    pub(crate) logs_at_debug: bool,
    pub(crate) has_slots: bool,
    pub(crate) keeps_slot: bool,
    pub(crate) step: fn(JobRun) -> StepFuture,
    pub(crate) is_wanted: SubjectFn,
    pub(crate) has_free_slot: SubjectFn,
    pub(crate) release_slot: SubjectFn,
    pub(crate) next_due: fn(&mut Unit<'_>, Operator, &Job) -> Result<Timestamp, DomainError>,
    pub(crate) give_up: fn(&mut Unit<'_>, Operator, &str) -> Result<(), DomainError>,
    pub(crate) repeated: fn(Timestamp) -> Option<Job>,
    pub(crate) new_job: fn(&Unit<'_>, &str) -> Option<Job>,
}

impl Registered {
    pub(crate) fn of<H: JobHandler>() -> Self {
        Self {
            kind: H::KIND,
            queue: H::QUEUE,
            max_attempts: H::MAX_ATTEMPTS,
            retry_delay: H::RETRY_DELAY,
            repeat: H::REPEAT,
            logs_at_debug: H::LOGS_AT_DEBUG,
            has_slots: H::HAS_SLOTS,
            keeps_slot: H::KEEPS_SLOT,
            step: |run| {
                Box::pin(async move {
                    let text = &run.job.subject;
                    let Some(subject) = H::Subject::parse(text) else {
                        return Err(DomainError::Refused(format!("{text:?} is no subject")));
                    };
                    H::step(run, subject).await
                })
            },
            // A subject that can't be read is that of nothing.
            is_wanted: |unit, operator, text| {
                H::Subject::parse(text)
                    .map_or(Ok(false), |subject| H::is_wanted(unit, operator, &subject))
            },
            has_free_slot: |unit, operator, text| {
                H::Subject::parse(text)
                    .map_or(Ok(true), |subject| H::has_free_slot(unit, operator, &subject))
            },
            release_slot: |unit, operator, text| {
                H::Subject::parse(text)
                    .map_or(Ok(false), |subject| H::release_slot(unit, operator, &subject))
            },
            next_due: |unit, operator, job| match H::Subject::parse(&job.subject) {
                Some(subject) => H::next_due(unit, operator, job, &subject),
                None => Ok(unit.now()),
            },
            give_up: |unit, operator, text| {
                H::Subject::parse(text)
                    .map_or(Ok(()), |subject| H::give_up(unit, operator, &subject))
            },
            repeated: |now| {
                let (repeat, subject) = (H::REPEAT?, H::Subject::parse("")?);
                Some(H::job_with_id(repeat.job, &subject, now))
            },
            new_job: |unit, text| H::Subject::parse(text).map(|subject| H::new_job(unit, &subject)),
        }
    }
}

/// The kinds of job. Cloning is cheap.
#[derive(Clone)]
pub(crate) struct JobRegistry(Arc<[Registered]>);

impl JobRegistry {
    pub(crate) fn new(handlers: Vec<Registered>) -> Self {
        Self(handlers.into())
    }

    /// All of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Registered> {
        self.0.iter()
    }

    /// What is known of a kind.
    ///
    /// # Errors
    /// [`DomainError::Refused`] if it is known to newer code only.
    pub(crate) fn get(&self, kind: &JobKind) -> Result<&Registered, DomainError> {
        let found = self.0.iter().find(|registered| registered.kind == *kind);
        found.ok_or_else(|| DomainError::Refused(format!("{kind} is no kind of job known here")))
    }

    /// The kinds of a queue.
    pub(crate) fn kinds_of(&self, queue: Queue) -> Vec<JobKind> {
        let of_queue = self.0.iter().filter(|registered| registered.queue == queue);
        of_queue.map(|registered| registered.kind.clone()).collect()
    }
}
