//! Website-crawls in lists.

use super::{CrawlStatus, WebsiteCrawl};
use crate::id::CrawlId;
use crate::list::{Condition, ListFilter, listed_of_bot};

listed_of_bot! {
    WebsiteCrawl of CrawlId in WebsiteCrawl,
    filtered by CrawlFilter,
    called "name": |crawl| &crawl.fields.name,
    read by crawls, crawls_with_ids,
    changed by CrawlCreated CrawlStarted CrawlUpdated CrawlFinished CrawlFailed CrawlCancelled
}

/// Which crawls are looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CrawlFilter {
    /// Only with this status.
    pub status: Option<CrawlStatus>,
}

impl ListFilter for CrawlFilter {
    fn conditions(&self) -> Vec<Condition> {
        self.status.map(Condition::CrawlStatus).into_iter().collect()
    }
}
