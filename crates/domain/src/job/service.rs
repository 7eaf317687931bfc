//! Doing jobs, and looking after them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::registry::JobRegistry;
use super::release::{give_up, has_exhausted_attempts, queued};
use super::run::JobRun;
use super::turns::{JobTurns, claim_in_turn};
use super::{Job, JobBacklog, JobKind, JobState, Queue, StepOutcome};
use crate::access::Operator;
use crate::audit::AuditedResource;
use crate::background::Background;
use crate::context::Context;
use crate::error::{DomainError, Resource};
use crate::id::JobId;

/// A repeating job that is due later than it should be by no more than this is left as it is.
const LATE_AT_MOST: Duration = Duration::from_secs(60);

/// Jobs.
#[derive(Clone)]
pub struct JobService {
    pub(super) context: Arc<Context>,
    pub(super) kinds: JobRegistry,
    turns: Arc<JobTurns>,
}

impl JobService {
    /// How many jobs [`Self::backlogs`] counts of a kind at most.
    pub const COUNTED: u32 = 10_000;

    pub(crate) fn new(context: Arc<Context>, kinds: JobRegistry) -> Self {
        Self { context, kinds, turns: Arc::default() }
    }

    /// All kinds of job that these services do.
    pub fn kinds(&self) -> impl Iterator<Item = &JobKind> {
        self.kinds.iter().map(|kind| &kind.kind)
    }

    /// Whether a finished job of this kind is logged at level `debug` only.
    #[must_use]
    pub fn logs_at_debug(&self, kind: &JobKind) -> bool {
        self.kinds.get(kind).is_ok_and(|kind| kind.logs_at_debug)
    }

    /// How often a worker must call [`Self::heartbeat`]: four times in a lease.
    #[must_use]
    pub fn heartbeat_interval(&self) -> Duration {
        self.context.limits.job_lease / 4
    }

    /// Inserts the jobs that repeat, if they are not there, and makes those that wait due at once, because
    /// the process that did them before may have been killed.
    pub async fn plan_repeating(&self, operator: Operator) -> Result<(), DomainError> {
        let kinds = self.kinds.clone();
        self.context
            .write(None, move |unit| {
                let now = unit.now();
                for planned in kinds.iter().filter_map(|kind| (kind.repeated)(now)) {
                    match unit.tx.job(operator, planned.id)? {
                        None => unit.tx.insert_job_once(operator, &planned)?,
                        Some(job) if job.state == JobState::Queued => {
                            unit.tx.update_job(operator, &job.due(now))?;
                        }
                        Some(_) => {}
                    }
                }
                Ok(())
            })
            .await
    }

    /// Makes repeating jobs due that would be due later than after their interval and a minute: a clock was
    /// ahead when they were queued. The minute is for clocks of nodes that differ a little, and for a job that
    /// is being queued.
    pub async fn bring_forward_repeating(&self, operator: Operator) -> Result<(), DomainError> {
        let kinds = self.kinds.clone();
        self.context
            .write(None, move |unit| {
                let now = unit.now();
                for kind in kinds.iter() {
                    let Some(repeat) = &kind.repeat else { continue };
                    let latest = now.plus((repeat.after)(unit.limits())).plus(LATE_AT_MOST);
                    let job = unit.tx.job(operator, JobId::from_uuid(repeat.job))?;
                    let is_late = |job: &Job| job.state == JobState::Queued && job.run_at > latest;
                    if let Some(job) = job.filter(is_late) {
                        unit.tx.update_job(operator, &job.due(now))?;
                        unit.notify_workers();
                    }
                }
                Ok(())
            })
            .await
    }

    /// Ends all leases, so that jobs that run can be claimed. To be called only if no other process does jobs:
    /// the process that did them was killed then.
    pub async fn expire_leases(&self, operator: Operator) -> Result<(), DomainError> {
        self.context.write(None, move |unit| Ok(unit.tx.expire_leases(operator, unit.now())?)).await
    }

    /// Claims a job of this queue that is due, if there is one. Projects take turns; of the jobs of one, that
    /// which has been due for longest comes first.
    pub async fn claim(
        &self,
        operator: Operator,
        queue: Queue,
    ) -> Result<Option<Job>, DomainError> {
        let (kinds, of_queue) = (self.kinds.clone(), self.kinds.kinds_of(queue));
        let last = self.turns.last(queue);
        let (claimed, turn) = self
            .context
            .write(None, move |unit| {
                loop {
                    let (claimed, turn) = claim_in_turn(unit, operator, &of_queue, last)?;
                    let Some(job) = claimed else {
                        return Ok((None, turn));
                    };
                    let kind = kinds.get(&job.kind)?;
                    if !has_exhausted_attempts(kind, &job) {
                        return Ok((Some(job), turn));
                    }
                    let reason = "its worker went away too often".to_owned();
                    give_up(unit, kind, operator, job, reason)?;
                }
            })
            .await?;
        self.turns.set_last(queue, turn);
        Ok(claimed)
    }

