//! Pages of a crawl, and what is known of those that it has not fetched yet.

use super::{CrawlError, CrawlUrl, PageContent};
use crate::blob::Sha256;
use crate::choice;
use crate::clock::Timestamp;
use crate::id::PageId;

choice! {
    /// What became of an address that a crawl found.
    PageState {
        Pending "pending",
        Done "done",
        Alias "alias",
    }
}

/// A page that a crawl fetched, or could not fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Its identifier.
    pub id: PageId,
    /// Where in the set it stands; the start page is 0. Not every number is taken.
    pub number: u32,
    /// Where it is, after redirects.
    pub url: CrawlUrl,
    /// Its title, if it has one.
    pub title: Option<String>,
    /// How many link hops from the start it was found.
    pub depth: u8,
    /// The status of the last answer, if there was one.
    pub status_code: Option<u16>,
    /// Its main content as Markdown.
    pub content: Option<String>,
    /// The hash of that content.
    pub content_hash: Option<Sha256>,
    /// When it was fetched.
    pub scraped_at: Timestamp,
    /// Why there is no content.
    pub error: Option<CrawlError>,
}

/// An address that a crawl found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundPage {
    /// Where in the set it stands.
    pub number: u32,
    /// The address.
    pub url: CrawlUrl,
    /// How many link hops from the start it was found.
    pub depth: u8,
    /// What became of it: not fetched yet; fetched; or another address of a page that has a number of
    /// its own.
    pub state: PageState,
    /// The hash of its content, if it was fetched and has some.
    pub content_hash: Option<Sha256>,
}

impl FoundPage {
    /// An address that is yet to be fetched.
    #[must_use]
    pub const fn pending(number: u32, url: CrawlUrl, depth: u8) -> Self {
        Self { number, url, depth, state: PageState::Pending, content_hash: None }
    }

    /// Another address of a page that has a number of its own.
    pub(super) const fn alias(number: u32, url: CrawlUrl) -> Self {
        Self { number, url, depth: 0, state: PageState::Alias, content_hash: None }
    }
}

impl Page {
    /// A page without content at this address.
    pub(super) fn at(
        at: FoundPage,
        id: PageId,
        scraped_at: Timestamp,
        status_code: Option<u16>,
    ) -> Self {
        Self {
            id,
            number: at.number,
            url: at.url,
            title: None,
            depth: at.depth,
            status_code,
            content: None,
            content_hash: None,
            scraped_at,
            error: None,
        }
    }

    /// How many bytes its texts have.
    pub(super) fn text_size(&self) -> usize {
        [&self.title, &self.content].into_iter().flatten().map(String::len).sum()
    }

    /// The same page with this content.
    pub(super) fn with(self, content: PageContent) -> Self {
        let PageContent { title, markdown, hash } = content;
        Self { title, content: Some(markdown), content_hash: Some(hash), ..self }
    }
}
