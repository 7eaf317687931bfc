//! What is logged and counted of jobs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::DomainError;
use domain::crawl::{CRAWL, CrawlError, WebsiteCrawl};
use domain::document::{EXTRACT, ExtractionError};
use domain::job::{Job, JobKind};
use metrics::{
    Gauge, counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram,
};

use super::worker::AttemptOutcome;

const ATTEMPTS: &str = "botyard_job_attempts_total";
const RUNNING: &str = "botyard_jobs_running";
const SECONDS: &str = "botyard_job_seconds";
const CLEANED_UP: &str = "botyard_keyval_entries_cleaned_up_total";

impl AttemptOutcome {
    const OUTCOMES: [&'static str; 8] =
        ["done", "failed", "lease_lost", "yielded", "deferred", "waiting", "unwanted", "requeued"];

    const fn outcome(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Unsuccessful(reason) => reason,
            Self::Failed(_) => "failed",
            Self::LeaseLost => "lease_lost",
            Self::Yielded => "yielded",
            Self::Deferred => "deferred",
            Self::Waiting => "waiting",
            Self::Unwanted => "unwanted",
            Self::Requeued => "requeued",
        }
    }
}

/// Describes the metrics of jobs, and shows each from the start: if a counter first appears with 1, its first
/// increase is lost.
pub fn register<'a>(kinds: impl Iterator<Item = &'a JobKind>) {
    describe_counter!(ATTEMPTS, "Attempts at jobs, by how they ended.");
    describe_histogram!(SECONDS, "Time of an attempt at a job, without waiting for its turn.");
    describe_gauge!(RUNNING, "Jobs that this node does at the moment.");
    describe_counter!(CLEANED_UP, "Key-value entries that MaxAge rules deleted.");
    for kind in kinds {
        for outcome in AttemptOutcome::OUTCOMES.iter().chain(reasons(kind)) {
            counter!(ATTEMPTS, "kind" => kind.to_string(), "outcome" => *outcome).absolute(0);
        }
        running(kind).set(0.0);
    }
    counter!(CLEANED_UP).absolute(0);
}

/// The words with which a job of this kind can be unsuccessful.
fn reasons(kind: &JobKind) -> &'static [&'static str] {
    if *kind == EXTRACT {
        ExtractionError::WORDS
    } else if *kind == CRAWL {
        CrawlError::WORDS
    } else {
        &[]
    }
}

fn running(kind: &JobKind) -> Gauge {
    gauge!(RUNNING, "kind" => kind.to_string())
}

/// Counts a job that a worker does, until this is dropped.
pub struct Running(Gauge);

impl Running {
    pub fn begin(kind: &JobKind) -> Self {
        let gauge = running(kind);
        gauge.increment(1.0);
        Self(gauge)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

/// Reports how the work on a job ended: a line of the log, and the counters.
pub fn report(job: &Job, logs_at_debug: bool, end: &AttemptOutcome, took: Duration, steps: u64) {
    let (id, kind, seconds) = (job.id, job.kind.as_str(), took.as_secs_f64());
    counter!(ATTEMPTS, "kind" => kind.to_owned(), "outcome" => end.outcome()).increment(1);
    histogram!(SECONDS, "kind" => kind.to_owned()).record(seconds);
    match end {
        AttemptOutcome::Done if logs_at_debug => {
            tracing::debug!(%id, kind, seconds, steps, "a job is done");
        }
        AttemptOutcome::Done => tracing::info!(%id, kind, seconds, steps, "a job is done"),
        // What is wrong with a file or a site is its tenant's business.
        AttemptOutcome::Unsuccessful(reason) => {
            tracing::debug!(%id, kind, seconds, steps, reason, "a job came to nothing");
        }
        AttemptOutcome::Failed(error) => {
            tracing::warn!(%id, kind, seconds, steps, attempt = job.attempt, %error, "a job failed");
        }
        AttemptOutcome::LeaseLost => {
            tracing::info!(%id, kind, seconds, steps, "a job went to another worker meanwhile");
        }
        AttemptOutcome::Yielded => {
            tracing::debug!(%id, kind, seconds, steps, "a job lets others come first");
        }
        AttemptOutcome::Deferred => {
            tracing::debug!(%id, kind, "a job waits for others of its kind");
        }
        AttemptOutcome::Waiting => {
            tracing::debug!(%id, kind, seconds, steps, "a job has nothing to do for now");
        }
        AttemptOutcome::Unwanted => {
            tracing::info!(%id, kind, seconds, steps, "a job was dropped: it is not wanted any more");
        }
        AttemptOutcome::Requeued => {
            tracing::info!(%id, kind, seconds, steps, "a job was released");
        }
    }
}

/// Reports how a website-crawl ended. What it fetched is its tenant's business.
pub fn report_crawl(crawl: &WebsiteCrawl) {
    let (id, progress) = (crawl.id, &crawl.progress);
    let (status, error) = (progress.status.as_str(), progress.error.map(CrawlError::as_str));
    let (pages, failed, bytes) = (progress.pages_scraped, progress.pages_failed, progress.bytes);
    let took = progress.started_at.zip(progress.finished_at);
    let milliseconds = took.map(|(began, ended)| ended.millis() - began.millis());
    tracing::info!(%id, status, error, pages, failed, bytes, milliseconds, "a website-crawl ended");
}

/// Reports how many key-value entries went since there had been so many, and that is so many by now;
/// whatever became of the job itself.
pub fn report_cleaned_up(before: u64, by_now: u64) {
    if by_now > before {
        counter!(CLEANED_UP).absolute(by_now);
        tracing::info!(entries = by_now - before, "key-value entries went by MaxAge rules");
    }
}

/// Whether the database is out of reach for the workers, so that they say it once and not every
/// second. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct Outage(Arc<AtomicBool>);

impl Outage {
    /// Takes note of what the database answered; an error becomes `None`.
    pub fn track<T>(&self, answer: Result<T, DomainError>) -> Option<T> {
        match answer {
            Ok(answer) => {
                if self.0.swap(false, Ordering::Relaxed) {
                    tracing::info!("jobs are done again");
                }
                Some(answer)
            }
            Err(error) => {
                if !self.0.swap(true, Ordering::Relaxed) {
                    tracing::warn!(%error, "jobs wait: the database is unavailable");
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::StorageError;

    #[test]
    fn an_outage_lasts_until_the_first_answer() {
        let outage = Outage::default();
        let other = outage.clone();
        assert_eq!(outage.track(Ok(1)), Some(1));
        assert!(!outage.0.load(Ordering::Relaxed));
        assert_eq!(other.track(Err::<(), _>(StorageError::Overloaded.into())), None);
        assert!(outage.0.load(Ordering::Relaxed));
        assert_eq!(outage.track(Ok(2)), Some(2));
        assert!(!other.0.load(Ordering::Relaxed));
    }
}
