//! Website-crawls: the pages of a site as Markdown (`docs/api.md`, "Website-crawls").
//!
//! A crawl is stored with a job that does it. The job fetches page by page, breadth first; what it found
//! and has not fetched yet stands in the page set beside what it has, so that another worker goes on
//! where one left off. When the crawl ends, the set is sealed: it never changes again, and belongs to
//! every crawl that refers to it.

mod address;
mod body;
mod end;
mod job;
mod list;
mod none;
mod page;
mod port;
mod repository;
mod run;
mod service;

pub use address::CrawlUrl;
pub use body::{CreateCrawl, UpdateCrawl};
pub use job::{CRAWL, REMOVE_PAGE_SET};
pub(crate) use job::{Crawl, RemovePageSet};
pub use list::CrawlFilter;
pub use none::NoCrawler;
pub use page::{FoundPage, Page, PageState};
pub use port::{Fetched, PageContent, SiteVisit, WebCrawler};
pub use repository::{CrawlCounts, CrawlRepository, CrawlToDo, PageSetRepository};
pub use service::CrawlService;
pub(crate) use service::{release_page_set, rename_skill};

use serde::Serialize;

use crate::changelog::FieldChange;
use crate::choice;
use crate::clock::Timestamp;
use crate::entity_tag::{EntityTag, Tagged};
use crate::id::{BotId, CrawlId, PageSetId};
use crate::input::fields_of;
use crate::skill::SkillReference as _;
use crate::text::DESCRIPTION_MAX;

/// How many link hops a crawl goes at most.
pub const DEPTH_MAX: u8 = 10;
/// How many link hops a crawl goes if nothing else was said.
pub const DEPTH_DEFAULT: u8 = 1;

choice! {
    /// Where a crawl is.
    CrawlStatus {
        Queued "queued",
        Running "running",
        Finished "finished",
        Failed "failed",
        Cancelled "cancelled",
    }

    /// Why a page has no content, or why a crawl came to an end before it had every page. The words say
    /// nothing about networks that a client does not see anyway: an address that does not answer and
    /// one that refuses are the same.
    CrawlError {
        BlockedAddress "blocked_address",
        BlockedPort "blocked_port",
        DnsFailed "dns_failed",
        Unreachable "unreachable",
        TlsFailed "tls_failed",
        Timeout "timeout",
        TooLarge "too_large",
        BrokenOff "broken_off",
        TooManyRedirects "too_many_redirects",
        BadRedirect "bad_redirect",
        OffSite "off_site",
        Disallowed "disallowed",
        HttpError "http_error",
        UnsupportedType "unsupported_type",
        BadContent "bad_content",
        PageLimit "page_limit",
        ByteLimit "byte_limit",
        TimeLimit "time_limit",
        Interrupted "interrupted",
    }
}

impl CrawlStatus {
    /// Whether a crawl in this status will still change by itself.
    #[must_use]
    pub const fn is_going(self) -> bool {
        match self {
            Self::Queued | Self::Running => true,
            Self::Finished | Self::Failed | Self::Cancelled => false,
        }
    }
}

fields_of! {
    /// What clients set on a crawl at any time.
    #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
    CrawlFields, CrawlPatch {
        /// What it is called; the host where nothing else was said.
        generated name: String = "name".as_name();
        /// What people say about it.
        optional description: String = "description".at_most(DESCRIPTION_MAX);
        /// The `skillId` of the skill that it is for. There need not be such a skill.
        optional skill_id: String = "skillId".skill_reference();
        /// Whether its pages are in use.
        update_only(true) active: bool = "active";
    }
}

/// A website-crawl of a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebsiteCrawl {
    /// Its identifier.
    pub id: CrawlId,
    /// Its bot.
    pub bot_id: BotId,
    /// The page it begins with.
    pub url: CrawlUrl,
    /// How many link hops it goes from there, 0 to [`DEPTH_MAX`].
    pub depth: u8,
    /// What clients set at any time.
    pub fields: CrawlFields,
    /// How far it is.
    pub progress: CrawlProgress,
    /// Where its pages are.
    pub page_set_id: PageSetId,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was changed last, other than by its own progress.
    pub updated_at: Timestamp,
}

/// How far a crawl is. Only the crawl itself changes it, and whatever cancels it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrawlProgress {
    /// Where it is.
    pub status: CrawlStatus,
    /// Why it will have failed, or finished without every page, when it has ended.
    pub error: Option<CrawlError>,
    /// How many pages it has content of.
    pub pages_scraped: u32,
    /// How many pages it could not read.
    pub pages_failed: u32,
    /// How many bytes came over the wire.
    pub bytes: u64,
    /// Whether the pages that the site's sitemaps name are among those that it found.
    pub sitemaps_read: bool,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

impl CrawlProgress {
    /// Nothing was done yet.
    pub const QUEUED: Self = Self {
        status: CrawlStatus::Queued,
        error: None,
        pages_scraped: 0,
        pages_failed: 0,
        bytes: 0,
        sitemaps_read: false,
        started_at: None,
        finished_at: None,
    };

    /// Why the crawl failed, or why it finished without every page; nothing while it still goes on.
    #[must_use]
    pub fn error_of_ended(&self) -> Option<CrawlError> {
        self.error.filter(|_| !self.status.is_going())
    }
}

/// The pages count as well: a crawl that has another one, or could not read another one, is another.
impl Tagged for WebsiteCrawl {
    fn entity_tag(&self) -> EntityTag {
        let Self { id, bot_id, url, depth, fields, progress, page_set_id, .. } = self;
        let CrawlProgress { status, pages_scraped, pages_failed, started_at, finished_at, .. } =
            progress;
        let of_progress = (status, pages_scraped, pages_failed, started_at, finished_at);
        let error = progress.error_of_ended();
        let times = (self.created_at, self.updated_at);
        EntityTag::of(&(
            (id, bot_id, url.as_str(), depth, fields),
            (of_progress, error, page_set_id, times),
        ))
    }
}

impl WebsiteCrawl {
    /// Every field that clients set, as a change from nothing.
    fn as_changes(&self) -> Vec<FieldChange> {
        let nothing = None::<()>;
        let mut changes = Vec::from([
            FieldChange::new("url", &nothing, &self.url.as_str()),
            FieldChange::new("depth", &nothing, &self.depth),
        ]);
        changes.extend(self.fields.as_changes());
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crawl_that_goes_on_has_no_error_yet() {
        let error = Some(CrawlError::PageLimit);
        for (status, shown) in [
            (CrawlStatus::Queued, None),
            (CrawlStatus::Running, None),
            (CrawlStatus::Finished, error),
            (CrawlStatus::Failed, error),
            (CrawlStatus::Cancelled, error),
        ] {
            let progress = CrawlProgress { status, error, ..CrawlProgress::QUEUED };
            assert_eq!(progress.error_of_ended(), shown);
        }
    }
}
