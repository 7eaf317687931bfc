//! Which addresses are pages of a crawl: those to which redirects lead, and those that pages give as their
//! own.

use std::sync::Arc;

use crate::services::crawl_ends::{LEASE, step_until};
use crate::services::crawl_runs::{claim, crawled, now, pages, place, places, step};
use crate::services::crawl_service::create;
use crate::services::installation::Installation;
use crate::services::site::{Site, content, linking, url};
use domain::Limits;
use domain::crawl::{CrawlError, CrawlStatus, Fetched};
use domain::job::StepOutcome;
use domain::store::Store;

/// A page with this content that gives another address as its own.
fn naming(canonical: &str, text: &str) -> Fetched {
    Fetched { canonical: Some(url(canonical)), content: Ok(content(text)), ..linking(text, &[]) }
}

fn put(site: &Site, name: &str, fetched: Fetched) {
    site.put(name, Fetched { url: url(name), ..fetched });
}

pub(crate) fn a_page_that_redirects_to_an_address_that_it_links_is_fetched_once(
    store: Arc<dyn Store>,
) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.put("", linking("home", &["home", "a", "b"]));
    site.page("a", &["deep"]);
    // Found one hop later than the page that leads there.
    site.page("deep", &["a/"]);
    site.put("b", linking("a/", &["a/", "last"]));
    site.page("last", &[]);
    let crawl = crawled(&installation, &bot, "", 2);
    let expected =
        [place("home", 0), place("a", 1), place("a/", 1), place("deep", 2), place("last", 2)];
    assert_eq!(places(&installation, &bot, crawl.id), expected);
    assert_eq!(site.requested(), ["", "a", "b", "deep", "last"]);
    assert_eq!((crawl.progress.pages_scraped, crawl.progress.pages_failed), (5, 0));
}

pub(crate) fn a_page_that_is_found_nearer_is_nearer(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.page("", &["0", "1", "2", "3", "late"]);
    ["0", "1", "2", "3"].iter().for_each(|name| site.page(name, &["goal"]));
    // When it comes, its goal was found by others, and waits.
    site.put("late", linking("goal", &["behind"]));
    site.page("behind", &[]);
    let crawl = crawled(&installation, &bot, "", 2);
    let found = places(&installation, &bot, crawl.id);
    assert!(found.contains(&place("goal", 1)) && found.contains(&place("behind", 2)), "{found:?}");
    let mut asked = site.requested();
    asked.sort();
    assert_eq!(asked, ["", "0", "1", "2", "3", "behind", "late"]);
}

pub(crate) fn a_page_is_another_address_of_one_that_has_the_same_content(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    // One that was fetched, one that waits, one that nothing links.
    site.page("", &["start", "a1", "a2", "a", "b1", "b2"]);
    put(site, "start", Fetched { canonical: Some(url("")), ..linking("", &[]) });
    for (name, canonical) in [("a1", "a"), ("a2", "a"), ("b1", "b"), ("b2", "b")] {
        put(site, name, naming(canonical, canonical));
    }
    site.page("a", &["under-a"]);
    site.page("b", &["under-b"]);
    let crawl = crawled(&installation, &bot, "", 2);
    let mut found = places(&installation, &bot, crawl.id);
    found.sort();
    let expected =
        [place("", 0), place("a", 1), place("b", 1), place("under-a", 2), place("under-b", 2)];
    assert_eq!(found, expected);
    let mut asked = site.requested();
    asked.sort();
    assert_eq!(asked, ["", "a", "a1", "a2", "b", "b1", "b2", "start", "under-a", "under-b"]);
    assert_eq!((crawl.progress.pages_scraped, crawl.progress.pages_failed), (3, 2));
}

pub(crate) fn a_page_with_content_of_its_own_is_kept(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    // A template gives every page the address of the first; others give addresses that are gone.
    let links = ["a", "b", "c", "d"].map(url).to_vec();
    put(site, "", Fetched { links, ..naming("gone", "x") });
    put(site, "a", naming("", "a"));
    put(site, "b", naming("", "b"));
    put(site, "c", naming("gone", "c"));
    put(site, "d", naming("nowhere", "d"));
    let crawl = crawled(&installation, &bot, "", 1);
    let found = pages(&installation, &bot, crawl.id);
    let mut texts: Vec<_> = found.iter().filter_map(|page| page.content.as_deref()).collect();
    texts.sort_unstable();
    assert_eq!(texts, ["a", "b", "c", "d", "x"]);
    assert_eq!((crawl.progress.pages_scraped, crawl.progress.pages_failed), (5, 2));
    assert_eq!((crawl.progress.status, crawl.progress.error), (CrawlStatus::Finished, None));
    assert_eq!(site.requested().iter().filter(|name| *name == "gone").count(), 1);
}

