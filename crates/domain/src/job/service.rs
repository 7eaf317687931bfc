//! Doing jobs, and looking after them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::put_down::{give_up, queued};
use super::{Job, JobKind, JobState, Lane, Progress};
use crate::access::Operator;
use crate::blob;
use crate::bot;
use crate::context::Context;
use crate::crawl;
use crate::document;
use crate::error::{DomainError, Resource};
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

/// Jobs.
#[derive(Clone)]
pub struct JobService {
    pub(super) context: Arc<Context>,
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
        let unit = move |tx: &mut dyn Repositories| {
            let now = context.clock.now();
            let leased_until = now.plus(context.limits.job_lease);
            let mut woken = false;
            while let Some(job) = tx.claim_job(operator, lane, now, leased_until)? {
                if !job.is_hopeless() {
                    return Ok((Some(job), woken));
                }
                let reason = "its worker went away too often".to_owned();
                woken |= give_up(tx, &context, operator, job, reason)?;
            }
            Ok((None, woken))
        };
        let (job, woken) = self.context.store.write(unit).await?;
        self.ring_if(woken);
        Ok(job)
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
