//! What becomes of what was fetched: pages of their own, and other addresses of them.
//!
//! A page that gives another address as its own, its canonical one, is only another address itself if the
//! same content is there: sites name addresses that are gone, or one for all of their pages. So such a
//! page is deferred until it is known what is there.

use super::super::{CrawlError, CrawlUrl, Fetched, FoundPage, Page, PageContent};
use super::frontier::{Compared, Settled};
use super::step::CrawlStep;
use crate::id::PageId;
use crate::text::LONG_TEXT_MAX;

/// A page that was read, and what is to be remembered of the address that its place had before.
pub(super) struct Read {
    page: Page,
    before: Option<Box<FoundPage>>,
}

/// A page that waits for what is fetched at an address, given by its key.
pub(super) struct DeferredPage {
    read: Read,
    waits_for: String,
}

impl CrawlStep {
    /// Takes in what came of fetching an address.
    pub(super) fn settle(&mut self, asked: FoundPage, fetched: Fetched) {
        let content = fetched.content.and_then(bounded);
        // What came compressed counts as what it takes to keep it.
        let kept = content.as_ref().map_or(0, |content| content.markdown.len() as u64);
        self.progress.bytes = self.progress.bytes.saturating_add(fetched.bytes.max(kept));
        let (number, depth, asked_key) = (asked.number, asked.depth, asked.url.key());
        let is_start = number == 0;
        if is_start && content.is_ok() {
            self.read_sitemaps();
        }
        // Where a way broke off, another one may well lead further.
        let url = match content {
            Err(CrawlError::TooManyRedirects | CrawlError::Timeout) => asked.url.clone(),
            Ok(_) | Err(_) => fetched.url,
        };
        let hash = content.as_ref().ok().map(|content| content.hash);
        let settled = self.frontier.settle(asked, url, hash);
        // One that does not want to be kept can still be followed.
        if matches!(content, Ok(_) | Err(CrawlError::Disallowed)) {
            let depth = match &settled {
                Settled::Page { at, .. } => at.depth,
                Settled::Alias { .. } => depth,
            };
            self.follow(fetched.links, fetched.has_more_links, depth);
        }
        let (at, before) = match settled {
            Settled::Page { at, before } => (at, before),
            Settled::Alias { of } => {
                self.batch.aliases.push(number);
                return self.release(&asked_key, &of);
            }
        };
        if at.number != number {
            self.batch.aliases.push(number);
        }
        let key = at.url.key();
        let id = PageId::from_uuid(self.run.context.ids.next());
        let page = Page::at(at, id, self.run.context.clock.now(), fetched.status_code);
        match content {
            Ok(content) => {
                let read = Read { page: page.with(content), before };
                let canonical =
                    fetched.canonical.filter(|to| ![&asked_key, &key].contains(&&to.key()));
                self.compare_with_canonical(read, canonical, &asked_key);
            }
            Err(error) => {
                if self.progress.pages_scraped == 0 && (is_start || self.progress.error.is_none()) {
                    self.progress.error = Some(error);
                }
                self.keep(Read { page: Page { error: Some(error), ..page }, before });
            }
        }
        if asked_key != key {
            self.release(&asked_key, &key);
        }
    }

    /// Takes in the links of a page at this depth.
    fn follow(&mut self, links: Vec<CrawlUrl>, has_more: bool, depth: u8) {
        if depth < self.crawl.depth {
            self.enqueue_all(links, depth + 1);
            if has_more {
                self.progress.error = Some(CrawlError::PageLimit);
            }
        }
    }

    /// Decides about a page that was requested at the address with this key, and may give another one
    /// as its own. One for which others wait does not wait itself, so none wait in a circle.
    fn compare_with_canonical(&mut self, read: Read, canonical: Option<CrawlUrl>, asked: &str) {
        let (Some(canonical), Some(hash)) = (canonical, read.page.content_hash) else {
            return self.keep(read);
        };
        let may_wait = self.deferred.iter().all(|page| page.waits_for != asked);
        match self.frontier.compare(&canonical, hash) {
            Compared::Same => self.drop_for(read, &canonical.key()),
            Compared::Going if may_wait => self.defer(read, &canonical),
            Compared::Unfetched if may_wait && self.limit().is_none() => {
                let depth = read.page.depth;
                self.enqueue_all(vec![canonical.clone()], depth);
                let Some(page) = self.frontier.take(&canonical, depth) else {
                    // There is no room for it.
                    return self.keep(read);
                };
                self.fetch(page);
                self.defer(read, &canonical);
            }
            Compared::Other | Compared::Going | Compared::Unfetched => self.keep(read),
        }
    }

    fn defer(&mut self, read: Read, canonical: &CrawlUrl) {
        self.deferred.push(DeferredPage { read, waits_for: canonical.key() });
    }

    /// Decides about the pages that wait for an address, now that it is known which page it leads to;
    /// both are given by their keys.
    fn release(&mut self, waited_for: &str, leads_to: &str) {
        let is_free = |page: &mut DeferredPage| page.waits_for == waited_for;
        let mut free: Vec<_> = self.deferred.extract_if(.., is_free).collect();
        let is_another = |read: &Read| read.page.url.key() != leads_to;
        // If it leads back to one of them, that one is kept, and the others are compared with it.
        free.sort_by_key(|page| is_another(&page.read));
        for DeferredPage { read, .. } in free {
            let there = self.frontier.hash_at(leads_to);
            if there.is_some() && there == read.page.content_hash && is_another(&read) {
                self.drop_for(read, leads_to);
            } else {
                self.keep(read);
            }
        }
    }

    /// Keeps a page at its own address.
    fn keep(&mut self, Read { page, before }: Read) {
        let key = page.url.key();
        self.frontier.keep(key.clone(), page.content_hash);
        let count = if page.error.is_none() {
            &mut self.progress.pages_scraped
        } else {
            &mut self.progress.pages_failed
        };
        *count += 1;
        self.batch.pages.push(page);
        self.batch.moved.extend(before.map(|before| *before));
        self.release(&key, &key);
    }

    /// Forgets a page, because its address is another one of the page with this key.
    fn drop_for(&mut self, Read { page, before }: Read, other: &str) {
        let key = page.url.key();
        self.frontier.alias(key.clone());
        self.batch.aliases.push(page.number);
        // Its place still has the address that it had before.
        let own = before.map(|before| FoundPage { url: page.url, ..*before });
        self.batch.moved.extend(own);
        self.release(&key, other);
    }
}

/// A page with more text than a text has at most is not kept.
fn bounded(content: PageContent) -> Result<PageContent, CrawlError> {
    if content.markdown.len() > LONG_TEXT_MAX {
        return Err(CrawlError::TooLarge);
    }
    Ok(content)
}
