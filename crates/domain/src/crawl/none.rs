//! A port for programs that crawl nothing.

use std::sync::Arc;

use async_trait::async_trait;

use super::{CrawlError, CrawlUrl, Fetched, SiteVisit, WebCrawler};
use crate::id::ProjectId;

/// No crawler: every page is reported as unreachable.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCrawler;

impl WebCrawler for NoCrawler {
    fn visit(&self, _: ProjectId, _: &CrawlUrl) -> Arc<dyn SiteVisit> {
        Arc::new(*self)
    }
}

#[async_trait]
impl SiteVisit for NoCrawler {
    async fn sitemap(&self) -> Vec<CrawlUrl> {
        Vec::new()
    }

    async fn fetch(&self, url: &CrawlUrl) -> Fetched {
        Fetched {
            url: url.clone(),
            canonical: None,
            status_code: None,
            content: Err(CrawlError::Unreachable),
            links: Vec::new(),
            has_more_links: false,
            bytes: 0,
        }
    }
}
