//! One worker: claims a job, does it step by step, keeps hold of it meanwhile, and says how it ended.

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

use super::report::{Outage, report, report_cleaned_up, report_crawl};
use crate::operator::OPERATOR;

/// How long a crew that found nothing to do waits until it looks again.
const PAUSE: Duration = Duration::from_secs(1);
/// How long the last step may take after a worker was told to end. What a step has not committed by
/// then never happened.
pub const STEP_AT_MOST: Duration = Duration::from_secs(5);
/// How long a job is worked on at a time, if it has several steps; then others which are due come first.
const TURN: Duration = Duration::from_secs(10);
/// How often is looked whether a crawl is still wanted.
const LOOK: Duration = Duration::from_secs(1);

/// How the work on a job came to an end.
pub enum End {
    /// Nothing is left to do.
    Done,
    /// It could not be done, at least this time.
    Failed(DomainError),
    /// Another worker has it by now.
    Lost,
    /// There is more to do, but others come first.
    Turn,
    /// It found no place, and asks again in a moment.
    Later,
    /// Nobody wants it any more; its next step tidies up.
    Unwanted,
    /// This worker was told to end.
    GivenBack,
}

/// What the workers of one lane have in common. Clones share it.
#[derive(Clone)]
pub struct Crew {
    lane: Queue,
    jobs: JobService,
    crawls: CrawlService,
    outage: Outage,
    /// Where it is made sure that workers still have their jobs, wherever they work.
    runtime: Handle,
    /// Whoever has it looks for work after a pause: one is enough to ask the database again and again.
    watch: Arc<Mutex<()>>,
    /// Tells another who has nothing to do that there was work, so that there may be more.
    alert: Arc<Notify>,
}

impl Crew {
    /// Made on a runtime that gets its share of the processors.
    pub fn new(lane: Queue, jobs: JobService, crawls: CrawlService, outage: Outage) -> Self {
        let (runtime, watch, alert) = (Handle::current(), Arc::default(), Arc::default());
        Self { lane, jobs, crawls, outage, runtime, watch, alert }
    }

    /// Makes the lease longer, again and again; returns when another worker has the job.
    async fn losing(&self, job: &Job) {
        let pause = self.jobs.heartbeat_interval();
        let mut beats = interval(pause);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first comes at once, and the claim was it.
        beats.tick().await;
        loop {
            beats.tick().await;
            let beat = self.jobs.heartbeat(OPERATOR, job).await;
            if self.outage.heard(beat) == Some(false) {
                return;
            }
        }
    }

    /// Looks, again and again, whether somebody still wants a crawl or an extraction; returns when nobody
    /// does.
    async fn unwanted(&self, job: &Job) {
        match self.lane {
            Queue::Maintenance => pending().await,
            Queue::Crawls | Queue::Extractions => loop {
                sleep(LOOK).await;
                let is_wanted = self.jobs.is_wanted(OPERATOR, job).await;
                if self.outage.heard(is_wanted) == Some(false) {
                    return;
                }
            },
        }
    }
}

/// One worker.
pub struct Worker {
    crew: Crew,
    stop: watch::Receiver<bool>,
}

impl Worker {
    pub const fn new(crew: Crew, stop: watch::Receiver<bool>) -> Self {
        Self { crew, stop }
    }

    /// Does one job after the other until it is told to end.
    pub async fn work(&self) {
        while !self.is_told() {
            let noted = self.crew.jobs.notified();
            let claimed = self.crew.jobs.claim(OPERATOR, self.crew.lane).await;
            if let Some(job) = self.crew.outage.heard(claimed).flatten() {
                self.crew.alert.notify_one();
                self.run(&job).await;
            } else {
                tokio::select! {
                    () = self.keep_watch(noted) => {}
                    () = self.crew.alert.notified() => {}
                    () = self.told() => {}
                }
            }
        }
    }

    /// Returns when it is this worker's turn to look for work: when some was noted here, or after a pause,
    /// because other nodes note work, too.
    async fn keep_watch(&self, noted: impl Future<Output = ()>) {
        let _watch = self.crew.watch.lock().await;
        tokio::select! {
            () = noted => {}
            () = sleep(PAUSE) => {}
        }
    }

