//! A visit to a site: what is fetched there, and how it becomes pages.

mod sitemaps;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::blob::Sha256;
use domain::crawl::{CrawlError, CrawlUrl, Fetched, PageContent, SiteVisit};
use domain::id::ProjectId;
use hyper::Response;
use hyper::body::Incoming;
use sha2::Digest as _;
use tokio::time::timeout;

use crate::body::{Coding, Oversized};
use crate::fetch::{Arrived, Fetch, FetchStep};
use crate::media::{Media, RobotsTag, Text};
use crate::page;
use crate::shared::Shared;
use crate::work::Cancellation;

/// How long all sitemaps of a site may take together.
const SITEMAPS: Duration = Duration::from_secs(60);

/// A visit.
pub(crate) struct Visit {
    shared: Arc<Shared>,
    project_id: ProjectId,
    start: CrawlUrl,
}

/// What an answer says before its body is read.
struct Head {
    media: Media,
    coding: Coding,
    tag: RobotsTag,
}

/// What a page came to.
struct FetchedPage {
    url: CrawlUrl,
    canonical: Option<CrawlUrl>,
    content: Result<PageContent, CrawlError>,
    links: Vec<CrawlUrl>,
    has_more_links: bool,
}

impl Visit {
    pub(crate) fn new(shared: Arc<Shared>, project_id: ProjectId, start: CrawlUrl) -> Self {
        Self { shared, project_id, start }
    }

    /// Begins to fetch something of the site.
    fn begin(&self, url: CrawlUrl) -> Fetch {
        Fetch::new(url, Some(self.project_id), &self.shared.settings)
    }

    /// Goes to a page of this site, if its redirects and its rules let that be.
    async fn go(&self, fetch: &mut Fetch) -> Result<Arrived, CrawlError> {
        if !fetch.url.is_on_site_of(&self.start) {
            return Err(CrawlError::OffSite);
        }
        loop {
            let rules = self.shared.rules(&fetch.url).await.map_err(|unknown| {
                fetch.status = unknown.status.or(fetch.status);
                unknown.error
            })?;
            if !rules.allow(&fetch.url) {
                return Err(CrawlError::Disallowed);
            }
            let delay = rules.delay(self.shared.settings.delay);
            match self.shared.step(fetch, delay).await? {
                FetchStep::Moved(to) if !to.is_on_site_of(&self.start) => {
                    return Err(CrawlError::OffSite);
                }
                FetchStep::Moved(to) => fetch.url = to,
                FetchStep::Again => {}
                FetchStep::Arrived(arrived) => return Ok(arrived),
            }
        }
    }

    async fn page(&self, fetch: &mut Fetch) -> Result<FetchedPage, CrawlError> {
        let arrived = self.go(fetch).await?;
        let head = Head::of(&arrived.answer)?;
        let limit = self.shared.settings.wire_bytes;
        let body = self.shared.read(fetch, arrived, limit, Oversized::Refuse).await?;
        let (url, limit) = (fetch.url.clone(), self.shared.settings.inflated_bytes);
        let start = self.start.clone();
        match head.media {
            Media::Text(text) => {
                let work = move |cancellation: &Cancellation| {
                    let bytes = body.into_content(head.coding, limit, cancellation)?;
                    make(&text, head.tag, &bytes, url, &start)
                };
                self.shared.permits.run_blocking(self.project_id, work).await?
            }
            Media::Pdf if head.tag.is_noindex => Err(CrawlError::Disallowed),
            Media::Pdf => {
                // Until then a large one has its permit.
                let permit = self.shared.documents.permit(self.project_id).await;
                let inflate = move |cancellation: &Cancellation| {
                    body.into_content(head.coding, limit, cancellation)
                };
                let pdf = self.shared.permits.run_blocking(self.project_id, inflate).await??;
                let text = permit.read(pdf, limit).await?;
                Ok(FetchedPage::without_links(url, Ok(content(None, text))))
            }
        }
    }
}

impl FetchedPage {
    const fn without_links(url: CrawlUrl, content: Result<PageContent, CrawlError>) -> Self {
        Self { url, canonical: None, content, links: Vec::new(), has_more_links: false }
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
) -> Result<FetchedPage, CrawlError> {
    let read = page::read(bytes, text.kind(bytes)?, text.charset.as_deref(), &url)?;
    let follows = !tag.is_nofollow;
    let links = if follows { read.links } else { Vec::new() };
    let has_more_links = follows && read.has_more_links;
    if read.is_noindex || tag.is_noindex {
        let content = Err(CrawlError::Disallowed);
        return Ok(FetchedPage { url, canonical: None, content, links, has_more_links });
    }
    let is_another = |to: &CrawlUrl| to.is_on_site_of(start) && to.key() != url.key();
    let canonical = read.canonical.filter(is_another);
    let content = Ok(content(read.title, read.markdown));
    Ok(FetchedPage { url, canonical, content, links, has_more_links })
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
        let mut fetch = self.begin(url.clone());
        let found = self.page(&mut fetch).await;
        let found =
            found.unwrap_or_else(|error| FetchedPage::without_links(fetch.url.clone(), Err(error)));
        Fetched {
            url: found.url,
            canonical: found.canonical,
            status_code: fetch.status,
            content: found.content,
            links: found.links,
            has_more_links: found.has_more_links,
            bytes: fetch.bytes,
        }
    }
}
