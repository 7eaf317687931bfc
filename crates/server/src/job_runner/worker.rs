//! One worker: claims a job, does it step by step, keeps its lease meanwhile, and says how it ended.

use std::any::Any;
use std::future::pending;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::crawl::{CrawlService, WebsiteCrawl};
use domain::job::{Job, JobService, Queue, StepOutcome};
use domain::max_age::CLEAN_UP;
use domain::{DomainError, StorageError};
use futures_util::FutureExt as _;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::report::{Outage, Running, report, report_cleaned_up, report_crawl};
use crate::operator::OPERATOR;

/// How long a pool that found nothing to do waits until it looks again.
const PAUSE: Duration = Duration::from_secs(1);
/// How long the last step may take after a worker was asked to stop. What a step has not committed by
/// then never happened.
pub const STEP_AT_MOST: Duration = Duration::from_secs(5);
/// How long a job is worked on at a time, if it has several steps; then others which are due come first.
const TURN: Duration = Duration::from_secs(10);
/// How often is looked whether a crawl is still wanted.
const LOOK: Duration = Duration::from_secs(1);

/// How the work on a job came to an end.
pub enum AttemptOutcome {
    /// Nothing is left to do.
    Done,
    /// Nothing is left to do, but the job did not succeed; the word is the reason.
    Unsuccessful(&'static str),
    /// It could not be done, at least this time.
    Failed(DomainError),
    /// Another worker has it by now.
    LeaseLost,
    /// There is more to do, but others come first.
    Yielded,
    /// There was no free slot; it is tried again in a moment.
    Deferred,
    /// There is nothing to do for now.
    Waiting,
    /// It is not wanted any more; its next step tidies up.
    Unwanted,
    /// This worker was asked to stop.
    Requeued,
}

/// What the workers of one queue have in common. Clones share it.
#[derive(Clone)]
pub struct WorkerPool {
    queue: Queue,
    jobs: JobService,
    crawls: CrawlService,
    outage: Outage,
    /// Where it is made sure that workers still have their jobs, wherever they work.
    runtime: Handle,
    /// The worker that has it looks for work after a pause: one is enough to keep asking the database.
    poll_lock: Arc<Mutex<()>>,
    /// Wakes another worker that has nothing to do: there was work, so that there may be more.
    wake_next: Arc<Notify>,
}

impl WorkerPool {
    /// Made on a runtime that gets its share of the processors.
    pub fn new(queue: Queue, jobs: JobService, crawls: CrawlService, outage: Outage) -> Self {
        let (runtime, poll_lock, wake_next) = (Handle::current(), Arc::default(), Arc::default());
        Self { queue, jobs, crawls, outage, runtime, poll_lock, wake_next }
    }

    /// Makes the lease longer, again and again; returns when another worker has the job.
    async fn lease_lost(&self, job: &Job) {
        let pause = self.jobs.heartbeat_interval();
        let mut beats = interval(pause);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first comes at once, and the claim was it.
        beats.tick().await;
        loop {
            beats.tick().await;
            let beat = self.jobs.heartbeat(OPERATOR, job).await;
            if self.outage.track(beat) == Some(false) {
                return;
            }
        }
    }

    /// Checks, again and again, whether a crawl or an extraction is still wanted; returns when it is not.
    async fn unwanted(&self, job: &Job) {
        match self.queue {
            Queue::Maintenance | Queue::Webhooks => pending().await,
            Queue::Crawls | Queue::Extractions => loop {
                sleep(LOOK).await;
                let is_wanted = self.jobs.is_wanted(OPERATOR, job).await;
                if self.outage.track(is_wanted) == Some(false) {
                    return;
                }
            },
        }
    }
}

/// One worker.
pub struct Worker {
    pool: WorkerPool,
    stop: watch::Receiver<bool>,
}

impl Worker {
    pub const fn new(pool: WorkerPool, stop: watch::Receiver<bool>) -> Self {
        Self { pool, stop }
    }

    /// Does one job after the other until it is asked to stop.
    pub async fn work(&self) {
        while !self.is_stopping() {
            if let Some(job) = self.next().await {
                self.pool.wake_next.notify_one();
                self.run(&job).await;
            }
        }
    }

    /// A job, as soon as there is one; none if it is asked to stop, or to look again.
    async fn next(&self) -> Option<Job> {
        if let Some(job) = self.claim().await {
            return Some(job);
        }
        // The others only wait for their turn, so that each job that is added is looked for once.
        let _polling = tokio::select! {
            polling = self.pool.poll_lock.lock() => polling,
            () = self.pool.wake_next.notified() => return None,
            () = self.stop_requested() => return None,
        };
        loop {
            // Created before claiming, so that a job that is added in between wakes it.
            let notified = self.pool.jobs.notified();
            if let Some(job) = self.claim().await {
                return Some(job);
            }
            tokio::select! {
                () = notified => {}
                // Other nodes add jobs, too.
                () = sleep(PAUSE) => {}
                () = self.pool.wake_next.notified() => {}
                () = self.stop_requested() => return None,
            }
        }
    }

    async fn claim(&self) -> Option<Job> {
        let claimed = self.pool.jobs.claim(OPERATOR, self.pool.queue).await;
        self.pool.outage.track(claimed).flatten()
    }

