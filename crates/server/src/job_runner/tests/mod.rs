//! Workers on a database, with a sweep and with pages that go as the test wants them to.

mod crawls;
mod steps;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

use archive::{ArchiveLimits, ArchivePolicy};
use async_trait::async_trait;
use domain::blob::{
    BlobError, BlobKey, BlobLister, BlobReader, Blobs, NoBlobs, SWEEP_BLOBS, Staged, Staging,
};
use domain::clock::{Clock, Timestamp};
use domain::crawl::{CrawlUrl, Fetched, NoCrawler, SiteVisit, WebCrawler};
use domain::id::ProjectId;
use domain::job::{Job, JobKind, JobService, Queue};
use domain::store::{Repositories, Store};
use domain::testing::RunUnits as _;
use domain::{Botyard, Limits};
use storage_diesel::system::{SystemClock, SystemEntropy};
use storage_diesel::{DatabaseUrl, DieselStore, Options};
use tempfile::TempDir;
use tokio::sync::watch;

use super::report::Outage;
use super::worker::{Worker, WorkerPool};
use crate::operator::OPERATOR;

/// What a sweep begins with.
#[derive(Clone, Copy)]
enum Tidy {
    Panics,
    Fails,
    NeverEnds,
    /// Keeps its thread as long as it goes on.
    KeepsThread,
}

/// A blob store of which only the beginning of a sweep is asked.
struct StubBlobs {
    tidy: Tidy,
    is_tidying: Arc<AtomicBool>,
}

/// A web of which no page ever comes.
#[derive(Clone)]
struct Web {
    is_fetching: Arc<AtomicBool>,
}

impl WebCrawler for Web {
    fn visit(&self, _: ProjectId, _: &CrawlUrl) -> Arc<dyn SiteVisit> {
        Arc::new(self.clone())
    }
}

#[async_trait]
impl SiteVisit for Web {
    async fn sitemap(&self) -> Vec<CrawlUrl> {
        NoCrawler.sitemap().await
    }

    async fn fetch(&self, _: &CrawlUrl) -> Fetched {
        never(&self.is_fetching).await
    }
}

/// Never ends; says that it goes on, until it is given up.
async fn never<T>(goes_on: &Arc<AtomicBool>) -> T {
    struct GoesOn(Arc<AtomicBool>);

    impl Drop for GoesOn {
        fn drop(&mut self) {
            self.0.store(false, Ordering::SeqCst);
        }
    }

    goes_on.store(true, Ordering::SeqCst);
    let _goes_on = GoesOn(goes_on.clone());
    std::future::pending().await
}

#[async_trait]
impl Blobs for StubBlobs {
    async fn tidy(&self) -> Result<(), BlobError> {
        match self.tidy {
            Tidy::Panics => panic!("the broom broke"),
            Tidy::Fails => Err(BlobError::Failed("the broom broke".to_owned())),
            Tidy::NeverEnds => never(&self.is_tidying).await,
            Tidy::KeepsThread => {
                self.is_tidying.store(true, Ordering::SeqCst);
                while self.is_tidying.load(Ordering::SeqCst) {
                    thread::sleep(Duration::from_millis(5));
                }
                Ok(())
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

    async fn list(&self, project: ProjectId) -> Result<Box<dyn BlobLister>, BlobError> {
        NoBlobs.list(project).await
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

/// A database on which a sweep is due, and services on it.
struct Bench {
    botyard: Botyard,
    jobs: JobService,
    stop: watch::Sender<bool>,
    clock: Arc<Ahead>,
    is_tidying: Arc<AtomicBool>,
    is_fetching: Arc<AtomicBool>,
    _folder: TempDir,
}

impl Bench {
    async fn new(tidy: Tidy) -> Self {
        let folder = TempDir::new().unwrap();
        let url = DatabaseUrl::Sqlite(folder.path().join("botyard.db"));
        storage_diesel::migrate(&url).unwrap();
        let (clock, is_tidying) = (Arc::new(Ahead::default()), Arc::new(AtomicBool::new(false)));
        let is_fetching = Arc::new(AtomicBool::new(false));
        let store: Arc<dyn Store> = Arc::new(DieselStore::open(&url, Options::default()).unwrap());
        let limits =
            Limits { job_lease: Duration::from_secs(2), crawls_per_bot: 1, ..Limits::default() };
        let botyard = Botyard::builder(store.clone(), clock.clone(), Arc::new(SystemEntropy))
            .blobs(Arc::new(StubBlobs { tidy, is_tidying: is_tidying.clone() }))
            .archives(Arc::new(ArchivePolicy::new(ArchiveLimits::default())))
            .crawler(Arc::new(Web { is_fetching: is_fetching.clone() }))
            .limits(limits)
            .build();
        let jobs = botyard.jobs.clone();
        jobs.plan_repeating(OPERATOR).await.unwrap();
        for other in jobs.page(OPERATOR, None, 9).await.unwrap() {
            if other.kind != SWEEP_BLOBS {
                let forget = move |tx: &mut dyn Repositories| Ok(tx.delete_job(OPERATOR, &other)?);
                store.write(forget).await.unwrap();
            }
        }
        let (stop, _) = watch::channel(false);
        Self { botyard, jobs, stop, clock, is_tidying, is_fetching, _folder: folder }
    }

    /// A worker of this queue, the only one.
    fn worker(&self, queue: Queue) -> Worker {
        let pool = WorkerPool::new(
            queue,
            self.jobs.clone(),
            self.botyard.crawls.clone(),
            Outage::default(),
        );
        Worker::new(pool, self.stop.subscribe())
    }

    /// The jobs of this kind.
    async fn jobs_of(&self, kind: JobKind) -> Vec<Job> {
        let all = self.jobs.page(OPERATOR, None, 9).await.unwrap();
        all.into_iter().filter(|job| job.kind == kind).collect()
    }

    /// The sweep.
    async fn job(&self) -> Job {
        self.jobs_of(SWEEP_BLOBS).await.remove(0)
    }
}

async fn until(condition: impl AsyncFn() -> bool) {
    while !condition().await {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
