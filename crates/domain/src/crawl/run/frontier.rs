//! What a crawl has found, and in which order it fetches that.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};

use super::super::{CrawlUrl, FoundPage, PageState};
use crate::blob::Sha256;

/// The addresses that a crawl knows. Pages are fetched breadth first: one that is further from the start
/// waits for all that are nearer, so that each is found by its shortest way.
pub(super) struct Frontier {
    /// What is known, by its key.
    known: HashMap<String, AddressState>,
    /// What is yet to be fetched, by depth and number.
    waiting: BTreeMap<(u8, u32), FoundPage>,
    has_start: bool,
    next_number: u32,
    pages: u32,
    pages_at_most: u32,
    is_cut: bool,
}

/// What is known of an address.
#[derive(Clone, Copy)]
enum AddressState {
    /// It is yet to be fetched. This is its place among what waits.
    Waiting((u8, u32)),
    /// It is being fetched, or what came of that is not decided yet.
    Going,
    /// A page, with the hash of its content if it could be read.
    Page(Option<Sha256>),
    /// Another address of a page.
    Alias,
}

/// What an address turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Settled {
    /// A page: its place, and what is to be remembered of the address that the place had before. If
    /// the place is that of another address, the one that was requested is an alias.
    Page { at: FoundPage, before: Option<Box<FoundPage>> },
    /// Another address of the page with this key.
    Alias { of: String },
}

/// What a page and its canonical one have to do with each other.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// The canonical one has the same content.
    Same,
    /// It has another content, or none.
    Other,
    /// It is being fetched.
    Going,
    /// It was not fetched yet.
    Unfetched,
}

impl Frontier {
    /// Goes on with these addresses, which stand in the order of their numbers.
    pub(super) fn of(found: Vec<FoundPage>, pages_at_most: u32) -> Self {
        let mut frontier = Self {
            known: HashMap::new(),
            waiting: BTreeMap::new(),
            has_start: false,
            next_number: 0,
            pages: 0,
            pages_at_most,
            is_cut: false,
        };
        for page in found {
            frontier.next_number = frontier.next_number.max(page.number.saturating_add(1));
            match page.state {
                PageState::Alias => {
                    frontier.known.insert(page.url.key(), AddressState::Alias);
                }
                PageState::Done => {
                    frontier.pages += 1;
                    frontier.has_start |= page.depth == 0 && page.content_hash.is_some();
                    frontier.known.insert(page.url.key(), AddressState::Page(page.content_hash));
                }
                PageState::Pending => frontier.wait(page),
            }
        }
        frontier
    }

    /// Whether the start page was read before this step.
    pub(super) const fn has_start(&self) -> bool {
        self.has_start
    }

    /// Whether there were more addresses than a crawl may have pages.
    pub(super) const fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether nothing is left to fetch.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes in an address; `None` if it is known already, or there is no room.
    pub(super) fn enqueue(&mut self, url: CrawlUrl, depth: u8) -> Option<FoundPage> {
        if self.known.contains_key(&url.key()) {
            return None;
        }
        if self.pages >= self.pages_at_most {
            self.is_cut = true;
            return None;
        }
        let page = FoundPage::pending(self.take_number(), url, depth);
        self.wait(page.clone());
        Some(page)
    }

    /// The next page to fetch, if it is no further from the start than this.
    pub(super) fn next(&mut self, depth_at_most: u8) -> Option<FoundPage> {
        let nearest = self.waiting.first_entry()?;
        if nearest.key().0 > depth_at_most {
            return None;
        }
        let page = nearest.remove();
        self.known.insert(page.url.key(), AddressState::Going);
        Some(page)
    }

    /// An address that is to be fetched out of turn, because a page at this depth leads there.
    pub(super) fn take(&mut self, url: &CrawlUrl, depth: u8) -> Option<FoundPage> {
        let key = url.key();
        let Some(AddressState::Waiting(place)) = self.known.get(&key) else {
            return None;
        };
        let page = self.waiting.remove(place)?;
        self.known.insert(key, AddressState::Going);
        Some(FoundPage { depth: page.depth.min(depth), ..page })
    }

    /// Decides what a fetched address is: `asked` was requested, and redirects may have led to `actual`, which has a
    /// content with this hash if it could be read. Either the page is stored as the one that is returned, and `actual`
    /// counts as being fetched until that is reported, or `asked` is another address of a page.
    pub(super) fn settle(
        &mut self,
        asked: FoundPage,
        actual: CrawlUrl,
        hash: Option<Sha256>,
    ) -> Settled {
        let (asked_key, key) = (asked.url.key(), actual.key());
        if asked_key == key {
            return Settled::Page { at: FoundPage { url: actual, ..asked }, before: None };
        }
        let is_alias = match self.known.get(&key).copied() {
            None => {
                let before = FoundPage::alias(self.take_number(), asked.url);
                self.known.insert(asked_key, AddressState::Alias);
                self.known.insert(key, AddressState::Going);
                let at = FoundPage::pending(asked.number, actual, asked.depth);
                return Settled::Page { at, before: Some(Box::new(before)) };
            }
            Some(AddressState::Waiting(_)) => {
                if let Some(at) = self.take(&actual, asked.depth) {
                    self.alias(asked_key);
                    return Settled::Page { at: FoundPage { url: actual, ..at }, before: None };
                }
                false
            }
            Some(AddressState::Going) => true,
            // What could not be read at another time must not hide what can.
            Some(AddressState::Page(known)) => known.is_some() || hash.is_none(),
            // Addresses that lead to each other must not all vanish.
            Some(AddressState::Alias) => self.has(hash),
        };
        if is_alias {
            self.alias(asked_key);
            return Settled::Alias { of: key };
        }
        Settled::Page { at: asked, before: None }
    }

    /// Compares a page that has this hash with what is at the address that it gives as its own.
    pub(super) fn compare(&self, canonical: &CrawlUrl, hash: Sha256) -> Compared {
        let is_same = match self.known.get(&canonical.key()) {
            None | Some(AddressState::Waiting(_)) => return Compared::Unfetched,
            Some(AddressState::Going) => return Compared::Going,
            Some(AddressState::Page(known)) => *known == Some(hash),
            // The page of an alias is not recorded. It is the same content if any page has this hash.
            Some(AddressState::Alias) => self.has(Some(hash)),
        };
        if is_same { Compared::Same } else { Compared::Other }
    }

    /// The hash of the content of a page, if this is the key of one that was read.
    pub(super) fn hash_at(&self, key: &str) -> Option<Sha256> {
        let Some(AddressState::Page(hash)) = self.known.get(key) else {
            return None;
        };
        *hash
    }

    /// An address is that of a page of its own.
    pub(super) fn keep(&mut self, key: String, hash: Option<Sha256>) {
        self.known.insert(key, AddressState::Page(hash));
    }

    /// An address is another one of a page.
    pub(super) fn alias(&mut self, key: String) {
        self.known.insert(key, AddressState::Alias);
        self.pages = self.pages.saturating_sub(1);
    }

    /// Whether a page has this content.
    fn has(&self, content: Option<Sha256>) -> bool {
        let is_it =
            |known: &AddressState| matches!(known, AddressState::Page(hash) if *hash == content);
        content.is_some() && self.known.values().any(is_it)
    }

    fn wait(&mut self, page: FoundPage) {
        let place = (page.depth, page.number);
        self.pages += 1;
        self.known.insert(page.url.key(), AddressState::Waiting(place));
        self.waiting.insert(place, page);
    }

    const fn take_number(&mut self) -> u32 {
        let number = self.next_number;
        self.next_number = number.saturating_add(1);
        number
    }
}