    /// Claims this job, if it was never claimed before.
    pub async fn claim_new(
        &self,
        operator: Operator,
        id: JobId,
    ) -> Result<Option<Job>, DomainError> {
        let kinds = self.kinds.clone();
        self.context
            .write(None, move |unit| {
                let is_new = |job: &Job| {
                    job.attempt == 0
                        && job.state == JobState::Queued
                        && kinds.get(&job.kind).is_ok()
                };
                let Some(job) = unit.tx.job(operator, id)?.filter(is_new) else {
                    return Ok(None);
                };
                let leased_until = Some(unit.now().plus(unit.limits().job_lease));
                let claimed = Job { state: JobState::Running, leased_until, ..job };
                unit.tx.update_job(operator, &claimed)?;
                Ok(Some(claimed))
            })
            .await
    }

    /// Returns when a job that is due was added in this process, from the call on.
    pub fn notified(&self) -> impl Future<Output = ()> + Send + use<> {
        self.context.job_notify.listen()
    }

    /// Makes the lease of a job longer; returns whether the caller still has it.
    pub async fn heartbeat(&self, operator: Operator, job: &Job) -> Result<bool, DomainError> {
        let job = job.clone();
        self.context
            .write(None, move |unit| {
                let leased_until = unit.now().plus(unit.limits().job_lease);
                Ok(unit.tx.extend_lease(operator, &job, leased_until)?)
            })
            .await
    }

    /// Does the next bounded piece of a claimed job.
    ///
    /// # Errors
    /// What kept the job from being done, for [`Self::fail`].
    pub async fn step(&self, operator: Operator, job: &Job) -> Result<StepOutcome, DomainError> {
        let kind = self.kinds.get(&job.kind)?;
        let run = JobRun { context: self.context.clone(), operator, job: job.clone() };
        let step = (kind.step)(run);
        if kind.queue.is_awaited() { step.await } else { Background::new(step).await }
    }

    /// Whether what a job is about to do is still wanted. Once that is no longer so, its step can be
    /// dropped at any point; the next one tidies up.
    pub async fn is_wanted(&self, operator: Operator, job: &Job) -> Result<bool, DomainError> {
        let (is_wanted, subject) = (self.kinds.get(&job.kind)?.is_wanted, job.subject.clone());
        self.context.look_up(job.project_id, move |unit| is_wanted(unit, operator, &subject)).await
    }

    /// How many key-value entries clean-ups have deleted through these services.
    #[must_use]
    pub fn cleaned_up(&self) -> u64 {
        self.context.cleaned_up.load(Ordering::Relaxed)
    }

    /// What waits of each kind of job, and what was given up; at most [`Self::COUNTED`] are counted of either.
    pub async fn backlogs(&self, operator: Operator) -> Result<Vec<JobBacklog>, DomainError> {
        let kinds: Vec<_> = self.kinds().cloned().collect();
        self.context
            .read(None, move |unit| Ok(unit.tx.job_backlogs(operator, &kinds, Self::COUNTED)?))
            .await
    }

    /// For how long, in all, a job of this backlog has been due that no worker has taken yet.
    #[must_use]
    pub fn overdue(&self, backlog: &JobBacklog) -> Duration {
        let since =
            backlog.first_due.map_or(0, |due| self.context.clock.now().millis() - due.millis());
        Duration::from_millis(since.try_into().unwrap_or(0))
    }

    /// Jobs that are not done, oldest first, but for those of kinds that only newer code knows; at most
    /// `limit`, after `after` if that is given.
    pub async fn page(
        &self,
        operator: Operator,
        after: Option<JobId>,
        limit: u32,
    ) -> Result<Vec<Job>, DomainError> {
        let kinds: Vec<_> = self.kinds().cloned().collect();
        self.context.read(None, move |unit| Ok(unit.tx.jobs(operator, &kinds, after, limit)?)).await
    }

    /// Makes a job due at once that failed or waits.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there is no such job, [`DomainError::Refused`] if it runs.
    pub async fn retry(&self, operator: Operator, id: JobId) -> Result<Job, DomainError> {
        let kinds = self.kinds.clone();
        self.context
            .write(None, move |unit| {
                let found = unit.tx.job(operator, id)?.filter(|job| kinds.get(&job.kind).is_ok());
                let job = found.ok_or(DomainError::NotFound(Resource::Job))?;
                if job.state == JobState::Running {
                    return Err(DomainError::Refused("the job is running".to_owned()));
                }
                let job = Job { failures: 0, ..queued(job) }.due(unit.now());
                unit.tx.update_job(operator, &job)?;
                unit.audit(AuditedResource::Job, job.id)?;
                Ok(job)
            })
            .await
    }
}
