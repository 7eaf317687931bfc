use super::*;

const HERE: Sha256 = Sha256::from_bytes([1; 32]);
const THERE: Sha256 = Sha256::from_bytes([2; 32]);

fn url(path: &str) -> CrawlUrl {
    CrawlUrl::parse(&format!("http://a.example/{path}"), false).unwrap()
}

fn key(path: &str) -> String {
    url(path).key()
}

fn found(number: u32, path: &str, depth: u8, state: PageState) -> FoundPage {
    FoundPage { state, ..FoundPage::pending(number, url(path), depth) }
}

fn read(number: u32, path: &str, depth: u8) -> FoundPage {
    FoundPage { content_hash: Some(HERE), ..found(number, path, depth, PageState::Done) }
}

fn numbers(frontier: &mut Frontier) -> Vec<u32> {
    std::iter::from_fn(|| frontier.next(u8::MAX)).map(|page| page.number).collect()
}

/// A frontier that waits for these pages, one hop away.
fn waiting(paths: &[&str]) -> Frontier {
    let mut frontier = Frontier::of(Vec::new(), 9);
    for path in paths {
        frontier.enqueue(url(path), 1).unwrap();
    }
    frontier
}

/// What an address turned out to be whose page stays at the address that was requested.
fn itself(at: FoundPage) -> Settled {
    Settled::Page { at, before: None }
}

fn alias_of(path: &str) -> Settled {
    Settled::Alias { of: key(path) }
}

#[test]
fn nearer_pages_come_first() {
    let mut frontier = Frontier::of(
        vec![
            read(0, "", 0),
            found(1, "deep", 2, PageState::Pending),
            found(2, "near", 1, PageState::Pending),
            found(3, "old", 0, PageState::Alias),
        ],
        10,
    );
    assert_eq!(frontier.enqueue(url("old"), 1), None);
    assert_eq!(frontier.enqueue(url("new"), 1).unwrap().number, 4);
    assert_eq!(frontier.next(0), None);
    assert_eq!(frontier.next(1).unwrap().number, 2);
    assert_eq!(frontier.next(1).unwrap().number, 4);
    assert_eq!(frontier.next(1), None);
    assert!(!frontier.is_empty());
    assert_eq!(numbers(&mut frontier), [1]);
    assert!(frontier.is_empty() && !frontier.is_cut());
}

#[test]
fn the_start_page_was_read_if_a_page_is_where_it_was() {
    let has_start = |page| Frontier::of(vec![page], 9).has_start();
    assert!(has_start(read(1, "home", 0)));
    assert!(!has_start(read(1, "", 1)));
    for state in [PageState::Pending, PageState::Done, PageState::Alias] {
        assert!(!has_start(found(0, "", 0, state)), "{state:?}");
    }
}

#[test]
fn there_is_room_for_so_many_pages() {
    let mut frontier = Frontier::of(Vec::new(), 2);
    assert!(frontier.enqueue(url("a"), 0).is_some());
    assert!(frontier.enqueue(url("b"), 1).is_some());
    assert_eq!(frontier.enqueue(url("b"), 1), None);
    assert!(!frontier.is_cut());
    assert_eq!(frontier.enqueue(url("c"), 1), None);
    assert!(frontier.is_cut());
    assert_eq!(numbers(&mut frontier), [0, 1]);
    // What turned out to be no page of its own makes room.
    let b = found(1, "b", 1, PageState::Pending);
    assert_eq!(frontier.settle(b, url("a"), None), alias_of("a"));
    assert_eq!(frontier.enqueue(url("c"), 1).unwrap().number, 2);
    assert_eq!(frontier.enqueue(url("d"), 1), None);
    frontier.alias(key("c"));
    assert_eq!(frontier.enqueue(url("d"), 1).unwrap().number, 3);
}

