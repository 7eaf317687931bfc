//! Putting jobs down: done, to go on with later, or given up.

use super::places::{leave, leave_for_now, waits_until, wake_next};
use super::{Job, JobKind, JobService, JobState};
use crate::access::Operator;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::crawl;
use crate::document;
use crate::error::{DomainError, StorageError};
use crate::store::Repositories;

impl JobService {
    /// Forgets a job that is done, or puts it off until it is due again.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn finish(&self, operator: Operator, job: &Job) -> Result<(), DomainError> {
        let (context, job) = (self.context.clone(), job.clone());
        let unit = move |tx: &mut dyn Repositories| {
            if let Some(pause) = job.kind.repeats_after(&context.limits) {
                let due = context.clock.now().plus(pause);
                let again = Job { failures: 0, last_error: None, ..queued(job.clone()) };
                tx.update_job(operator, &again.due(due))?;
            } else {
                tx.delete_job(operator, &job)?;
            }
            Ok(wake_next(tx, &context, operator, &job)?)
        };
        let woken = self.context.store.write(unit).await?;
        self.ring_if(woken);
        Ok(())
    }

    /// Puts a job off that could not be done, or gives it up. A definite outcome ends it at once; a
    /// store that fails is tried again, by some kinds for ever. What repeats is never given up.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn fail(
        &self,
        operator: Operator,
        job: &Job,
        error: &DomainError,
    ) -> Result<(), DomainError> {
        let (context, job) = (self.context.clone(), job.clone());
        let reason = error.to_string();
        let repeats_after = job.kind.repeats_after(&context.limits);
        let may_pass = matches!(
            error,
            DomainError::Storage(_) | DomainError::Blob(_) | DomainError::Extractor(_)
        ) || repeats_after.is_some();
        let unit = move |tx: &mut dyn Repositories| {
            let Some(job) = standing(tx, operator, &job)? else {
                return Ok(false);
            };
            let job = Job { failures: job.failures + 1, ..job };
            if !may_pass || job.is_hopeless() {
                return give_up(tx, &context, operator, job, reason.clone());
            }
            let woken = leave(tx, &context, operator, &job)?;
            let pause = job.back_off();
            let pause = repeats_after.map_or(pause, |repeats| repeats.min(pause));
            let due = context.clock.now().plus(pause);
            let later = Job { last_error: Some(reason.clone()), ..queued(job) };
            tx.update_job(operator, &later.due(due))?;
            Ok(woken)
        };
        let woken = self.context.store.write(unit).await?;
        self.ring_if(woken);
        Ok(())
    }

    /// Gives a job back that the caller has no time for, so that another worker goes on at once.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn give_back(&self, operator: Operator, job: &Job) -> Result<(), DomainError> {
        self.requeue(operator, job, |_, _, _| Ok(None)).await
    }

    /// Gives a job back of which there is more to do, so that others which are due come first.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn take_turns(&self, operator: Operator, job: &Job) -> Result<(), DomainError> {
        self.requeue(operator, job, |_, context, _| Ok(Some(context.clock.now()))).await
    }

    /// Puts a job off that found no place, until another of its kind ends; for a moment at most.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn put_off(&self, operator: Operator, job: &Job) -> Result<(), DomainError> {
        let until = move |tx: &mut dyn Repositories, context: &Context, job: &Job| {
            waits_until(tx, context, operator, job)
        };
        self.requeue(operator, job, until).await
    }

    /// Queues a job again, due when it was or at another time.
    async fn requeue<F>(&self, operator: Operator, job: &Job, run_at: F) -> Result<(), DomainError>
    where
        F: Fn(&mut dyn Repositories, &Context, &Job) -> Result<Option<Timestamp>, DomainError>
            + Send
            + 'static,
    {
        let (context, job) = (self.context.clone(), job.clone());
        let unit = move |tx: &mut dyn Repositories| {
            let Some(job) = standing(tx, operator, &job)? else {
                return Ok(false);
            };
            let run_at = run_at(tx, &context, &job)?.unwrap_or(job.run_at);
            let woken = leave_for_now(tx, &context, operator, &job)?;
            tx.update_job(operator, &queued(job).due(run_at))?;
            Ok(woken)
        };
        let woken = self.context.store.write(unit).await?;
        self.ring_if(woken);
        Ok(())
    }

    /// Tells the workers of this process of a job that was woken.
    pub(super) fn ring_if(&self, woken: bool) {
        if woken {
            self.context.job_bell.ring();
        }
    }
}

/// Ends a job for good that could not be done; returns whether that woke another one.
pub(super) fn give_up(
    tx: &mut dyn Repositories,
    context: &Context,
    operator: Operator,
    job: Job,
    reason: String,
) -> Result<bool, DomainError> {
    if job.kind == JobKind::Crawl {
        crawl::give_up(tx, context, operator, &job)?;
    }
    if job.kind == JobKind::Extract {
        document::give_up(tx, context, operator, &job)?;
    }
    let job = Job { state: JobState::Failed, leased_until: None, last_error: Some(reason), ..job };
    tx.update_job(operator, &job)?;
    Ok(wake_next(tx, context, operator, &job)?)
}

/// The job as it stands, if this attempt still has it: its steps may have written to it since it was
/// claimed.
fn standing(
    tx: &mut dyn Repositories,
    operator: Operator,
    job: &Job,
) -> Result<Option<Job>, StorageError> {
    Ok(tx.job(operator, job.id)?.filter(|found| found.attempt == job.attempt))
}

pub(super) fn queued(job: Job) -> Job {
    Job { state: JobState::Queued, leased_until: None, ..job }
}
