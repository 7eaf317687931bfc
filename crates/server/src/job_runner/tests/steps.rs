//! A worker on a database, with a sweep that goes as the test wants it to.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use archive::{ArchiveLimits, ArchivePolicy};
use async_trait::async_trait;
use domain::access::Operator;
use domain::blob::{BlobError, BlobKey, BlobLister, BlobReader, Blobs, NoBlobs, Staged, Staging};
use domain::body::Rules;
use domain::clock::{Clock, Timestamp};
use domain::job::{Job, JobKind, JobService, JobState};
use domain::store::{Repositories, Store};
use domain::{Botyard, Limits, Ports};
use storage_diesel::system::{SystemClock, SystemEntropy};
use storage_diesel::{DatabaseUrl, DieselStore, Options};
use tempfile::TempDir;
use tokio::sync::watch;

use super::report::Outage;
use super::worker::Worker;

const OPERATOR: Operator = Operator::of_this_installation();

/// What a sweep begins with.
#[derive(Clone, Copy)]
enum Tidy {
    Panics,
    Fails,
    NeverEnds,
}

/// A place of files of which only the beginning of a sweep is asked.
struct Place {
    tidy: Tidy,
    is_tidying: Arc<AtomicBool>,
}

/// Says that the step was given up.
struct Tidying(Arc<AtomicBool>);

impl Drop for Tidying {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

#[async_trait]
impl Blobs for Place {
    async fn tidy(&self) -> Result<(), BlobError> {
        match self.tidy {
            Tidy::Panics => panic!("the broom broke"),
            Tidy::Fails => Err(BlobError::Failed("the broom broke".to_owned())),
            Tidy::NeverEnds => {
                self.is_tidying.store(true, Ordering::SeqCst);
                let _tidying = Tidying(self.is_tidying.clone());
                std::future::pending().await
            }
        }
    }

    async fn stage(&self) -> Result<Box<dyn Staging>, BlobError> {
        NoBlobs.stage().await
    }

    async fn put(&self, key: &BlobKey, staged: &Arc<dyn Staged>) -> Result<(), BlobError> {
        NoBlobs.put(key, staged).await
    }

    async fn read(
        &self,
        key: &BlobKey,
        range: Range<u64>,
    ) -> Result<Box<dyn BlobReader>, BlobError> {
        NoBlobs.read(key, range).await
    }

    async fn delete(&self, key: &BlobKey) -> Result<(), BlobError> {
        NoBlobs.delete(key).await
    }

    async fn list(&self) -> Result<Box<dyn BlobLister>, BlobError> {
        NoBlobs.list().await
    }

    async fn check(&self) -> Result<(), BlobError> {
        NoBlobs.check().await
    }
}

/// The system's clock, put forward.
#[derive(Default)]
struct Ahead(AtomicI64);

impl Clock for Ahead {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(SystemClock.now().millis() + self.0.load(Ordering::SeqCst))
    }
}

/// A database with one job that is due, and a worker on it.
struct Bench {
    jobs: JobService,
    worker: Worker,
    stop: watch::Sender<bool>,
    clock: Arc<Ahead>,
    is_tidying: Arc<AtomicBool>,
    _folder: TempDir,
}

impl Bench {
    async fn new(tidy: Tidy) -> Self {
        let folder = TempDir::new().unwrap();
        let url = DatabaseUrl::Sqlite(folder.path().join("botyard.db"));
        storage_diesel::migrate(&url).unwrap();
        let (clock, is_tidying) = (Arc::new(Ahead::default()), Arc::new(AtomicBool::new(false)));
        let store: Arc<dyn Store> = Arc::new(DieselStore::open(&url, Options::default()).unwrap());
        let ports = Ports {
            store: store.clone(),
            clock: clock.clone(),
            entropy: Arc::new(SystemEntropy),
            blobs: Arc::new(Place { tidy, is_tidying: is_tidying.clone() }),
            archives: Arc::new(ArchivePolicy::new(ArchiveLimits::default())),
        };
        let limits = Limits { job_lease: Duration::from_secs(2), ..Limits::default() };
        let jobs = Botyard::new(ports, limits, Rules::default()).jobs;
        jobs.plan_repeating(OPERATOR).await.unwrap();
        for other in jobs.page(OPERATOR, None, 9).await.unwrap() {
            if other.kind != JobKind::SweepBlobs {
                let forget = move |tx: &mut dyn Repositories| Ok(tx.delete_job(OPERATOR, &other)?);
                store.write(forget).await.unwrap();
            }
        }
        let (stop, told) = watch::channel(false);
        let worker = Worker::new(jobs.clone(), OPERATOR, told, Outage::default());
        Self { jobs, worker, stop, clock, is_tidying, _folder: folder }
    }

    async fn job(jobs: &JobService) -> Job {
        jobs.page(OPERATOR, None, 2).await.unwrap().remove(0)
    }
}

async fn until(condition: impl AsyncFn() -> bool) {
    while !condition().await {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[actix_web::test]
async fn a_step_that_fails_or_panics_is_tried_again_later() {
    for (tidy, reason) in [
        (Tidy::Fails, "the blob store failed: the broom broke"),
        (Tidy::Panics, "the unit of work panicked: the broom broke"),
    ] {
        let Bench { jobs, worker, stop, .. } = &Bench::new(tidy).await;
        let test = async {
            until(async || Bench::job(jobs).await.failures == 1).await;
            let job = Bench::job(jobs).await;
            assert_eq!((job.state, job.attempt), (JobState::Queued, 1));
            assert_eq!(job.last_error.as_deref(), Some(reason));
            assert!(job.run_at > SystemClock.now().plus(Duration::from_secs(60)));
            // The worker goes on: it does the job once more as soon as it is due.
            jobs.retry(OPERATOR, job.id).await.unwrap();
            until(async || Bench::job(jobs).await.attempt == 2).await;
            stop.send_replace(true);
        };
        tokio::join!(worker.work(), test);
    }
}

#[actix_web::test]
async fn a_worker_whose_job_went_to_another_lets_go_of_it() {
    let Bench { jobs, worker, stop, clock, is_tidying, _folder } =
        &Bench::new(Tidy::NeverEnds).await;
    let test = async {
        until(async || is_tidying.load(Ordering::SeqCst)).await;
        // Nobody else gets it while its worker makes the lease longer.
        assert_eq!(jobs.claim(OPERATOR).await.unwrap(), None);
        let taken = loop {
            clock.0.fetch_add(3_600_000, Ordering::SeqCst);
            if let Some(job) = jobs.claim(OPERATOR).await.unwrap() {
                break job;
            }
        };
        assert_eq!(taken.attempt, 2);
        until(async || !is_tidying.load(Ordering::SeqCst)).await;
        stop.send_replace(true);
        let job = Bench::job(jobs).await;
        assert_eq!((job.state, job.attempt), (JobState::Running, 2));
        jobs.finish(OPERATOR, &taken).await.unwrap();
    };
    tokio::join!(worker.work(), test);
}

#[actix_web::test]
async fn a_worker_that_is_told_to_end_gives_its_job_back() {
    let Bench { jobs, worker, stop, is_tidying, .. } = &Bench::new(Tidy::NeverEnds).await;
    let test = async {
        until(async || is_tidying.load(Ordering::SeqCst)).await;
        stop.send_replace(true);
    };
    tokio::join!(worker.work(), test);
    let job = Bench::job(jobs).await;
    assert_eq!((job.state, job.attempt, job.failures), (JobState::Queued, 1, 0));
    assert_eq!(jobs.claim(OPERATOR).await.unwrap().map(|job| job.attempt), Some(2));
}