#[test]
fn a_page_is_where_its_redirect_led() {
    let mut frontier = waiting(&["", "old", "older"]);
    let (start, old) = (frontier.next(1).unwrap(), frontier.next(1).unwrap());
    let actual = CrawlUrl::parse("https://www.a.example/", false).unwrap();
    let moved = FoundPage { url: actual.clone(), ..start.clone() };
    assert_eq!(frontier.settle(start, actual, None), itself(moved));

    let before = FoundPage::alias(3, url("old"));
    let at = FoundPage { url: url("new"), ..old.clone() };
    let settled = Settled::Page { at, before: Some(Box::new(before)) };
    assert_eq!(frontier.settle(old, url("new"), Some(HERE)), settled);
    // Whether it is kept there is not decided yet.
    let older = frontier.next(1).unwrap();
    assert_eq!(frontier.settle(older, url("new"), Some(HERE)), alias_of("new"));
    for path in ["old", "older", "new"] {
        assert_eq!(frontier.enqueue(url(path), 1), None, "{path}");
    }
}

#[test]
fn a_page_takes_the_place_of_the_address_that_it_is_at() {
    let mut frontier = waiting(&["slash"]);
    frontier.enqueue(url("slash/"), 3).unwrap();
    let asked = frontier.next(1).unwrap();
    let at = FoundPage::pending(1, url("slash/"), 1);
    assert_eq!(frontier.settle(asked, url("slash/"), Some(HERE)), itself(at));
    assert!(frontier.is_empty(), "it is not fetched again");
    assert_eq!(frontier.compare(&url("slash/"), HERE), Compared::Going);
}

#[test]
fn what_could_be_read_is_not_lost_by_an_address_that_could_not() {
    let mut frontier = waiting(&["a", "b", "c", "d"]);
    let [there, a, b, c] = [(); 4].map(|()| frontier.next(1).unwrap());
    frontier.keep(there.url.key(), None);
    assert_eq!(frontier.settle(a.clone(), there.url.clone(), Some(HERE)), itself(a));
    assert_eq!(frontier.settle(b, there.url.clone(), None), alias_of("a"));
    frontier.keep(there.url.key(), Some(THERE));
    assert_eq!(frontier.settle(c, there.url, Some(HERE)), alias_of("a"));
}

#[test]
fn of_addresses_that_lead_to_each_other_one_stays() {
    let mut frontier = waiting(&["a", "b", "c"]);
    let [a, b, c] = [(); 3].map(|()| frontier.next(1).unwrap());
    assert_eq!(frontier.settle(a, url("b"), Some(HERE)), alias_of("b"));
    assert_eq!(frontier.settle(b, url("c"), Some(HERE)), alias_of("c"));
    assert_eq!(frontier.settle(c.clone(), url("a"), Some(HERE)), itself(c.clone()));
    frontier.keep(key("c"), Some(HERE));
    // By then the text is there.
    assert_eq!(frontier.settle(c, url("a"), Some(HERE)), alias_of("a"));
}

#[test]
fn an_address_can_be_fetched_out_of_turn() {
    let mut frontier = waiting(&["a"]);
    frontier.enqueue(url("far"), 3).unwrap();
    let far = FoundPage::pending(1, url("far"), 2);
    assert_eq!(frontier.take(&url("far"), 2), Some(far));
    assert_eq!(frontier.take(&url("far"), 2), None);
    assert_eq!(frontier.take(&url("a"), 2), Some(FoundPage::pending(0, url("a"), 1)));
    assert_eq!(frontier.take(&url("b"), 2), None);
    assert!(frontier.is_empty());
}

#[test]
fn a_page_is_compared_with_what_is_at_an_address() {
    let alias = found(1, "alias", 0, PageState::Alias);
    let failed = found(2, "failed", 1, PageState::Done);
    let pending = found(3, "pending", 1, PageState::Pending);
    let frontier = Frontier::of(vec![read(0, "", 0), alias, failed, pending], 9);
    for (path, hash, compared) in [
        ("", HERE, Compared::Same),
        ("", THERE, Compared::Other),
        ("alias", HERE, Compared::Same),
        ("alias", THERE, Compared::Other),
        ("failed", HERE, Compared::Other),
        ("pending", HERE, Compared::Unfetched),
        ("unknown", HERE, Compared::Unfetched),
    ] {
        assert_eq!(frontier.compare(&url(path), hash), compared, "{path:?}");
    }
    assert_eq!((frontier.hash_at(&key("")), frontier.hash_at(&key("failed"))), (Some(HERE), None));
}
