//! What a crawl has found, and in which order it fetches that.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::super::{CrawlUrl, FoundPage, PageState};

/// The addresses that a crawl knows. Pages are fetched breadth first: one that is further from the start
/// waits for all that are nearer, so that each is found by its shortest way.
pub(super) struct Frontier {
    /// What is known, pages and other addresses of pages.
    known: HashSet<String>,
    /// Other addresses of pages.
    aliases: HashSet<String>,
    /// What is yet to be fetched, by depth.
    waiting: BTreeMap<u8, VecDeque<FoundPage>>,
    next_number: u32,
    pages: u32,
    pages_at_most: u32,
    is_cut: bool,
}

impl Frontier {
    /// Goes on with these addresses, which stand in the order of their numbers.
    pub(super) fn of(found: Vec<FoundPage>, pages_at_most: u32) -> Self {
        let mut frontier = Self {
            known: HashSet::new(),
            aliases: HashSet::new(),
            waiting: BTreeMap::new(),
            next_number: 0,
            pages: 0,
            pages_at_most,
            is_cut: false,
        };
        for page in found {
            let key = page.url.key();
            frontier.next_number = frontier.next_number.max(page.number.saturating_add(1));
            match page.state {
                PageState::Alias => drop(frontier.aliases.insert(key.clone())),
                PageState::Done => frontier.pages += 1,
                PageState::Pending => {
                    frontier.pages += 1;
                    frontier.waiting.entry(page.depth).or_default().push_back(page);
                }
            }
            frontier.known.insert(key);
        }
        frontier
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
    pub(super) fn find(&mut self, url: CrawlUrl, depth: u8) -> Option<FoundPage> {
        let key = url.key();
        if self.known.contains(&key) {
            return None;
        }
        if self.pages >= self.pages_at_most {
            self.is_cut = true;
            return None;
        }
        self.known.insert(key);
        self.pages += 1;
        let page = FoundPage { number: self.take_number(), url, depth, state: PageState::Pending };
        self.waiting.entry(depth).or_default().push_back(page.clone());
        Some(page)
    }

    /// The next page to fetch, while pages of this depth are being fetched.
    pub(super) fn next(&mut self, at_depth: Option<u8>) -> Option<FoundPage> {
        let mut nearest = self.waiting.first_entry()?;
        if at_depth.is_some_and(|depth| *nearest.key() > depth) {
            return None;
        }
        let page = nearest.get_mut().pop_front();
        if nearest.get().is_empty() {
            nearest.remove();
        }
        page
    }

    /// Decides what an address is that turned out to be another one's page.
    pub(super) fn settle(&mut self, asked: &CrawlUrl, actual: CrawlUrl) -> Settled {
        let (asked_key, actual_key) = (asked.key(), actual.key());
        if asked_key == actual_key {
            return Settled::Page { url: actual, before: None };
        }
        if self.aliases.contains(&actual_key) {
            // Pages that name each other in a circle must not all vanish: the last one stays itself.
            return Settled::Page { url: asked.clone(), before: None };
        }
        self.aliases.insert(asked_key);
        if !self.known.insert(actual_key) {
            self.pages = self.pages.saturating_sub(1);
            return Settled::Alias;
        }
        let (number, state) = (self.take_number(), PageState::Alias);
        let before = FoundPage { number, url: asked.clone(), depth: 0, state };
        Settled::Page { url: actual, before: Some(before) }
    }

    const fn take_number(&mut self) -> u32 {
        let number = self.next_number;
        self.next_number = number.saturating_add(1);
        number
    }
}

/// What an address is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Settled {
    /// A page of its own, where it is, and what is to be remembered of the address it had before.
    Page { url: CrawlUrl, before: Option<FoundPage> },
    /// Another address of a page that has a number of its own.
    Alias,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> CrawlUrl {
        CrawlUrl::parse(&format!("http://a.example/{path}"), false).unwrap()
    }

    fn found(number: u32, path: &str, depth: u8, state: PageState) -> FoundPage {
        FoundPage { number, url: url(path), depth, state }
    }

    fn numbers(frontier: &mut Frontier) -> Vec<u32> {
        std::iter::from_fn(|| frontier.next(None)).map(|page| page.number).collect()
    }

    #[test]
    fn nearer_pages_come_first() {
        let mut frontier = Frontier::of(
            vec![
                found(0, "", 0, PageState::Done),
                found(1, "deep", 2, PageState::Pending),
                found(2, "near", 1, PageState::Pending),
                found(3, "old", 0, PageState::Alias),
            ],
            10,
        );
        assert_eq!(frontier.find(url("old"), 1), None);
        assert_eq!(frontier.find(url("new"), 1).unwrap().number, 4);
        assert_eq!(frontier.next(Some(1)).unwrap().number, 2);
        assert_eq!(frontier.next(Some(1)).unwrap().number, 4);
        assert_eq!(frontier.next(Some(1)), None);
        assert!(!frontier.is_empty());
        assert_eq!(numbers(&mut frontier), [1]);
        assert!(frontier.is_empty() && !frontier.is_cut());
    }

    #[test]
    fn there_is_room_for_so_many_pages() {
        let mut frontier = Frontier::of(Vec::new(), 2);
        assert!(frontier.find(url("a"), 0).is_some());
        assert!(frontier.find(url("b"), 1).is_some());
        assert_eq!(frontier.find(url("b"), 1), None);
        assert!(!frontier.is_cut());
        assert_eq!(frontier.find(url("c"), 1), None);
        assert!(frontier.is_cut());
        assert_eq!(numbers(&mut frontier), [0, 1]);
        // What turned out to be no page of its own makes room.
        assert_eq!(frontier.settle(&url("b"), url("a")), Settled::Alias);
        assert_eq!(frontier.find(url("c"), 1).unwrap().number, 2);
    }

    #[test]
    fn a_page_is_taken_once_whatever_its_addresses() {
        let mut frontier = Frontier::of(Vec::new(), 9);
        frontier.find(url("a"), 0).unwrap();
        let before = Some(found(1, "a", 0, PageState::Alias));
        let moved = Settled::Page { url: url("b"), before };
        assert_eq!(frontier.settle(&url("a"), url("b")), moved);
        assert_eq!(frontier.find(url("a"), 1), None);
        assert_eq!(frontier.find(url("b"), 1), None);
    }

    #[test]
    fn of_pages_in_a_circle_one_stays() {
        let mut frontier = Frontier::of(Vec::new(), 9);
        for path in ["a", "b", "c"] {
            frontier.find(url(path), 1).unwrap();
        }
        assert_eq!(frontier.settle(&url("a"), url("b")), Settled::Alias);
        assert_eq!(frontier.settle(&url("b"), url("c")), Settled::Alias);
        let itself = Settled::Page { url: url("c"), before: None };
        assert_eq!(frontier.settle(&url("c"), url("a")), itself);
    }

    #[test]
    fn a_page_is_where_its_redirect_led() {
        let mut frontier = Frontier::of(Vec::new(), 9);
        let asked = frontier.find(url(""), 0).unwrap().url;
        let actual = CrawlUrl::parse("https://www.a.example/", false).unwrap();
        let moved = Settled::Page { url: actual.clone(), before: None };
        assert_eq!(frontier.settle(&asked, actual), moved);
    }
}