    /// Works on a claimed job as far as it gets, and releases it.
    async fn run(&self, job: &Job) {
        let (started, mut steps) = (Instant::now(), 0);
        let jobs = &self.pool.jobs;
        let cleaned_up_before = jobs.cleaned_up();
        let running = Running::begin(&job.kind);
        let mut lease = self.keep_lease(job);
        let end = tokio::select! {
            end = self.steps(job, &mut steps) => end,
            // A job whose lease is not extended any more goes to another worker.
            end = lease.join_next() => end.and_then(Result::ok).unwrap_or(AttemptOutcome::LeaseLost),
            () = self.out_of_time() => AttemptOutcome::Requeued,
        };
        let released = match &end {
            AttemptOutcome::Done | AttemptOutcome::Unsuccessful(_) => {
                jobs.finish(OPERATOR, job).await
            }
            AttemptOutcome::Failed(error) => jobs.fail(OPERATOR, job, error).await,
            AttemptOutcome::Yielded | AttemptOutcome::Unwanted => {
                jobs.yield_turn(OPERATOR, job).await
            }
            AttemptOutcome::Deferred => jobs.defer(OPERATOR, job).await,
            AttemptOutcome::Waiting => jobs.wait(OPERATOR, job).await,
            AttemptOutcome::Requeued => jobs.requeue(OPERATOR, job).await,
            AttemptOutcome::LeaseLost => Ok(()),
        };
        // A job that can't be released now is claimed again when its lease has run out.
        self.pool.outage.track(released);
        drop(running);
        report(job, jobs.logs_at_debug(&job.kind), &end, started.elapsed(), steps);
        if job.kind == CLEAN_UP {
            report_cleaned_up(cleaned_up_before, jobs.cleaned_up());
        }
        if let (
            Queue::Crawls,
            AttemptOutcome::Done | AttemptOutcome::Unsuccessful(_) | AttemptOutcome::Failed(_),
        ) = (self.pool.queue, &end)
            && let Some(crawl) = self.ended_crawl(job).await
        {
            report_crawl(&crawl);
        }
    }

    /// Does step after step.
    async fn steps(&self, job: &Job, steps: &mut u64) -> AttemptOutcome {
        let started = Instant::now();
        loop {
            if self.is_stopping() {
                return AttemptOutcome::Requeued;
            }
            let step = self.pool.jobs.step(OPERATOR, job);
            let progress = AssertUnwindSafe(step).catch_unwind().await;
            *steps += 1;
            match progress.unwrap_or_else(|panic| Err(panicked(&*panic))) {
                Ok(StepOutcome::Continue) if started.elapsed() < TURN => {}
                Ok(StepOutcome::Continue) => return AttemptOutcome::Yielded,
                Ok(StepOutcome::NoFreeSlot) => return AttemptOutcome::Deferred,
                Ok(StepOutcome::Waiting) => return AttemptOutcome::Waiting,
                Ok(StepOutcome::Done) => return AttemptOutcome::Done,
                Ok(StepOutcome::Unsuccessful(reason)) => {
                    return AttemptOutcome::Unsuccessful(reason);
                }
                Ok(StepOutcome::LeaseLost) => return AttemptOutcome::LeaseLost,
                Err(error) => return AttemptOutcome::Failed(error),
            }
        }
    }

    /// Keeps the lease of a job until this is dropped, another worker has it, or it is not wanted any more. That
    /// is done where requests are answered: the thread of the crawls may get nothing of the processors
    /// for longer than a lease.
    fn keep_lease(&self, job: &Job) -> JoinSet<AttemptOutcome> {
        let (pool, job) = (self.pool.clone(), job.clone());
        let keeping = async move {
            tokio::select! {
                () = pool.lease_lost(&job) => AttemptOutcome::LeaseLost,
                () = pool.unwanted(&job) => AttemptOutcome::Unwanted,
            }
        };
        let mut lease = JoinSet::new();
        lease.spawn_on(keeping, &self.pool.runtime);
        lease
    }

    /// Returns when a worker that was asked to stop has no more time for the step that it is at. That of
    /// a crawl or an extraction would take long; a crawl has stored what it has so far, and an extraction
    /// begins again.
    async fn out_of_time(&self) {
        self.stop_requested().await;
        match self.pool.queue {
            Queue::Maintenance | Queue::Webhooks => sleep(STEP_AT_MOST).await,
            Queue::Crawls | Queue::Extractions => {}
        }
    }

    /// The crawl of a job that was done or given up, if it is still there.
    async fn ended_crawl(&self, job: &Job) -> Option<WebsiteCrawl> {
        let found = self.pool.crawls.of_job(OPERATOR, job).await;
        let crawl = self.pool.outage.track(found).flatten()?;
        (!crawl.progress.status.is_going()).then_some(crawl)
    }

    fn is_stopping(&self) -> bool {
        *self.stop.borrow()
    }

    /// Returns when the worker is asked to stop.
    async fn stop_requested(&self) {
        // This also returns when the sender is gone: then nothing could stop the worker any more.
        drop(self.stop.clone().wait_for(|is_stopping| *is_stopping).await);
    }
}

/// A step that panicked is a failure like any other. The log has its place already.
fn panicked(panic: &(dyn Any + Send)) -> DomainError {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    StorageError::Panicked(text.unwrap_or("no text").to_owned()).into()
}
