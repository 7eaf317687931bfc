//! One step of a crawl.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use super::super::{
    CrawlError, CrawlProgress, CrawlStatus, CrawlUrl, Fetched, FoundPage, SiteVisit, WebsiteCrawl,
};
use super::batch::{Advance, PendingPages};
use super::frontier::Frontier;
use super::settle::DeferredPage;
use crate::clock::Timestamp;
use crate::error::DomainError;
use crate::id::ProjectId;
use crate::job::StepOutcome;
use crate::job::run::JobRun;

/// How many pages one crawl fetches at once; the crawler may fetch fewer of them.
const AT_ONCE: usize = 4;
/// How long a step fetches before other crawls have their turn.
const STEP: Duration = Duration::from_secs(10);
/// How many hops from the start the pages are that sitemaps name: the start leads to its sitemaps, and
/// those lead to them.
const DEPTH_OF_SITEMAPS: u8 = 2;
/// Nothing more is fetched while so many bytes of text wait to be stored, or while so many pages wait for
/// the unit in progress. That bounds memory, and how long others wait for such a unit.
const WAITING_BYTES: usize = 2 << 20;
const WAITING_PAGES: usize = 8;

/// What a step waits for: a page; the pages that sitemaps name; a unit.
enum Event {
    Fetched(FoundPage, Box<Fetched>),
    Named(Vec<CrawlUrl>),
    Stored(Result<bool, DomainError>),
}

/// A step, from its first page to its last.
pub(in crate::crawl) struct CrawlStep {
    pub(super) run: JobRun,
    pub(super) crawl: WebsiteCrawl,
    visit: Arc<dyn SiteVisit>,
    pub(super) frontier: Frontier,
    /// How far the crawl is, what is not stored yet included.
    pub(super) progress: CrawlProgress,
    /// What waits to be stored.
    pub(super) batch: PendingPages,
    /// Pages that wait until it is known what is at their canonical addresses.
    pub(super) deferred: Vec<DeferredPage>,
    events: FuturesUnordered<Pin<Box<dyn Future<Output = Event> + Send>>>,
    /// How many pages are fetched at once. After an attempt that came to nothing it is one: if a page is
    /// to blame, it is the first that this attempt comes to, and no other makes it look harmless.
    at_once: usize,
    /// How many pages are being fetched, and at which depth all of them are.
    pub(super) fetching: usize,
    at_depth: u8,
    is_reading_sitemaps: bool,
    /// How many bytes of text are being stored, if some are.
    storing: Option<usize>,
    began: Timestamp,
}

impl CrawlStep {
    pub(in crate::crawl) fn new(
        run: JobRun,
        project: ProjectId,
        crawl: WebsiteCrawl,
        found: Vec<FoundPage>,
    ) -> Self {
        Self {
            visit: run.context.crawler.visit(project, &crawl.url),
            frontier: Frontier::of(found, run.context.limits.crawl_pages),
            progress: crawl.progress,
            batch: PendingPages::default(),
            deferred: Vec::new(),
            events: FuturesUnordered::new(),
            at_once: if run.job.failures > 0 { 1 } else { AT_ONCE },
            fetching: 0,
            at_depth: 0,
            is_reading_sitemaps: false,
            storing: None,
            began: run.context.clock.now(),
            run,
            crawl,
        }
    }

    pub(in crate::crawl) async fn run(mut self) -> Result<StepOutcome, DomainError> {
        if self.frontier.has_start() {
            self.read_sitemaps();
        }
        loop {
            // First of all, because it makes room.
            if self.storing.is_none() && !self.batch.is_empty() {
                self.store();
            }
            if self.limit().is_none() {
                if self.is_reading_sitemaps || self.run.context.clock.now() < self.began.plus(STEP)
                {
                    self.fetch_more();
                }
            } else if self.fetching == 0 && self.storing.is_none() {
                // It waits for sitemaps at most.
                return self.end().await;
            }
            match self.events.next().await {
                Some(Event::Fetched(page, fetched)) => {
                    self.fetching -= 1;
                    self.settle(page, *fetched);
                }
                Some(Event::Named(pages)) => {
                    self.is_reading_sitemaps = false;
                    self.progress.sitemaps_read = true;
                    self.enqueue_all(pages, DEPTH_OF_SITEMAPS);
                }
                Some(Event::Stored(stored)) => {
                    if !stored? {
                        // It was cancelled, or another worker took it over: this step ends here.
                        return Ok(StepOutcome::Continue);
                    }
                    self.storing = None;
                    self.run.job.failures = 0;
                }
                None if self.frontier.is_empty() => return self.end().await,
                None => return Ok(StepOutcome::Continue),
            }
        }
    }

