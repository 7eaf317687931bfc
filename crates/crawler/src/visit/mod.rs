//! A visit to a site: what is fetched there, and how it becomes pages.

mod sitemaps;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::blob::Sha256;
use domain::crawl::{CrawlError, CrawlUrl, Fetched, PageContent, SiteVisit};
use hyper::Response;
use hyper::body::Incoming;
use sha2::Digest as _;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::body::{Beyond, Coding};
use crate::media::{Media, RobotsTag, Text};
use crate::trip::{Arrived, Step, Trip};
use crate::{Shared, page};

/// How long all sitemaps of a site may take together.
const SITEMAPS: Duration = Duration::from_secs(60);

/// A visit.
pub(crate) struct Visit {
    shared: Arc<Shared>,
    start: CrawlUrl,
}

/// What an answer says before its body is read.
struct Head {
    media: Media,
    coding: Coding,
    tag: RobotsTag,
}

/// What a page came to.
struct Found {
    url: CrawlUrl,
    content: Result<PageContent, CrawlError>,
    links: Vec<CrawlUrl>,
}

impl Visit {
    pub(crate) fn new(shared: Arc<Shared>, start: CrawlUrl) -> Self {
        Self { shared, start }
    }

    /// Goes to a page of this site, if its redirects and its rules let that be.
    async fn go(&self, trip: &mut Trip) -> Result<Arrived, CrawlError> {
        if !trip.url.is_on_site_of(&self.start) {
            return Err(CrawlError::OffSite);
        }
        loop {
            let rules = self.shared.rules(&trip.url).await?;
            if !rules.allow(&trip.url) {
                return Err(CrawlError::Disallowed);
            }
            let delay = rules.delay(self.shared.settings.delay);
            match self.shared.step(trip, delay).await? {
                Step::Moved(to) if !to.is_on_site_of(&self.start) => {
                    return Err(CrawlError::OffSite);
                }
                Step::Moved(to) => trip.url = to,
                Step::Again => {}
                Step::Arrived(arrived) => return Ok(arrived),
            }
        }
    }

    async fn page(&self, trip: &mut Trip) -> Result<Found, CrawlError> {
        let arrived = self.go(trip).await?;
        let head = Head::of(&arrived.answer)?;
        let limit = self.shared.settings.wire_bytes;
        let body = self.shared.read(trip, arrived, limit, Beyond::Refuse).await?;
        let (url, limit) = (trip.url.clone(), self.shared.settings.inflated_bytes);
        let start = self.start.clone();
        match head.media {
            Media::Text(text) => {
                let work = move || {
                    make(&text, head.tag, &body.into_content(head.coding, limit)?, url, &start)
                };
                self.shared.busily(work).await?
            }
            Media::Pdf if head.tag.is_noindex => Err(CrawlError::Disallowed),
            Media::Pdf => {
                // Until then a large one has its seat.
                let turn = self.shared.documents.turn().await?;
                let inflate = move || body.into_content(head.coding, limit);
                let pdf = self.shared.busily(inflate).await??;
                let text = turn.read(pdf, limit).await?;
                Ok(Found { url, content: Ok(content(None, text)), links: Vec::new() })
            }
        }
    }
}

impl Shared {
    /// Does work that keeps a core busy, when a seat is free.
    async fn busily<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, CrawlError> {
        let seat = self.seats.clone().acquire_owned().await;
        let work = spawn_blocking(move || {
            // Held until the work has ended, even if nobody waits for it any more.
            let _seat = seat;
            work()
        });
        work.await.map_err(|_| CrawlError::BadContent)
    }
}

impl Head {
    /// # Errors
    /// The answer is no page.
    fn of(answer: &Response<Incoming>) -> Result<Self, CrawlError> {
        if !answer.status().is_success() {
            return Err(CrawlError::HttpError);
        }
        let headers = answer.headers();
        let (media, coding) = (Media::of(headers)?, Coding::of(headers)?);
        Ok(Self { media, coding, tag: RobotsTag::of(headers) })
    }
}

/// Makes a page of a text.
fn make(
    text: &Text,
    tag: RobotsTag,
    bytes: &[u8],
    url: CrawlUrl,
    start: &CrawlUrl,
) -> Result<Found, CrawlError> {
    let read = page::read(bytes, text.kind(bytes)?, text.charset.as_deref(), &url)?;
    let mut links = read.links;
    if tag.is_nofollow {
        links.clear();
    }
    links.retain(|link| link.is_on_site_of(start));
    if read.is_noindex || tag.is_noindex {
        return Ok(Found { url, content: Err(CrawlError::Disallowed), links });
    }
    let canonical = read.canonical.filter(|canonical| canonical.is_on_site_of(start));
    let content = Ok(content(read.title, read.markdown));
    Ok(Found { url: canonical.unwrap_or(url), content, links })
}

fn content(title: Option<String>, markdown: String) -> PageContent {
    let hash = Sha256::from_bytes(sha2::Sha256::digest(&markdown).into());
    PageContent { title, markdown, hash }
}

#[async_trait]
impl SiteVisit for Visit {
    async fn sitemap(&self) -> Vec<CrawlUrl> {
        let mut pages = sitemaps::Pages::default();
        // What was found in time counts.
        let _ = timeout(SITEMAPS, self.collect(&mut pages)).await;
        pages.into_list()
    }

    async fn fetch(&self, url: &CrawlUrl) -> Fetched {
        let mut trip = Trip::new(url.clone(), &self.shared.settings);
        let found = self.page(&mut trip).await;
        let found = found.unwrap_or_else(|error| Found {
            url: trip.url.clone(),
            content: Err(error),
            links: Vec::new(),
        });
        Fetched {
            url: found.url,
            status_code: trip.status,
            content: found.content,
            links: found.links,
            bytes: trip.bytes,
        }
    }
}