    /// Works on a claimed job as far as it gets, and puts it down.
    async fn run(&self, job: &Job) {
        let (started, mut steps) = (Instant::now(), 0);
        let jobs = &self.crew.jobs;
        let cleaned_up_before = jobs.cleaned_up();
        let mut hold = self.hold(job);
        let end = tokio::select! {
            end = self.steps(job, &mut steps) => end,
            // A job that nobody keeps hold of goes to another worker.
            end = hold.join_next() => end.and_then(Result::ok).unwrap_or(End::Lost),
            () = self.out_of_time() => End::GivenBack,
        };
        let put_down = match &end {
            End::Done => jobs.finish(OPERATOR, job).await,
            End::Failed(error) => jobs.fail(OPERATOR, job, error).await,
            End::Turn | End::Unwanted => jobs.yield_turn(OPERATOR, job).await,
            End::Later => jobs.defer(OPERATOR, job).await,
            End::GivenBack => jobs.requeue(OPERATOR, job).await,
            End::Lost => Ok(()),
        };
        // A job that can't be put down now is claimed again when its lease has run out.
        self.crew.outage.heard(put_down);
        report(job, jobs.is_routine(&job.kind), &end, started.elapsed(), steps);
        if job.kind == CLEAN_UP {
            report_cleaned_up(cleaned_up_before, jobs.cleaned_up());
        }
        if let (Queue::Crawls, End::Done | End::Failed(_)) = (self.crew.lane, &end)
            && let Some(crawl) = self.ended_crawl(job).await
        {
            report_crawl(&crawl);
        }
    }

    /// Does step after step.
    async fn steps(&self, job: &Job, steps: &mut u64) -> End {
        let started = Instant::now();
        loop {
            if self.is_told() {
                return End::GivenBack;
            }
            let step = self.crew.jobs.step(OPERATOR, job);
            let progress = AssertUnwindSafe(step).catch_unwind().await;
            *steps += 1;
            match progress.unwrap_or_else(|panic| Err(panicked(&*panic))) {
                Ok(StepOutcome::Continue) if started.elapsed() < TURN => {}
                Ok(StepOutcome::Continue) => return End::Turn,
                Ok(StepOutcome::NoFreeSlot) => return End::Later,
                Ok(StepOutcome::Done) => return End::Done,
                Ok(StepOutcome::LeaseLost) => return End::Lost,
                Err(error) => return End::Failed(error),
            }
        }
    }

    /// Keeps hold of a job until this is dropped, another worker has it, or nobody wants it any more. That
    /// is done where requests are answered: the thread of the crawls may get nothing of the processors
    /// for longer than a lease.
    fn hold(&self, job: &Job) -> JoinSet<End> {
        let (crew, job) = (self.crew.clone(), job.clone());
        let holding = async move {
            tokio::select! {
                () = crew.losing(&job) => End::Lost,
                () = crew.unwanted(&job) => End::Unwanted,
            }
        };
        let mut hold = JoinSet::new();
        hold.spawn_on(holding, &self.crew.runtime);
        hold
    }

    /// Returns when a worker that was told to end has no more time for the step that it is at. That of
    /// a crawl or an extraction would take long; a crawl has stored what it has so far, and an extraction
    /// begins again.
    async fn out_of_time(&self) {
        self.told().await;
        match self.crew.lane {
            Queue::Maintenance => sleep(STEP_AT_MOST).await,
            Queue::Crawls | Queue::Extractions => {}
        }
    }

    /// The crawl of a job that was done or given up, if it is still there.
    async fn ended_crawl(&self, job: &Job) -> Option<WebsiteCrawl> {
        let found = self.crew.crawls.of_job(OPERATOR, job).await;
        let crawl = self.crew.outage.heard(found).flatten()?;
        (!crawl.progress.status.is_going()).then_some(crawl)
    }

    fn is_told(&self) -> bool {
        *self.stop.borrow()
    }

    /// Returns when the worker is told to end.
    async fn told(&self) {
        // Nobody is left to tell it when the sender is gone: then it is to end as well.
        drop(self.stop.clone().wait_for(|told| *told).await);
    }
}

/// A step that panicked is a failure like any other. The log has its place already.
fn panicked(panic: &(dyn Any + Send)) -> DomainError {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    StorageError::Panicked(text.unwrap_or("no text").to_owned()).into()
}