    /// The limit that the crawl has come to, other than that of pages.
    pub(super) fn limit(&self) -> Option<CrawlError> {
        let limits = &self.run.context.limits;
        let ends = self.progress.started_at.map(|started| started.plus(limits.crawl_time));
        if ends.is_some_and(|ends| self.run.context.clock.now() >= ends) {
            return Some(CrawlError::TimeLimit);
        }
        (self.progress.bytes >= limits.crawl_bytes).then_some(CrawlError::ByteLimit)
    }

    /// How many bytes of text are not stored yet.
    fn waiting_bytes(&self) -> usize {
        self.batch.bytes() + self.storing.unwrap_or_default()
    }

    /// Whether what is fetched can wait to be stored.
    fn has_room(&self) -> bool {
        self.batch.pages.len() < WAITING_PAGES && self.waiting_bytes() < WAITING_BYTES
    }

    fn fetch_more(&mut self) {
        while self.fetching + self.deferred.len() < self.at_once && self.has_room() {
            let mut depth = if self.fetching > 0 { self.at_depth } else { u8::MAX };
            if self.is_reading_sitemaps {
                // What is found further away might be nearer by way of them.
                depth = depth.min(DEPTH_OF_SITEMAPS - 1);
            }
            let Some(page) = self.frontier.next(depth) else {
                return;
            };
            self.at_depth = page.depth;
            self.fetch(page);
        }
    }

    pub(super) fn fetch(&mut self, page: FoundPage) {
        self.fetching += 1;
        let visit = self.visit.clone();
        self.events.push(Box::pin(async move {
            let fetched = visit.fetch(&page.url).await;
            Event::Fetched(page, Box::new(fetched))
        }));
    }

    /// Asks for the pages that the site's sitemaps name, unless they would be too far away, or are
    /// known.
    pub(super) fn read_sitemaps(&mut self) {
        let is_too_far = self.crawl.depth < DEPTH_OF_SITEMAPS;
        if is_too_far || self.is_reading_sitemaps || self.progress.sitemaps_read {
            return;
        }
        self.is_reading_sitemaps = true;
        let visit = self.visit.clone();
        self.events.push(Box::pin(async move { Event::Named(visit.sitemap().await) }));
    }

    /// Takes in addresses that are to be fetched.
    pub(super) fn enqueue_all(&mut self, urls: Vec<CrawlUrl>, depth: u8) {
        for url in urls {
            self.batch.found.extend(self.frontier.enqueue(url, depth));
        }
        if self.frontier.is_cut() {
            self.progress.error = Some(CrawlError::PageLimit);
        }
    }

    fn store(&mut self) {
        self.storing = Some(self.batch.bytes());
        let storing = self.advance();
        self.events.push(Box::pin(async { Event::Stored(storing.await) }));
    }

    /// Stores what waits for it, and how far the crawl is; says whether it still runs.
    fn advance(&mut self) -> impl Future<Output = Result<bool, DomainError>> + Send + use<> {
        let batch = std::mem::take(&mut self.batch);
        let advance = Advance { crawl: self.crawl.id, batch, progress: self.progress };
        let run = self.run.clone();
        async move {
            let of_unit = run.clone();
            let stored = run.write_leased(move |unit| advance.store(unit, &of_unit)).await?;
            Ok(stored.unwrap_or_default())
        }
    }

    /// Ends the crawl: it has failed if it has no page.
    async fn end(mut self) -> Result<StepOutcome, DomainError> {
        let has_pages = self.progress.pages_scraped > 0;
        let status = if has_pages { CrawlStatus::Finished } else { CrawlStatus::Failed };
        let is_whole = self.frontier.is_empty() && !self.is_reading_sitemaps;
        let cut = self.limit().filter(|_| !is_whole);
        // Without its start page alone it has not failed.
        let said = self.progress.error.filter(|e| !has_pages || *e == CrawlError::PageLimit);
        self.progress = CrawlProgress {
            status,
            error: cut.or(said),
            finished_at: Some(self.run.context.clock.now()),
            ..self.progress
        };
        let outcome = match self.progress.error {
            Some(error) if !has_pages => StepOutcome::Unsuccessful(error.as_str()),
            Some(_) | None => StepOutcome::Done,
        };
        Ok(if self.advance().await? { outcome } else { StepOutcome::Continue })
    }
}
