//! The crawler against sites on loopback, most of them hostile.
//!
//! `reach.rs` is about what may be connected to, `redirects.rs`, `answers.rs`, `documents.rs` and
//! `sitemaps.rs` about what comes back, `manners.rs` about how a site is asked. `site.rs` serves.
#![expect(
    clippy::unwrap_used,
    reason = "these are tests, and so are the functions that they share"
)]

mod answers;
mod documents;
mod manners;
mod reach;
mod redirects;
mod site;
mod sitemaps;

use std::sync::Arc;
use std::time::Duration;

use crawler::{Crawler, Settings};
use domain::crawl::{CrawlError, CrawlUrl, Fetched, WebCrawler as _};
use domain::document::NoExtractor;
use domain::id::ProjectId;

use site::Site;

/// May reach 127.0.0.1, and does not wait between requests.
fn settings() -> Settings {
    Settings {
        allow_networks: vec!["127.0.0.1/32".parse().unwrap()],
        delay: Duration::ZERO,
        ..Settings::default()
    }
}

/// A crawler with such settings, which reads no documents.
fn crawler(change: impl FnOnce(&mut Settings)) -> Crawler {
    let mut settings = settings();
    change(&mut settings);
    Crawler::new(settings, Arc::new(NoExtractor)).unwrap()
}

/// The project whose crawls these are.
fn project() -> ProjectId {
    ProjectId::parse("00000000-0000-4000-8000-000000000001").unwrap()
}

async fn fetch_url(crawler: &Crawler, url: &CrawlUrl) -> Fetched {
    crawler.visit(project(), url).fetch(url).await
}

async fn fetch(site: &Site, path: &str) -> Fetched {
    fetch_url(&crawler(|_| {}), &site.url(path)).await
}

/// The status and the word of a page without content.
fn failure(fetched: &Fetched) -> (Option<u16>, CrawlError) {
    (fetched.status_code, fetched.content.clone().unwrap_err())
}

/// The Markdown of a page.
fn markdown(fetched: &Fetched) -> &str {
    &fetched.content.as_ref().unwrap().markdown
}
