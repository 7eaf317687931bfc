//! What crawls find, and where they end.

use std::sync::Arc;
use std::time::Duration;

use crate::contract::page_sets::all_found;
use crate::services::crawl_service::create;
use crate::services::installation::Installation;
use crate::services::site::{linking, path};
use crate::world::{NOW, OPERATOR, at, wait};
use domain::Limits;
use domain::bot::Bot;
use domain::crawl::{CRAWL, CrawlError, CrawlStatus, Fetched, Page, WebsiteCrawl};
use domain::id::CrawlId;
use domain::job::{Job, Queue, StepOutcome};
use domain::list::ListQuery;
use domain::store::Store;

/// Crawls a site that begins with this page until the crawl ends.
pub(crate) fn crawled(
    installation: &Installation,
    bot: &Bot,
    name: &str,
    depth: u8,
) -> WebsiteCrawl {
    let crawl = create(installation, bot, name, &format!(r#","depth":{depth}"#)).unwrap();
    assert_eq!(installation.work(), [CRAWL]);
    assert_eq!(installation.jobs(), []);
    now(installation, bot, crawl.id)
}

/// A crawl as it stands.
pub(crate) fn now(installation: &Installation, bot: &Bot, id: CrawlId) -> WebsiteCrawl {
    let claim = installation.world.claim(bot);
    wait(installation.botyard.crawls.get(&claim, id)).unwrap()
}

pub(crate) fn pages(installation: &Installation, bot: &Bot, id: CrawlId) -> Vec<Page> {
    let claim = installation.world.claim(bot);
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = installation.botyard.crawls.pages(&claim, id, after, 10_000);
        let (pages, next) = wait(page).unwrap();
        all.extend(pages);
        after = next;
        if after.is_none() {
            return all;
        }
    }
}

/// Where the pages of a crawl are and how far from the start, in the order of their numbers.
pub(crate) fn places(installation: &Installation, bot: &Bot, id: CrawlId) -> Vec<(String, u8)> {
    let pages = pages(installation, bot, id).into_iter();
    pages.map(|page| (path(&page.url), page.depth)).collect()
}

pub(crate) fn place(name: &str, depth: u8) -> (String, u8) {
    (name.to_owned(), depth)
}

pub(crate) fn claim(installation: &Installation) -> Job {
    wait(installation.botyard.jobs.claim(OPERATOR, Queue::Crawls)).unwrap().unwrap()
}

pub(crate) fn step(installation: &Installation, job: &Job) -> StepOutcome {
    wait(installation.botyard.jobs.step(OPERATOR, job)).unwrap()
}

pub(crate) fn a_site_is_crawled_breadth_first_within_the_depth(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.page("", &["a", "b", "", "a"]);
    site.page("a", &["c"]);
    site.page("b", &["d", "a", "", "missing"]);
    site.page("c", &["e", "b"]);
    site.page("d", &["e"]);
    site.page("e", &[]);
    let levels = [&["", "a", "b", "c", "d", "missing", "e"][..]; 4].into_iter().zip([1, 3, 6, 7]);
    for (depth, (names, count)) in (0_u8..).zip(levels) {
        let crawl = crawled(&installation, &bot, "", depth);
        assert_eq!(site.requested(), names[..count]);
        let failed = u32::from(depth >= 2);
        let found: Vec<_> =
            places(&installation, &bot, crawl.id).into_iter().map(|(name, _)| name).collect();
        assert_eq!(found, names[..count]);
        let progress = crawl.progress;
        assert_eq!((progress.status, progress.error), (CrawlStatus::Finished, None));
        assert_eq!(progress.pages_scraped + progress.pages_failed, u32::try_from(count).unwrap());
        assert_eq!(progress.pages_failed, failed);
        let bytes = 100 * u64::from(progress.pages_scraped) + 10 * u64::from(failed);
        assert_eq!(progress.bytes, bytes);
        assert_eq!((progress.started_at, progress.finished_at), (Some(at(0)), Some(at(0))));
    }
    let deepest = wait(installation.botyard.crawls.page(
        &installation.world.claim(&bot),
        &ListQuery::default(),
        None,
        9,
    ));
    let deepest = deepest.unwrap().0.pop().unwrap();
    let depths: Vec<_> =
        places(&installation, &bot, deepest.id).iter().map(|(_, depth)| *depth).collect();
    assert_eq!(depths, [0, 1, 1, 2, 2, 2, 3]);
    let pages = pages(&installation, &bot, deepest.id);
    assert_eq!((pages[1].content.as_deref(), pages[1].status_code), (Some("a"), Some(200)));
    assert_eq!(pages[1].title.as_deref(), Some("Title of a"));
    assert_eq!((pages[5].error, pages[5].status_code), (Some(CrawlError::HttpError), Some(404)));
    assert_eq!(pages[5].content, None);
}

pub(crate) fn a_page_is_kept_once_whatever_its_addresses(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.put("", linking("home", &["a", "b", "c", "ring1", "ring2"]));
    site.put("a", linking("target", &["late"]));
    site.put("b", linking("target", &[]));
    site.page("c", &["", "home", "a", "target", "late"]);
    site.put("ring1", linking("ring2", &[]));
    site.put("ring2", linking("ring1", &[]));
    site.put("late", linking("c", &[]));
    let crawl = crawled(&installation, &bot, "", 3);
    let expected = [place("home", 0), place("target", 1), place("c", 1), place("ring2", 1)];
    assert_eq!(places(&installation, &bot, crawl.id), expected);
    assert_eq!(site.requested(), ["", "a", "b", "c", "ring1", "ring2", "late"]);
    assert_eq!((crawl.progress.pages_scraped, crawl.progress.pages_failed), (4, 0));
}

pub(crate) fn a_crawl_without_its_first_page_has_failed(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    let blocked = Fetched {
        status_code: None,
        content: Err(CrawlError::BlockedAddress),
        ..linking("blocked", &["a"])
    };
    site.put("blocked", blocked);
    site.set_sitemap(&["a"]);
    for (name, error) in
        [("missing", CrawlError::HttpError), ("blocked", CrawlError::BlockedAddress)]
    {
        let crawl = crawled(&installation, &bot, name, 1);
        let progress = crawl.progress;
        assert_eq!((progress.status, progress.error), (CrawlStatus::Failed, Some(error)));
        assert_eq!((progress.pages_scraped, progress.pages_failed), (0, 1));
        assert_eq!(progress.finished_at, Some(at(0)));
        let [page] = &pages(&installation, &bot, crawl.id)[..] else { panic!("one page") };
        assert_eq!((page.error, &page.content), (Some(error), &None));
        assert_eq!(site.requested(), [name]);
    }
}

/// A start page with so many links, all of which are there.
fn wide(installation: &Installation, count: usize) {
    let names: Vec<_> = (0..count).map(|number| number.to_string()).collect();
    let links: Vec<_> = names.iter().map(String::as_str).collect();
    installation.site.page("", &links);
    links.iter().for_each(|name| installation.site.page(name, &["", "more"]));
}

pub(crate) fn a_crawl_ends_where_it_has_enough(store: Arc<dyn Store>) {
    type Expected = (Option<CrawlError>, u32);
    let hour = Duration::from_secs(60 * 60);
    let cases: [(Limits, Expected); 5] = [
        (Limits { crawl_pages: 3, ..Limits::default() }, (Some(CrawlError::PageLimit), 3)),
        (Limits { crawl_pages: 21, ..Limits::default() }, (None, 21)),
        // Those that are under way when the last byte comes are kept.
        (Limits { crawl_bytes: 250, ..Limits::default() }, (Some(CrawlError::ByteLimit), 6)),
        (Limits { crawl_bytes: 2_100, ..Limits::default() }, (None, 21)),
        (Limits { crawl_time: hour, ..Limits::default() }, (Some(CrawlError::TimeLimit), 9)),
    ];
    for (limits, (error, count)) in cases {
        let is_timed = error == Some(CrawlError::TimeLimit);
        let installation = Installation::with(store.clone(), limits);
        let bot = installation.world.stored_bot("bot");
        wide(&installation, 20);
        if is_timed {
            let clock = installation.clock.clone();
            installation.site.act(move |_| {
                clock.set(domain::clock::Clock::now(&*clock).millis() + 7 * 60 * 1_000);
            });
        }
        let crawl = crawled(&installation, &bot, "", 1);
        let progress = crawl.progress;
        assert_eq!((progress.status, progress.error), (CrawlStatus::Finished, error));
        assert_eq!(progress.pages_scraped, count, "{error:?}");
        assert_eq!(pages(&installation, &bot, crawl.id).len(), count as usize);
        let left = all_found(&installation.world, &bot, crawl.page_set_id);
        assert_eq!(left.len(), count as usize, "{error:?}: the rest is forgotten");
    }
}

pub(crate) fn a_crawl_goes_on_in_steps_and_tells_how_far_it_is(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    wide(&installation, 6);
    // Longer than a step.
    let clock = installation.clock.clone();
    installation.site.act(move |_| clock.set(domain::clock::Clock::now(&*clock).millis() + 11_000));
    let crawl = create(&installation, &bot, "", "").unwrap();
    let jobs = &installation.botyard.jobs;
    // The first page, four at once, and the rest.
    for (count, expected) in
        [(1, StepOutcome::Continue), (5, StepOutcome::Continue), (7, StepOutcome::Done)]
    {
        let job = claim(&installation);
        assert_eq!(wait(jobs.is_wanted(OPERATOR, &job)), Ok(true));
        assert_eq!(step(&installation, &job), expected);
        let progress = now(&installation, &bot, crawl.id).progress;
        assert_eq!(progress.pages_scraped, count);
        assert_eq!(pages(&installation, &bot, crawl.id).len(), count as usize);
        assert_eq!(progress.status.is_going(), expected == StepOutcome::Continue);
        assert_eq!(progress.started_at, Some(at(0)));
        if expected == StepOutcome::Continue {
            wait(jobs.yield_turn(OPERATOR, &job)).unwrap();
        } else {
            assert_eq!(wait(jobs.is_wanted(OPERATOR, &job)), Ok(false));
            wait(jobs.finish(OPERATOR, &job)).unwrap();
        }
    }
    let ended = now(&installation, &bot, crawl.id).progress;
    assert_eq!((ended.status, ended.finished_at), (CrawlStatus::Finished, Some(at(77_000))));
    assert_eq!(installation.jobs(), []);
    assert_eq!(installation.site.requested().len(), 7);
    installation.clock.set(NOW);
}
