//! The port to the web: fetching the pages of a site.

use std::sync::Arc;

use async_trait::async_trait;

use super::{CrawlError, CrawlUrl};
use crate::blob::Sha256;
use crate::id::ProjectId;

/// Fetches pages from the web.
pub trait WebCrawler: Send + Sync {
    /// Begins a visit to the site of this page for a project, or goes on with one that began a short time ago.
    /// Nothing is fetched yet.
    fn visit(&self, project_id: ProjectId, start: &CrawlUrl) -> Arc<dyn SiteVisit>;
}

/// A visit to one site.
///
/// # Contract
/// - Only addresses that the installation lets crawls reach are connected to, whatever names, redirects
///   and spellings lead to.
/// - What `robots.txt` disallows is not fetched, and the site is asked no faster than it, and the
///   settings, want it: a call waits for its turn. Calls may run at once.
/// - All visits to one host wait for the same turns.
/// - Time and memory of a call are bounded, whatever the site does. Dropping a call ends its work.
#[async_trait]
pub trait SiteVisit: Send + Sync {
    /// The pages of this site that its sitemaps name, a bounded number of them.
    async fn sitemap(&self) -> Vec<CrawlUrl>;

    /// Fetches a page of this site, by way of its redirects.
    async fn fetch(&self, url: &CrawlUrl) -> Fetched;
}

/// What came of fetching a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where the page is: where redirects led to, otherwise the address that was requested.
    pub url: CrawlUrl,
    /// What it says is its address, if that is on the same site and another than where it is.
    pub canonical: Option<CrawlUrl>,
    /// The status of the last answer, if there was one.
    pub status_code: Option<u16>,
    /// Its content, or why there is none.
    pub content: Result<PageContent, CrawlError>,
    /// Where its links lead, on the same site, each once, in their order; none if the page asks not to
    /// be followed. A page that only asks not to be kept is [`CrawlError::Disallowed`] and has some.
    pub links: Vec<CrawlUrl>,
    /// Whether it has more links to the same site than are handed out.
    pub has_more_links: bool,
    /// How many bytes came over the wire.
    pub bytes: u64,
}

/// The content of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageContent {
    /// Its title, if it has one.
    pub title: Option<String>,
    /// Its main content as Markdown.
    pub markdown: String,
    /// The hash of that Markdown.
    pub hash: Sha256,
}
