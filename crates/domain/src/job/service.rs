//! Doing jobs, and looking after them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Job, JobKind, JobState, Lane};
use crate::access::Operator;
use crate::blob;
use crate::bot;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::crawl;
use crate::document;
use crate::error::{DomainError, Resource, StorageError};
use crate::id::{BlobId, BotId, CrawlId, ExtractionId, JobId, PageSetId};
use crate::max_age;
use crate::store::Repositories;
use crate::user;

/// What comes again and again. Each has one identifier for all nodes, so that they do not each note
/// their own.
const REPEATING: [(JobKind, u128); 2] = [
    (JobKind::SweepBlobs, 0x0000_0000_0000_8000_8000_0000_0000_0001),
    (JobKind::CleanUp, 0x0000_0000_0000_8000_8000_0000_0000_0002),
];

/// How long a job waits that found no place before it asks again.
const PUT_OFF: Duration = Duration::from_secs(5);

/// How far a step of a job got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// There is more to do.
    More,
    /// It has to wait: others of its kind have all the places.
    Later,
    /// It is done.
    Done,
    /// Another worker has the job by now; what this one did came to nothing.
    Lost,
}

/// Jobs.
#[derive(Clone)]
pub struct JobService {
    context: Arc<Context>,
}

impl JobService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// How often a worker must call [`Self::heartbeat`]: four times in a lease.
    #[must_use]
    pub fn heartbeat_interval(&self) -> Duration {
        self.context.limits.job_lease / 4
    }

    /// Notes the jobs that come again and again, if they are not there, and makes them due at once
    /// if they wait: a process that starts may be one that was killed.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn plan_repeating(&self, operator: Operator) -> Result<(), DomainError> {
        let context = self.context.clone();
        self.context
            .store
            .write(move |tx| {
                for (kind, id) in REPEATING {
                    let now = context.clock.now();
                    let planned = Job::new(uuid::Uuid::from_u128(id), kind, "", now);
                    match tx.job(operator, planned.id)? {
                        None => tx.insert_job_once(operator, &planned)?,
                        Some(job) if job.state == JobState::Queued => {
                            tx.update_job(operator, &job.due(now))?;
                        }
                        Some(_) => {}
                    }
                }
                Ok(())
            })
            .await
    }

    /// Lets every job be claimed that runs, as if its lease had run out. Only for a process that knows
    /// of no other one which does jobs: those that run then are of one that was killed.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn expire_leases(&self, operator: Operator) -> Result<(), DomainError> {
        let clock = self.context.clock.clone();
        self.context.store.write(move |tx| Ok(tx.expire_leases(operator, clock.now())?)).await
    }

    /// Claims a job of this lane that is due, if there is one.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn claim(&self, operator: Operator, lane: Lane) -> Result<Option<Job>, DomainError> {
        let context = self.context.clone();
        self.context
            .store
            .write(move |tx| {
                let now = context.clock.now();
                let leased_until = now.plus(context.limits.job_lease);
                while let Some(job) = tx.claim_job(operator, lane, now, leased_until)? {
                    if !job.is_hopeless() {
                        return Ok(Some(job));
                    }
                    let reason = "its worker went away too often".to_owned();
                    give_up(tx, &context, operator, job, reason)?;
                }
                Ok(None)
            })
            .await
    }

    /// Claims this job, if it was never claimed before.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn claim_new(
        &self,
        operator: Operator,
        id: JobId,
    ) -> Result<Option<Job>, DomainError> {
        let context = self.context.clone();
        self.context
            .store
            .write(move |tx| {
                let is_new = |job: &Job| job.attempt == 0 && job.state == JobState::Queued;
                let Some(job) = tx.job(operator, id)?.filter(is_new) else {
                    return Ok(None);
                };
                let leased_until = Some(context.clock.now().plus(context.limits.job_lease));
                let claimed = Job { state: JobState::Running, leased_until, ..job };
                tx.update_job(operator, &claimed)?;
                Ok(Some(claimed))
            })
            .await
    }

    /// Returns when a job was noted in this process, from the call on, for which somebody may be waiting.
    pub fn noted(&self) -> impl Future<Output = ()> + Send + use<> {
        self.context.job_bell.listen()
    }

    /// Makes the lease of a job longer; returns whether the caller still has it.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn heartbeat(&self, operator: Operator, job: &Job) -> Result<bool, DomainError> {
        let (context, job) = (self.context.clone(), job.clone());
        self.context
            .store
            .write(move |tx| {
                let leased_until = context.clock.now().plus(context.limits.job_lease);
                Ok(tx.extend_lease(operator, &job, leased_until)?)
            })
            .await
    }

    /// Does the next bounded piece of a claimed job.
    ///
    /// # Errors
    /// What kept the job from being done, for [`Self::fail`].
    pub async fn step(&self, operator: Operator, job: &Job) -> Result<Progress, DomainError> {
        let unreadable = || DomainError::Refused(format!("{:?} is no subject", job.subject));
        match job.kind {
            JobKind::TeardownBot => {
                let id = BotId::parse(&job.subject).ok_or_else(unreadable)?;
                bot::tear_down(&self.context, operator, job, id).await
            }
            JobKind::RemoveBlob => {
                let id = BlobId::parse(&job.subject).ok_or_else(unreadable)?;
                blob::remove(&self.context, operator, id).await.map(|()| Progress::Done)
            }
            JobKind::RemoveUsers => {
                let bot = BotId::parse(&job.subject).ok_or_else(unreadable)?;
                user::remove(&self.context, operator, job, bot).await
            }
            JobKind::Crawl => {
                let id = CrawlId::parse(&job.subject).ok_or_else(unreadable)?;
                crawl::run(&self.context, operator, job, id).await
            }
            JobKind::RemovePageSet => {
                let set = PageSetId::parse(&job.subject).ok_or_else(unreadable)?;
                crawl::remove_page_set(&self.context, operator, job, set).await
            }
            JobKind::Extract => {
                let id = ExtractionId::parse(&job.subject).ok_or_else(unreadable)?;
                document::extract(&self.context, operator, job, id).await
            }
            JobKind::RemoveChunks => {
                let id = ExtractionId::parse(&job.subject).ok_or_else(unreadable)?;
                document::remove_chunks(&self.context, operator, job, id).await
            }
            JobKind::CleanUp => max_age::clean_up(&self.context, operator, job).await,
            JobKind::SweepBlobs => {
                blob::sweep(&self.context, operator).await.map(|_| Progress::Done)
            }
        }
    }

    /// Whether somebody still wants what a job is about to do. Once that is no longer so, its step can be
    /// dropped at any point; the next one tidies up.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn is_wanted(&self, operator: Operator, job: &Job) -> Result<bool, DomainError> {
        let is_wanted = match job.kind {
            JobKind::Crawl => crawl::is_wanted,
            JobKind::Extract => document::is_wanted,
            JobKind::TeardownBot
            | JobKind::RemoveBlob
            | JobKind::SweepBlobs
            | JobKind::RemoveUsers
            | JobKind::CleanUp
            | JobKind::RemovePageSet
            | JobKind::RemoveChunks => return Ok(true),
        };
        let subject = job.subject.clone();
        self.context.store.look_up(move |tx| is_wanted(tx, operator, &subject)).await
    }

    /// How many key-value entries clean-ups have deleted through these services.
    #[must_use]
    pub fn cleaned_up(&self) -> u64 {
        self.context.cleaned_up.load(Ordering::Relaxed)
    }

    /// Forgets a job that is done, or puts it off until it is due again.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn finish(&self, operator: Operator, job: &Job) -> Result<(), DomainError> {
        let (context, job) = (self.context.clone(), job.clone());
        self.context
            .store
            .write(move |tx| match job.kind.repeats_after(&context.limits) {
                None => Ok(tx.delete_job(operator, &job)?),
                Some(pause) => {
                    let due = context.clock.now().plus(pause);
                    let again = Job { failures: 0, last_error: None, ..queued(job.clone()) };
                    Ok(tx.update_job(operator, &again.due(due))?)
                }
            })
            .await
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
        self.context
            .store
            .write(move |tx| {
                let Some(job) = standing(tx, operator, &job)? else {
                    return Ok(());
                };
                let job = Job { failures: job.failures + 1, ..job };
                if !may_pass || job.is_hopeless() {
                    return give_up(tx, &context, operator, job, reason.clone());
                }
                let pause = job.back_off();
                let pause = repeats_after.map_or(pause, |repeats| repeats.min(pause));
                let due = context.clock.now().plus(pause);
                let later = Job { last_error: Some(reason.clone()), ..queued(job) };
                Ok(tx.update_job(operator, &later.due(due))?)
            })
            .await
    }

    /// Gives a job back that the caller has no time for, so that another worker goes on at once.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn give_back(&self, operator: Operator, job: &Job) -> Result<(), DomainError> {
        self.requeue(operator, job, None).await
    }

    /// Gives a job back of which there is more to do, so that others which are due come first.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn take_turns(&self, operator: Operator, job: &Job) -> Result<(), DomainError> {
        self.requeue(operator, job, Some(self.context.clock.now())).await
    }

    /// Puts a job off for a moment that found no place.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn put_off(&self, operator: Operator, job: &Job) -> Result<(), DomainError> {
        self.requeue(operator, job, Some(self.context.clock.now().plus(PUT_OFF))).await
    }

    /// Queues a job again, due when it was or at another time.
    async fn requeue(
        &self,
        operator: Operator,
        job: &Job,
        run_at: Option<Timestamp>,
    ) -> Result<(), DomainError> {
        let job = job.clone();
        self.context
            .store
            .write(move |tx| {
                let Some(job) = standing(tx, operator, &job)? else {
                    return Ok(());
                };
                let run_at = run_at.unwrap_or(job.run_at);
                Ok(tx.update_job(operator, &queued(job).due(run_at))?)
            })
            .await
    }

    /// All jobs that are not done, oldest first, at most `limit`, after `after` if that is given.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn page(
        &self,
        operator: Operator,
        after: Option<JobId>,
        limit: u32,
    ) -> Result<Vec<Job>, DomainError> {
        self.context.store.read(move |tx| Ok(tx.jobs(operator, after, limit)?)).await
    }

    /// Makes a job due at once that failed or waits.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if there is no such job, [`DomainError::Refused`] if it runs.
    pub async fn retry(&self, operator: Operator, id: JobId) -> Result<Job, DomainError> {
        let context = self.context.clone();
        self.context
            .store
            .write(move |tx: &mut dyn Repositories| {
                let found = tx.job(operator, id)?;
                let job = found.ok_or(DomainError::NotFound(Resource::Job))?;
                if job.state == JobState::Running {
                    return Err(DomainError::Refused("the job is running".to_owned()));
                }
                let job = Job { failures: 0, ..queued(job) }.due(context.clock.now());
                tx.update_job(operator, &job)?;
                Ok(job)
            })
            .await
    }
}

/// Ends a job for good that could not be done.
fn give_up(
    tx: &mut dyn Repositories,
    context: &Context,
    operator: Operator,
    job: Job,
    reason: String,
) -> Result<(), DomainError> {
    if job.kind == JobKind::Crawl {
        crawl::give_up(tx, context, operator, &job)?;
    }
    if job.kind == JobKind::Extract {
        document::give_up(tx, context, operator, &job)?;
    }
    let job = Job { state: JobState::Failed, leased_until: None, last_error: Some(reason), ..job };
    Ok(tx.update_job(operator, &job)?)
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

fn queued(job: Job) -> Job {
    Job { state: JobState::Queued, leased_until: None, ..job }
}
