//! Releasing jobs: done, to go on with later, or given up.

use super::registry::Registered;
use super::service::JobService;
use super::slots::{deferred_until, release_slot, suspend, wake_next};
use super::{Job, JobState};
use crate::access::Operator;
use crate::error::{DomainError, StorageError};
use crate::unit::Unit;

impl JobService {
    /// Forgets a job that is done, or has it wait until it is due again.
    pub async fn finish(&self, operator: Operator, job: &Job) -> Result<(), DomainError> {
        let (kinds, job) = (self.kinds.clone(), job.clone());
        self.context
            .write(None, move |unit| {
                let kind = kinds.get(&job.kind)?;
                if let Some(repeat) = &kind.repeat {
                    let due = unit.now().plus((repeat.after)(unit.limits()));
                    let job = Job { position: None, ..job.clone() };
                    let again = Job { failures: 0, last_error: None, ..queued(job) };
                    unit.tx.update_job(operator, &again.due(due))?;
                } else {
                    unit.tx.delete_job(operator, &job)?;
                }
                Ok(wake_next(unit, kind, operator, &job)?)
            })
            .await
    }

    /// Has a job that could not be done tried again later, or gives it up. A definite outcome ends it at
    /// once; a store that fails is tried again, by some kinds for ever. What repeats is never given up.
    pub async fn fail(
        &self,
        operator: Operator,
        job: &Job,
        error: &DomainError,
    ) -> Result<(), DomainError> {
        let (kinds, job) = (self.kinds.clone(), job.clone());
        let reason = error.to_string();
        let is_of_a_port = matches!(
            error,
            DomainError::Storage(_)
                | DomainError::Blob(_)
                | DomainError::Extractor(_)
                | DomainError::Cipher(_)
        );
        self.context
            .write(None, move |unit| {
                let kind = kinds.get(&job.kind)?;
                let Some(job) = current(unit, operator, &job)? else {
                    return Ok(());
                };
                let repeats_after = kind.repeat.map(|repeat| (repeat.after)(unit.limits()));
                let may_pass = is_of_a_port || repeats_after.is_some();
                let job = Job { failures: job.failures + 1, ..job };
                if !may_pass || has_exhausted_attempts(kind, &job) {
                    return give_up(unit, kind, operator, job, reason.clone());
                }
                release_slot(unit, kind, operator, &job)?;
                let pause = kind.retry_delay.unwrap_or_else(|| job.back_off());
                let pause = repeats_after.map_or(pause, |repeats| repeats.min(pause));
                let due = unit.now().plus(pause);
                let later = Job { last_error: Some(reason.clone()), ..queued(job) };
                Ok(unit.tx.update_job(operator, &later.due(due))?)
            })
            .await
    }

    /// Queues a job again for which the caller has no time, so that another worker goes on at once.
    pub async fn requeue(&self, operator: Operator, job: &Job) -> Result<(), DomainError> {
        self.queue_again(operator, job, |_, _, job| Ok(job)).await
    }

    /// Queues a job again of which there is more to do, so that others which are due come first.
    pub async fn yield_turn(&self, operator: Operator, job: &Job) -> Result<(), DomainError> {
        self.queue_again(operator, job, |unit, _, job| Ok(job.due(unit.now()))).await
    }

    /// Queues a job again that has nothing to do, until there is something. That it failed before is forgotten.
    pub async fn wait(&self, operator: Operator, job: &Job) -> Result<(), DomainError> {
        let until = move |unit: &mut Unit<'_>, kind: &Registered, job: Job| {
            let due = (kind.next_due)(unit, operator, &job)?;
            Ok(Job { failures: 0, last_error: None, ..job }.due(due))
        };
        self.queue_again(operator, job, until).await
    }

    /// Queues a job again that found no slot, until another of its kind ends; for a moment at most.
    pub async fn defer(&self, operator: Operator, job: &Job) -> Result<(), DomainError> {
        let until = move |unit: &mut Unit<'_>, kind: &Registered, job: Job| {
            let until = deferred_until(unit, kind, operator, &job)?.unwrap_or(job.run_at);
            Ok(job.due(until))
        };
        self.queue_again(operator, job, until).await
    }

    /// Queues a job again as `change` makes it.
    async fn queue_again<F>(
        &self,
        operator: Operator,
        job: &Job,
        change: F,
    ) -> Result<(), DomainError>
    where
        F: Fn(&mut Unit<'_>, &Registered, Job) -> Result<Job, DomainError> + Send + 'static,
    {
        let (kinds, job) = (self.kinds.clone(), job.clone());
        self.context
            .write(None, move |unit| {
                let kind = kinds.get(&job.kind)?;
                let Some(job) = current(unit, operator, &job)? else {
                    return Ok(());
                };
                let job = change(unit, kind, job)?;
                suspend(unit, kind, operator, &job)?;
                Ok(unit.tx.update_job(operator, &queued(job))?)
            })
            .await
    }
}

/// Whether a job has failed as often as its kind allows.
pub(super) fn has_exhausted_attempts(kind: &Registered, job: &Job) -> bool {
    kind.max_attempts.is_some_and(|most| job.failures >= most)
}

/// Ends a job permanently that could not be done.
pub(super) fn give_up(
    unit: &mut Unit<'_>,
    kind: &Registered,
    operator: Operator,
    job: Job,
    reason: String,
) -> Result<(), DomainError> {
    if unit.tx.lock_own_job(operator, &job)? {
        (kind.give_up)(unit, operator, &job.subject)?;
    }
    let job = Job { state: JobState::Failed, leased_until: None, last_error: Some(reason), ..job };
    unit.tx.update_job(operator, &job)?;
    Ok(wake_next(unit, kind, operator, &job)?)
}

/// The job as it stands, if this attempt still has it: its steps may have written to it since it was
/// claimed.
fn current(
    unit: &mut Unit<'_>,
    operator: Operator,
    job: &Job,
) -> Result<Option<Job>, StorageError> {
    Ok(unit.tx.job(operator, job.id)?.filter(|found| found.attempt == job.attempt))
}

pub(super) fn queued(job: Job) -> Job {
    Job { state: JobState::Queued, leased_until: None, ..job }
}