pub(crate) fn pages_that_name_each_other_do_not_vanish(store: Arc<dyn Store>) {
    for text in [Some("same"), None] {
        let installation = Installation::new(store.clone());
        let bot = installation.world.stored_bot("bot");
        let site = &installation.site;
        let names = ["a", "b", "c", "d", "e", "f"];
        site.page("", &names);
        // Circles of two, three and one.
        for (name, canonical) in names.into_iter().zip(["b", "a", "d", "e", "c", "f"]) {
            put(site, name, naming(canonical, text.unwrap_or(name)));
        }
        let crawl = crawled(&installation, &bot, "", 1);
        let found = places(&installation, &bot, crawl.id);
        // Each circle is one page if it has one content.
        assert_eq!(found.len(), if text.is_some() { 4 } else { 7 }, "{found:?}");
        assert_eq!(site.requested().len(), 7);
        assert_eq!(crawl.progress.status, CrawlStatus::Finished);
    }
}

pub(crate) fn a_canonical_address_that_leads_back_is_no_other_page(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    // The address without the slash redirects to the one with it, and is what pages give.
    site.page("", &["a/", "a/x", "b"]);
    put(site, "a/", naming("a", "text"));
    put(site, "a/x", naming("a", "text"));
    site.put("a", Fetched { url: url("a/"), ..naming("a", "text") });
    site.put("b", Fetched { url: url("b/"), ..naming("b", "other") });
    let crawl = crawled(&installation, &bot, "", 1);
    assert_eq!(
        places(&installation, &bot, crawl.id),
        [place("", 0), place("a/", 1), place("b/", 1)]
    );
    assert_eq!(site.requested().len(), 5);
}

pub(crate) fn there_need_be_no_room_for_a_canonical_address(store: Arc<dyn Store>) {
    let limits = Limits { crawl_pages: 2, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.page("", &["a"]);
    put(site, "a", naming("b", "a"));
    let crawl = crawled(&installation, &bot, "", 1);
    assert_eq!(places(&installation, &bot, crawl.id), [place("", 0), place("a", 1)]);
    assert_eq!(site.requested(), ["", "a"]);
}

pub(crate) fn a_page_that_was_held_is_fetched_again_by_the_next_worker(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.page("", &["a1", "b1"]);
    put(site, "a1", naming("a", "a"));
    site.page("a", &[]);
    put(site, "b1", naming("b", "b"));
    site.page("b", &[]);
    site.hang("b");
    let crawl = create(&installation, &bot, "", "").unwrap();
    let first = claim(&installation);
    step_until(&installation, &first, || {
        now(&installation, &bot, crawl.id).progress.pages_scraped == 2
    });
    assert_eq!(site.requested(), ["", "a1", "b1", "a", "b"]);
    installation.wait_until(LEASE);
    site.resume();
    // What was found by then is compared with what is stored.
    put(site, "b1", naming("a", "a"));
    assert_eq!(step(&installation, &claim(&installation)), StepOutcome::Done);
    assert_eq!(site.requested(), ["b1", "b"]);
    let mut found = places(&installation, &bot, crawl.id);
    found.sort();
    assert_eq!(found, [place("", 0), place("a", 1), place("b", 1)]);
}

pub(crate) fn links_of_a_page_that_is_not_kept_are_followed(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    let unkept = |name: &str, links: &[&str]| Fetched {
        content: Err(CrawlError::Disallowed),
        ..linking(name, links)
    };
    site.put("", unkept("", &["a", "b"]));
    site.put("a", unkept("a", &["c"]));
    site.page("c", &[]);
    let crawl = crawled(&installation, &bot, "", 2);
    assert_eq!(site.requested(), ["", "a", "b", "c"]);
    let progress = crawl.progress;
    assert_eq!((progress.pages_scraped, progress.pages_failed), (1, 3));
    // The crawl has a page, so the error of the first page is not that of the crawl.
    assert_eq!((progress.status, progress.error), (CrawlStatus::Finished, None));

    site.put("c", unkept("c", &[]));
    let progress = crawled(&installation, &bot, "", 2).progress;
    let error = Some(CrawlError::Disallowed);
    assert_eq!((progress.status, progress.error), (CrawlStatus::Failed, error));
}

pub(crate) fn a_way_that_broke_off_hides_no_page(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.page("", &["a", "b", "goal"]);
    for (name, error) in [("a", CrawlError::Timeout), ("b", CrawlError::TooManyRedirects)] {
        site.put(name, Fetched { content: Err(error), ..linking("goal", &[]) });
    }
    site.page("goal", &[]);
    let crawl = crawled(&installation, &bot, "", 1);
    let found = pages(&installation, &bot, crawl.id);
    let errors: Vec<_> = found.iter().map(|page| (page.url.clone(), page.error)).collect();
    let expected = [
        (url(""), None),
        (url("a"), Some(CrawlError::Timeout)),
        (url("b"), Some(CrawlError::TooManyRedirects)),
        (url("goal"), None),
    ];
    assert_eq!(errors, expected);
}
