//! What is measured every few seconds.

use std::sync::Arc;
use std::time::Duration;

use actix_web::rt::task::spawn_blocking;
use domain::DomainError;
use domain::job::JobService;
use metrics::{describe_gauge, gauge};
use metrics_process::Collector;
use storage_diesel::DieselStore;

use super::disks::Disks;
use crate::operator::OPERATOR;
use crate::settings::Settings;

/// How often everything is measured: `/metrics` is no older than that.
pub const PAUSE: Duration = Duration::from_secs(5);

const QUEUED: &str = "botyard_jobs_queued";
const FAILED: &str = "botyard_jobs_failed";
const OVERDUE: &str = "botyard_jobs_overdue_seconds";

/// Measures what no request counts. Cloning is cheap.
#[derive(Clone)]
pub struct Sampler {
    jobs: JobService,
    blocking: Arc<Blocking>,
}

/// What is measured by calls that may wait for a disk.
struct Blocking {
    store: Arc<DieselStore>,
    disks: Disks,
    process: Collector,
}

impl Sampler {
    pub fn new(jobs: JobService, store: Arc<DieselStore>, settings: &Settings) -> Self {
        describe_gauge!(QUEUED, "Jobs that wait, on all nodes together; 10000 stands for more.");
        describe_gauge!(
            FAILED,
            "Jobs that were given up and not retried, on all nodes together; 10000 stands for more."
        );
        describe_gauge!(OVERDUE, "For how long the job that was due first waits for a worker.");
        let process = Collector::default();
        process.describe();
        let disks = Disks::of(settings);
        Self { jobs, blocking: Arc::new(Blocking { store, disks, process }) }
    }

    /// Measures once.
    ///
    /// # Errors
    /// If the jobs can't be counted.
    pub async fn sample(&self) -> Result<(), DomainError> {
        let blocking = self.blocking.clone();
        // It ends early only by a panic, which the log has.
        drop(spawn_blocking(move || blocking.record()).await);
        for backlog in self.jobs.backlogs(OPERATOR).await? {
            let overdue = self.jobs.overdue(&backlog);
            let set = |name: &'static str, value: f64| {
                gauge!(name, "kind" => backlog.kind.to_string()).set(value);
            };
            set(QUEUED, count(backlog.queued));
            set(FAILED, count(backlog.failed));
            set(OVERDUE, overdue.as_secs_f64());
        }
        Ok(())
    }
}

impl Blocking {
    fn record(&self) {
        self.store.record_gauges();
        self.disks.record();
        self.process.collect();
    }
}

/// A number of jobs, of which no more than [`JobService::COUNTED`] are counted.
fn count(jobs: u64) -> f64 {
    u32::try_from(jobs).map_or(f64::from(JobService::COUNTED), f64::from)
}
