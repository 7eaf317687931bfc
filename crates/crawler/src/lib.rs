//! The crawler: pages of the web as Markdown, and nothing of the network that the server runs in.
//!
//! Start at [`Crawler`], which implements the port [`WebCrawler`], and then read `visit/`, which
//! fetches a page from its first request to its Markdown.
//!
//! - The way out: `client.rs` sends requests through [`egress`], which connects to what may be reached and to nothing
//!   else.
//! - Manners: `rate_limit.rs` makes requests to a host wait for one another, `robots/` reads what a site
//!   forbids.
//! - Answers: `fetch.rs` and `requests.rs` follow redirects, `media.rs` says what a body is, `body/` reads it within
//!   bounds, `work.rs` has permits for what keeps a core busy: `sitemap.rs` takes addresses from sitemaps, `page/` makes
//!   Markdown of pages, and of files of HTML for other crates ([`html_to_markdown`]). `documents.rs` has PDFs read.
//! - Tenants: projects take turns at what all crawls share (`fair_permits.rs`).

mod body;
mod client;
mod documents;
mod fair_permits;
mod fetch;
mod media;
mod page;
mod product;
mod rate_limit;
mod requests;
mod robots;
mod settings;
mod shared;
mod sitemap;
mod visit;
mod work;

use std::sync::Arc;

use domain::crawl::{CrawlUrl, SiteVisit, WebCrawler};
use domain::document::TextExtractor;
use domain::id::ProjectId;

pub use egress::SetupError;
pub use page::html_to_markdown;
pub use settings::Settings;

use body::LargeBodies;
use client::Client;
use documents::Documents;
use rate_limit::HostRateLimits;
use robots::RobotsCache;
use shared::Shared;
use visit::Visit;
use work::WorkPermits;

/// Fetches pages. Needs a tokio runtime, and one that goes on running until it is dropped:
/// connections live in the runtime that began them, and later requests use them again.
#[derive(Debug)]
pub struct Crawler(Arc<Shared>);

impl Crawler {
    /// A crawler with these settings, which has PDFs read by the extractor. Reads the certificates that this
    /// machine trusts.
    ///
    /// # Errors
    /// The settings can't be kept.
    pub fn new(settings: Settings, extractor: Arc<dyn TextExtractor>) -> Result<Self, SetupError> {
        Ok(Self(Arc::new(Shared {
            client: Client::new(&settings)?,
            rate_limits: HostRateLimits::new(settings.connections_per_host),
            robots: RobotsCache::default(),
            large_bodies: LargeBodies::default(),
            documents: Documents::new(extractor),
            permits: WorkPermits::default(),
            settings,
        })))
    }
}

impl WebCrawler for Crawler {
    fn visit(&self, project_id: ProjectId, start: &CrawlUrl) -> Arc<dyn SiteVisit> {
        Arc::new(Visit::new(self.0.clone(), project_id, start.clone()))
    }
}
