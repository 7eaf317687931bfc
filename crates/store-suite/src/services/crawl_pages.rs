//! What becomes of single pages of a crawl.

use std::sync::Arc;

use crate::services::crawl_ends::{LEASE, step_until, step_until_stored};
use crate::services::crawl_runs::{claim, crawled, now, pages, place, places};
use crate::services::crawl_service::create;
use crate::services::installation::Installation;
use crate::services::site::{content, linking, url};
use domain::Limits;
use domain::crawl::{CRAWL, CrawlError, CrawlStatus, CrawlUrl, Fetched};
use domain::store::Store;
use domain::text::LONG_TEXT_MAX;

pub(crate) fn a_page_stands_where_its_redirect_led(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let secured = CrawlUrl::parse("https://www.site.example/", false).unwrap();
    installation.site.put("", Fetched { url: secured.clone(), ..linking("", &["a"]) });
    installation.site.page("a", &[""]);
    let crawl = crawled(&installation, &bot, "", 2);
    assert_eq!(crawl.url, url(""));
    let found: Vec<_> =
        pages(&installation, &bot, crawl.id).into_iter().map(|page| page.url).collect();
    assert_eq!(found, [secured, url("a")]);
}

pub(crate) fn links_of_another_address_of_a_page_are_followed(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.page("", &["second"]);
    site.put("second", Fetched { url: url(""), ..linking("second", &["entry"]) });
    site.page("entry", &[]);
    let crawl = crawled(&installation, &bot, "", 2);
    assert_eq!(places(&installation, &bot, crawl.id), [place("", 0), place("entry", 2)]);
}

pub(crate) fn a_page_with_too_much_text_is_not_kept(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.page("", &["full", "over"]);
    for (name, size) in [("full", LONG_TEXT_MAX), ("over", LONG_TEXT_MAX + 1)] {
        site.put(name, Fetched { content: Ok(content(&"x".repeat(size))), ..linking(name, &[]) });
    }
    let crawl = crawled(&installation, &bot, "", 1);
    let found = pages(&installation, &bot, crawl.id);
    let sizes: Vec<_> = found.iter().map(|page| page.content.as_ref().map(String::len)).collect();
    assert_eq!(sizes, [Some(0), Some(LONG_TEXT_MAX), None]);
    assert_eq!(found[2].error, Some(CrawlError::TooLarge));
    assert_eq!((crawl.progress.pages_scraped, crawl.progress.pages_failed), (2, 1));
}

pub(crate) fn what_a_page_takes_to_keep_counts(store: Arc<dyn Store>) {
    let limits = Limits { crawl_bytes: 5_000, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    // It came over the wire compressed.
    let large = Fetched { content: Ok(content(&"x".repeat(6_000))), ..linking("", &["a"]) };
    site.put("", large);
    site.page("a", &[]);
    let progress = crawled(&installation, &bot, "", 1).progress;
    assert_eq!((progress.bytes, progress.pages_scraped), (6_000, 1));
    assert_eq!(
        (progress.status, progress.error),
        (CrawlStatus::Finished, Some(CrawlError::ByteLimit))
    );
}

pub(crate) fn after_an_attempt_that_came_to_nothing_pages_come_one_by_one(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.page("", &["hanging", "a", "b"]);
    site.hang("hanging");
    create(&installation, &bot, "", "").unwrap();
    claim(&installation);
    installation.wait_until(LEASE);
    let second = claim(&installation);
    assert_eq!(second.failures, 1);
    let mut asked = Vec::new();
    let mut polls = 0;
    step_until(&installation, &second, || {
        asked.extend(site.requested());
        // It had the time to ask for more.
        polls += usize::from(asked.last().is_some_and(|path| path == "hanging"));
        polls > 100
    });
    assert_eq!(asked, ["", "hanging"]);
}

pub(crate) fn addresses_stay_what_they_are_when_a_crawl_goes_on(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    // What the first one's escapes stand for looks like an escape of the second.
    let names = ["%%34%31", "A", "%41%", "%25%34%31", "%%34"];
    site.page("", &names);
    for name in names {
        site.page(name, &names);
        site.hang(name);
    }
    let crawl = create(&installation, &bot, "", "").unwrap();
    let first = claim(&installation);
    step_until_stored(&installation, &first, &bot, crawl.id, 1);
    installation.wait_until(LEASE);
    site.resume();
    assert_eq!(installation.work(), [CRAWL]);
    let expected = ["", "%2541", "A", "A%25", "%254"];
    let found = places(&installation, &bot, crawl.id).into_iter().map(|(name, _)| name);
    assert_eq!(found.collect::<Vec<_>>(), expected);
    let progress = now(&installation, &bot, crawl.id).progress;
    assert_eq!((progress.status, progress.pages_scraped), (CrawlStatus::Finished, 5));
}
