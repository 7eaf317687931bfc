//! One step of a crawl.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;

use super::super::{
    CrawlError, CrawlProgress, CrawlStatus, CrawlUrl, Fetched, FoundPage, Page, PageContent,
    SiteVisit, WebsiteCrawl,
};
use super::batch::{Advance, Batch};
use super::frontier::{Frontier, Settled};
use crate::access::Operator;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::DomainError;
use crate::id::PageId;
use crate::job::{Job, Progress};
use crate::store::Repositories;
use crate::text::LONG_TEXT_MAX;

/// How many pages one crawl fetches at once; whoever fetches them may do fewer.
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

/// What a step waits for: a page, with the pages that sitemaps name beside the start page; a unit.
enum Event {
    Fetched(FoundPage, Box<Fetched>, Vec<CrawlUrl>),
    Stored(Result<bool, DomainError>),
}

/// A step, from its first page to its last.
pub(super) struct Step {
    context: Arc<Context>,
    operator: Operator,
    job: Job,
    crawl: WebsiteCrawl,
    visit: Arc<dyn SiteVisit>,
    frontier: Frontier,
    /// How far the crawl is, what is not stored yet included.
    progress: CrawlProgress,
    /// What waits to be stored.
    batch: Batch,
    events: FuturesUnordered<Pin<Box<dyn Future<Output = Event> + Send>>>,
    /// How many pages are fetched at once. After an attempt that came to nothing it is one: if a page is
    /// to blame, it is the first that this attempt comes to, and no other makes it look harmless.
    at_once: usize,
    /// How many pages are being fetched, and at which depth all of them are.
    fetching: usize,
    at_depth: u8,
    /// How many bytes of text are being stored, if some are.
    storing: Option<usize>,
    began: Timestamp,
}

impl Step {
    pub(super) fn new(
        context: Arc<Context>,
        operator: Operator,
        job: Job,
        crawl: WebsiteCrawl,
        found: Vec<FoundPage>,
    ) -> Self {
        Self {
            visit: context.crawler.visit(&crawl.url),
            frontier: Frontier::of(found, context.limits.crawl_pages),
            progress: crawl.progress,
            batch: Batch::default(),
            events: FuturesUnordered::new(),
            at_once: if job.failures > 0 { 1 } else { AT_ONCE },
            fetching: 0,
            at_depth: 0,
            storing: None,
            began: context.clock.now(),
            context,
            operator,
            job,
            crawl,
        }
    }

    pub(super) async fn run(mut self) -> Result<Progress, DomainError> {
        loop {
            // First of all, because it makes room.
            if self.storing.is_none() && !self.batch.is_empty() {
                self.store();
            }
            if self.limit().is_none() && self.context.clock.now() < self.began.plus(STEP) {
                self.fetch_more();
            }
            match self.events.next().await {
                Some(Event::Fetched(page, fetched, named)) => {
                    self.settle(page, *fetched);
                    self.find(named, DEPTH_OF_SITEMAPS);
                }
                Some(Event::Stored(stored)) => {
                    if !stored? {
                        // Whoever cancelled the crawl or took it over has the word now.
                        return Ok(Progress::More);
                    }
                    self.storing = None;
                    self.job.failures = 0;
                }
                None if self.frontier.is_empty() || self.limit().is_some() => {
                    return self.end().await;
                }
                None => return Ok(Progress::More),
            }
        }
    }

    /// The limit that the crawl has come to, other than that of pages.
    fn limit(&self) -> Option<CrawlError> {
        let limits = &self.context.limits;
        let ends = self.progress.started_at.map(|started| started.plus(limits.crawl_time));
        if ends.is_some_and(|ends| self.context.clock.now() >= ends) {
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
        while self.fetching < self.at_once && self.has_room() {
            let at_depth = (self.fetching > 0).then_some(self.at_depth);
            let Some(page) = self.frontier.next(at_depth) else {
                return;
            };
            self.at_depth = page.depth;
            self.fetching += 1;
            let visit = self.visit.clone();
            let asks_sitemap = self.crawl.depth >= DEPTH_OF_SITEMAPS;
            self.events.push(Box::pin(async move {
                let fetched = visit.fetch(&page.url).await;
                let is_asked = asks_sitemap && page.number == 0 && fetched.content.is_ok();
                let named = if is_asked { visit.sitemap().await } else { Vec::new() };
                Event::Fetched(page, Box::new(fetched), named)
            }));
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
        let (context, operator, job) = (self.context.clone(), self.operator, self.job.clone());
        async move {
            let unit_context = context.clone();
            let unit =
                move |tx: &mut dyn Repositories| advance.store(tx, &unit_context, operator, &job);
            context.store.write(unit).await
        }
    }

    /// Takes in what came of fetching a page.
    fn settle(&mut self, asked: FoundPage, fetched: Fetched) {
        self.fetching -= 1;
        let Fetched { url, status_code, content, links, bytes } = fetched;
        let content = content.and_then(bounded);
        // What came compressed counts as what it takes to keep it.
        let kept = content.as_ref().map_or(0, |content| content.markdown.len() as u64);
        self.progress.bytes = self.progress.bytes.saturating_add(bytes.max(kept));
        if content.is_ok() && asked.depth < self.crawl.depth {
            self.find(links, asked.depth + 1);
        }
        let url = match self.frontier.settle(&asked.url, url) {
            Settled::Alias => return self.batch.aliases.push(asked.number),
            Settled::Page { url, before } => {
                self.batch.moved.extend(before);
                url
            }
        };
        let id = PageId::from_uuid(self.context.ids.next());
        let page = Page::of(id, self.context.clock.now(), &asked, url, status_code);
        self.batch.pages.push(match content {
            Ok(content) => {
                self.progress.pages_scraped += 1;
                page.with(content)
            }
            Err(error) => {
                self.progress.pages_failed += 1;
                if asked.number == 0 {
                    self.progress.error = Some(error);
                }
                Page { error: Some(error), ..page }
            }
        });
    }

    fn find(&mut self, links: Vec<CrawlUrl>, depth: u8) {
        for link in links {
            self.batch.found.extend(self.frontier.find(link, depth));
        }
        if self.frontier.is_cut() {
            self.progress.error = Some(CrawlError::PageLimit);
        }
    }

    /// Ends the crawl: without its start page it has failed.
    async fn end(mut self) -> Result<Progress, DomainError> {
        let has_pages = self.progress.pages_scraped > 0;
        let status = if has_pages { CrawlStatus::Finished } else { CrawlStatus::Failed };
        let cut = self.limit().filter(|_| !self.frontier.is_empty());
        self.progress = CrawlProgress {
            status,
            error: cut.or(self.progress.error),
            finished_at: Some(self.context.clock.now()),
            ..self.progress
        };
        let is_stored = self.advance().await?;
        Ok(if is_stored { Progress::Done } else { Progress::More })
    }
}

/// A page with more text than a text has at most is not kept.
fn bounded(content: PageContent) -> Result<PageContent, CrawlError> {
    if content.markdown.len() > LONG_TEXT_MAX {
        return Err(CrawlError::TooLarge);
    }
    Ok(content)
}
