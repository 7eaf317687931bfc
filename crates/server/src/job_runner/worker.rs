//! One worker: claims a job, does it step by step, keeps hold of it meanwhile, and says how it ended.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use domain::access::Operator;
use domain::job::{Job, JobKind, JobService, Progress};
use domain::{DomainError, StorageError};
use futures_util::FutureExt as _;
use tokio::sync::watch;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::report::{Outage, report, report_cleaned_up};

/// How long a worker that found nothing to do waits until it looks again.
const PAUSE: Duration = Duration::from_secs(1);
/// How long the last step may take after a worker was told to end. What a step has not committed by
/// then never happened.
pub const STEP_AT_MOST: Duration = Duration::from_secs(5);

/// How long a job is worked on at a time, if it has several steps; then others which are due come first.
const TURN: Duration = Duration::from_secs(10);

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
    /// This worker was told to end.
    GivenBack,
}

/// One worker.
pub struct Worker {
    jobs: JobService,
    operator: Operator,
    stop: watch::Receiver<bool>,
    outage: Outage,
}

impl Worker {
    pub const fn new(
        jobs: JobService,
        operator: Operator,
        stop: watch::Receiver<bool>,
        outage: Outage,
    ) -> Self {
        Self { jobs, operator, stop, outage }
    }

    /// Does one job after the other until it is told to end.
    pub async fn work(&self) {
        while !self.is_told() {
            let claimed = self.jobs.claim(self.operator).await;
            match self.outage.heard(claimed).flatten() {
                Some(job) => self.run(&job).await,
                None => tokio::select! {
                    () = sleep(PAUSE) => {}
                    () = self.told() => {}
                },
            }
        }
    }

    /// Works on a claimed job as far as it gets, and puts it down.
    async fn run(&self, job: &Job) {
        let (started, mut steps) = (Instant::now(), 0);
        let cleaned_up_before = self.jobs.cleaned_up();
        let out_of_time = async {
            self.told().await;
            sleep(STEP_AT_MOST).await;
        };
        let end = tokio::select! {
            end = self.steps(job, &mut steps) => end,
            () = self.losing(job) => End::Lost,
            () = out_of_time => End::GivenBack,
        };
        let put_down = match &end {
            End::Done => self.jobs.finish(self.operator, job).await,
            End::Failed(error) => self.jobs.fail(self.operator, job, error).await,
            End::Turn => self.jobs.take_turns(self.operator, job).await,
            End::GivenBack => self.jobs.give_back(self.operator, job).await,
            End::Lost => Ok(()),
        };
        // A job that can't be put down now is claimed again when its lease has run out.
        self.outage.heard(put_down);
        report(job, &end, started.elapsed(), steps);
        if job.kind == JobKind::CleanUp {
            report_cleaned_up(cleaned_up_before, self.jobs.cleaned_up());
        }
    }

    /// Does step after step.
    async fn steps(&self, job: &Job, steps: &mut u64) -> End {
        let started = Instant::now();
        loop {
            if self.is_told() {
                return End::GivenBack;
            }
            let step = self.jobs.step(self.operator, job);
            let progress = AssertUnwindSafe(step).catch_unwind().await;
            *steps += 1;
            match progress.unwrap_or_else(|panic| Err(panicked(&*panic))) {
                Ok(Progress::More) if started.elapsed() < TURN => {}
                Ok(Progress::More) => return End::Turn,
                Ok(Progress::Done) => return End::Done,
                Ok(Progress::Lost) => return End::Lost,
                Err(error) => return End::Failed(error),
            }
        }
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
            let beat = self.jobs.heartbeat(self.operator, job).await;
            if self.outage.heard(beat) == Some(false) {
                return;
            }
        }
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
