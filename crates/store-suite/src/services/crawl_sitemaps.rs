//! Pages that the sitemaps of a site name.

use std::sync::Arc;

use crate::services::crawl_ends::{LEASE, step_until, step_until_stored};
use crate::services::crawl_runs::{claim, crawled, now, place, places, step};
use crate::services::crawl_service::create;
use crate::services::installation::Installation;
use crate::world::{OPERATOR, wait};
use domain::Limits;
use domain::clock::Clock as _;
use domain::crawl::{CrawlError, CrawlStatus};
use domain::job::StepOutcome;
use domain::store::Store;

pub(crate) fn links_of_the_sitemap_are_two_hops_away(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.page("", &["a"]);
    site.page("a", &[]);
    site.page("hidden", &["deep"]);
    site.set_sitemap(&["hidden", "", "a"]);
    let crawl = crawled(&installation, &bot, "", 2);
    // The order of numbers is that in which they were found.
    let expected = [place("", 0), place("a", 1), place("hidden", 2)];
    assert_eq!(places(&installation, &bot, crawl.id), expected);
    let nearer = crawled(&installation, &bot, "", 1);
    assert_eq!(places(&installation, &bot, nearer.id), expected[..2]);
}

pub(crate) fn the_first_pages_are_there_while_sitemaps_are_read(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.page("", &["a"]);
    site.page("a", &["b"]);
    site.page("b", &["hidden"]);
    site.page("hidden", &["deep"]);
    site.page("deep", &[]);
    site.set_sitemap(&["hidden"]);
    site.hang_sitemap();
    let crawl = create(&installation, &bot, "", r#","depth":3"#).unwrap();
    step_until_stored(&installation, &claim(&installation), &bot, crawl.id, 2);
    let progress = || now(&installation, &bot, crawl.id).progress;
    assert!(!progress().sitemaps_read);

    installation.wait_until(LEASE);
    let second = claim(&installation);
    let mut polls = 0;
    // It had the time to ask for what is two hops away.
    step_until(&installation, &second, || {
        polls += u32::from(site.sitemaps_asked() == 2);
        polls > 100
    });
    assert_eq!(site.requested(), ["", "a"]);

    installation.wait_until(2 * LEASE);
    site.resume();
    assert_eq!(step(&installation, &claim(&installation)), StepOutcome::Done);
    // What was read is not fetched again; a page that the sitemap and a link name has the lower depth.
    assert_eq!(site.requested(), ["b", "hidden", "deep"]);
    let expected =
        [place("", 0), place("a", 1), place("b", 2), place("hidden", 2), place("deep", 3)];
    assert_eq!(places(&installation, &bot, crawl.id), expected);
    assert!(progress().sitemaps_read);
}

pub(crate) fn sitemaps_are_read_once(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.page("", &["a"]);
    site.page("hidden", &[]);
    site.set_sitemap(&["hidden"]);
    // Longer than a step, which goes on until it has them.
    let clock = installation.clock.clone();
    site.act(move |_| clock.set(clock.now().millis() + 11_000));
    let crawl = create(&installation, &bot, "", r#","depth":2"#).unwrap();
    let jobs = &installation.botyard.jobs;
    for expected in [StepOutcome::Continue, StepOutcome::Done] {
        let job = claim(&installation);
        assert_eq!(step(&installation, &job), expected);
        assert_eq!(site.sitemaps_asked(), 1);
        assert!(now(&installation, &bot, crawl.id).progress.sitemaps_read);
        if expected == StepOutcome::Continue {
            wait(jobs.yield_turn(OPERATOR, &job)).unwrap();
        } else {
            wait(jobs.finish(OPERATOR, &job)).unwrap();
        }
    }
    assert_eq!(site.requested(), ["", "a", "hidden"]);
    // Nor are they read for what is too near, nor for a page that can't be read.
    for (name, depth) in [("", 1), ("missing", 2)] {
        crawled(&installation, &bot, name, depth);
        assert_eq!(site.sitemaps_asked(), 1);
    }
}

pub(crate) fn a_crawl_that_has_enough_waits_for_no_sitemap(store: Arc<dyn Store>) {
    let limits = Limits { crawl_bytes: 150, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.page("", &["a"]);
    site.page("a", &[]);
    site.hang_sitemap();
    let progress = crawled(&installation, &bot, "", 2).progress;
    let expected = (CrawlStatus::Finished, Some(CrawlError::ByteLimit));
    assert_eq!((progress.status, progress.error), expected);
    assert_eq!(progress.pages_scraped, 2);
}
