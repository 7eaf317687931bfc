//! Crawls that are broken off, taken over and given up.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use crate::contract::page_sets::{all_found, found, has_pages};
use crate::services::crawl_runs::{claim, now, pages, place, places, step};
use crate::services::crawl_service::create;
use crate::services::installation::Installation;
use crate::services::site::{linking, path};
use crate::world::{NOW, OPERATOR, at, wait};
use domain::Limits;
use domain::bot::{Bot, DeleteMode, TEARDOWN_BOT};
use domain::crawl::REMOVE_PAGE_SET;
use domain::crawl::{CRAWL, CrawlError, CrawlStatus, PageState, WebsiteCrawl};
use domain::error::{DomainError, StorageError};
use domain::id::CrawlId;
use domain::job::{Job, JobState, Queue, StepOutcome};
use domain::lock::Lock;
use domain::store::Store;

pub(crate) const LEASE: Duration = Duration::from_secs(60);

/// Does a step until this is so, and drops it then, wherever it is.
pub(crate) fn step_until(installation: &Installation, job: &Job, mut is_so: impl FnMut() -> bool) {
    let mut step = pin!(installation.botyard.jobs.step(OPERATOR, job));
    wait(poll_fn(|context| {
        let progress = step.as_mut().poll(context);
        assert!(progress.is_pending(), "it ended by itself: {progress:?}");
        if is_so() {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }));
}

/// Does a step until so many pages are stored, and drops it then.
pub(crate) fn step_until_stored(
    installation: &Installation,
    job: &Job,
    bot: &Bot,
    id: CrawlId,
    count: u32,
) {
    let is_so = || now(installation, bot, id).progress.pages_scraped == count;
    step_until(installation, job, is_so);
}

/// A crawl as the database has it, regardless of its bot.
fn stored(installation: &Installation, bot: &Bot, id: CrawlId) -> Option<WebsiteCrawl> {
    let scope = installation.world.scope(bot);
    installation.world.read(move |tx| Ok(tx.crawl(&scope, id, Lock::None)?))
}

pub(crate) fn a_crawl_goes_on_where_another_worker_left_it(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let site = &installation.site;
    site.page("", &["a", "b", "hanging"]);
    site.put("a", linking("moved", &["deep"]));
    site.put("b", linking("moved", &[]));
    site.page("hanging", &["a", "b", "moved", "deep"]);
    site.page("deep", &["hanging"]);
    site.hang("hanging");
    let crawl = create(&installation, &bot, "", r#","depth":2"#).unwrap();
    let first = claim(&installation);
    let is_stored = || {
        let found = all_found(&installation.world, &bot, crawl.page_set_id);
        found.iter().filter(|page| page.state == PageState::Alias).count() == 2
    };
    step_until(&installation, &first, is_stored);
    assert_eq!(places(&installation, &bot, crawl.id), [place("", 0), place("moved", 1)]);
    assert_eq!(site.requested(), ["", "a", "b", "hanging"]);

    installation.wait_until(LEASE);
    site.resume();
    let second = claim(&installation);
    assert_eq!((second.id, second.attempt, second.failures), (first.id, 2, 1));
    assert_eq!(step(&installation, &second), StepOutcome::Done);
    assert_eq!(site.requested(), ["hanging", "deep"]);
    let expected = [place("", 0), place("moved", 1), place("hanging", 1), place("deep", 2)];
    assert_eq!(places(&installation, &bot, crawl.id), expected);
    let progress = now(&installation, &bot, crawl.id).progress;
    assert_eq!((progress.status, progress.pages_scraped), (CrawlStatus::Finished, 4));
    assert_eq!((progress.started_at, progress.bytes), (Some(at(0)), 500));
    // What is done after all is done comes to nothing.
    assert_eq!(step(&installation, &second), StepOutcome::Done);
    wait(installation.botyard.jobs.finish(OPERATOR, &second)).unwrap();
    assert_eq!(step(&installation, &second), StepOutcome::LeaseLost);
    assert_eq!(places(&installation, &bot, crawl.id), expected);
}

pub(crate) fn a_worker_that_lost_its_lease_writes_nothing(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    installation.site.page("", &["a"]);
    installation.site.page("a", &[]);
    let crawl = create(&installation, &bot, "", "").unwrap();
    let first = claim(&installation);
    let (jobs, clock) = (installation.botyard.jobs.clone(), installation.clock.clone());
    installation.site.act(move |asked| {
        if path(asked).is_empty() {
            clock.set(NOW + i64::try_from(LEASE.as_millis()).unwrap());
            assert!(wait(jobs.claim(OPERATOR, Queue::Crawls)).unwrap().is_some());
        }
    });
    assert_eq!(step(&installation, &first), StepOutcome::Continue);
    assert_eq!(step(&installation, &first), StepOutcome::LeaseLost);
    let progress = now(&installation, &bot, crawl.id).progress;
    assert_eq!((progress.status, progress.pages_scraped), (CrawlStatus::Running, 0));
    assert_eq!(pages(&installation, &bot, crawl.id), []);
    wait(installation.botyard.jobs.fail(OPERATOR, &first, &failure())).unwrap();
    wait(installation.botyard.jobs.yield_turn(OPERATOR, &first)).unwrap();
    let [second] = &installation.jobs()[..] else { panic!("one job") };
    assert_eq!((second.state, second.attempt, second.failures), (JobState::Running, 2, 1));
    installation.site.act(|_| {});
    assert_eq!(step(&installation, second), StepOutcome::Done);
    assert_eq!(places(&installation, &bot, crawl.id), [place("", 0), place("a", 1)]);
}

pub(crate) fn failure() -> DomainError {
    StorageError::Unavailable("told to".to_owned()).into()
}

/// Runs a crawl in the middle of which `act` does something that breaks it off.
fn broken_off(
    installation: &Installation,
    bot: &Bot,
    act: impl Fn(&WebsiteCrawl) + Send + Sync + 'static,
) -> WebsiteCrawl {
    installation.site.page("", &["a", "b"]);
    installation.site.page("a", &[]);
    let crawl = create(installation, bot, "", "").unwrap();
    let job = claim(installation);
    let of_crawl = crawl.clone();
    installation.site.act(move |asked| {
        if path(asked) == "b" {
            act(&of_crawl);
        }
    });
    let jobs = &installation.botyard.jobs;
    assert_eq!(wait(jobs.is_wanted(OPERATOR, &job)), Ok(true));
    assert_eq!(step(installation, &job), StepOutcome::Continue);
    assert_eq!(wait(jobs.is_wanted(OPERATOR, &job)), Ok(false));
    assert_eq!(step(installation, &job), StepOutcome::Done);
    wait(jobs.finish(OPERATOR, &job)).unwrap();
    crawl
}

pub(crate) fn an_archived_bot_crawls_no_more(store: Arc<dyn Store>) {
    for (mode, is_running) in
        [(DeleteMode::Archive, true), (DeleteMode::Trash, true), (DeleteMode::Archive, false)]
    {
        let installation = Installation::new(store.clone());
        let world = &installation.world;
        let bot = world.stored_bot("bot");
        let (bots, claim_on_bot) = (installation.botyard.bots.clone(), world.claim(&bot));
        let end = move || assert!(wait(bots.delete(&claim_on_bot, mode)).is_ok());
        let crawl = if is_running {
            broken_off(&installation, &bot, move |_| end())
        } else {
            let crawl = create(&installation, &bot, "", "").unwrap();
            end();
            assert_eq!(installation.work(), [CRAWL]);
            crawl
        };
        assert_eq!(installation.jobs(), []);
        let progress = stored(&installation, &bot, crawl.id).unwrap().progress;
        assert_eq!((progress.status, progress.error), (CrawlStatus::Cancelled, None));
        assert_eq!(
            (progress.finished_at, progress.started_at.is_some()),
            (Some(at(0)), is_running)
        );
        let (scope, set) = (world.scope(&bot), crawl.page_set_id);
        let found_pages = all_found(world, &bot, set);
        assert!(found_pages.iter().all(|page| page.state == PageState::Done));
        let add = world.try_write(move |tx| Ok(tx.add_found_pages(&scope, set, &[found(9)])?));
        assert!(add.is_err(), "the set is sealed");
    }
}

pub(crate) fn a_deleted_crawl_is_broken_off(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let (crawls, claim_on_bot) =
        (installation.botyard.crawls.clone(), installation.world.claim(&bot));
    let crawl = broken_off(&installation, &bot, move |crawl| {
        wait(crawls.delete(&claim_on_bot, crawl.id)).unwrap();
    });
    assert_eq!(stored(&installation, &bot, crawl.id), None);
    assert!(has_pages(&installation.world, crawl.page_set_id));
    assert_eq!(installation.work(), [REMOVE_PAGE_SET]);
    assert!(!has_pages(&installation.world, crawl.page_set_id));
}

pub(crate) fn a_bot_in_teardown_crawls_no_more(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let (bots, claim_on_bot) = (installation.botyard.bots.clone(), installation.world.claim(&bot));
    let crawl = broken_off(&installation, &bot, move |_| {
        wait(bots.delete(&claim_on_bot, DeleteMode::Delete)).unwrap();
    });
    assert_eq!(installation.work(), [TEARDOWN_BOT, REMOVE_PAGE_SET]);
    assert_eq!(stored(&installation, &bot, crawl.id), None);
    assert!(!has_pages(&installation.world, crawl.page_set_id));
    assert_eq!(installation.jobs(), []);
}

pub(crate) fn a_crawl_is_given_up_after_its_third_attempt(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    installation.site.page("", &["hanging"]);
    installation.site.hang("hanging");
    let jobs = &installation.botyard.jobs;
    let crawl = create(&installation, &bot, "", "").unwrap();
    step_until_stored(&installation, &claim(&installation), &bot, crawl.id, 1);
    // One whose worker dies, and one that can't store anything, which others then wait for.
    installation.wait_until(LEASE);
    assert_eq!(claim(&installation).failures, 1);
    installation.wait_until(2 * LEASE);
    let third = claim(&installation);
    assert_eq!(third.failures, 2);
    wait(jobs.fail(OPERATOR, &third, &failure())).unwrap();
    assert_eq!(wait(jobs.claim(OPERATOR, Queue::Crawls)), Ok(None));

    let [job] = &installation.jobs()[..] else { panic!("one job") };
    assert_eq!((job.state, job.failures), (JobState::Failed, 3));
    let ended = now(&installation, &bot, crawl.id);
    let expected = (CrawlStatus::Failed, Some(CrawlError::Interrupted));
    assert_eq!((ended.progress.status, ended.progress.error), expected);
    assert_eq!(ended.progress.finished_at, Some(at(0).plus(2 * LEASE)));
    // What it has is kept, and what it was about to do is not.
    assert_eq!(places(&installation, &bot, crawl.id), [place("", 0)]);
    assert_eq!(all_found(&installation.world, &bot, crawl.page_set_id).len(), 1);
    // Nor does it go on when an operator has the job done again.
    wait(jobs.retry(OPERATOR, job.id)).unwrap();
    assert_eq!(installation.work(), [CRAWL]);
    assert_eq!(now(&installation, &bot, crawl.id), ended);
}

pub(crate) fn a_crawl_whose_workers_die_is_given_up(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let crawl = create(&installation, &bot, "", "").unwrap();
    for attempt in 1..=3 {
        assert_eq!(claim(&installation).attempt, attempt);
        installation.wait_until(LEASE * attempt);
    }
    let jobs = &installation.botyard.jobs;
    assert_eq!(wait(jobs.claim(OPERATOR, Queue::Crawls)), Ok(None));
    let progress = now(&installation, &bot, crawl.id).progress;
    let expected = (CrawlStatus::Failed, Some(CrawlError::Interrupted));
    assert_eq!((progress.status, progress.error), expected);
    assert_eq!(installation.jobs()[0].state, JobState::Failed);
}

pub(crate) fn an_attempt_that_gets_on_is_no_failure(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    installation.site.page("", &["hanging"]);
    installation.site.hang("hanging");
    let jobs = &installation.botyard.jobs;
    let crawl = create(&installation, &bot, "", "").unwrap();
    for attempt in 1..=2 {
        claim(&installation);
        installation.wait_until(LEASE * attempt);
    }
    let third = claim(&installation);
    assert_eq!(third.failures, 2);
    step_until_stored(&installation, &third, &bot, crawl.id, 1);
    let failures = || installation.jobs()[0].failures;
    // Whatever then becomes of it, the ones before count no more.
    assert_eq!(failures(), 0);
    wait(jobs.yield_turn(OPERATOR, &third)).unwrap();
    assert_eq!(failures(), 0);
    let fourth = claim(&installation);
    wait(jobs.fail(OPERATOR, &fourth, &failure())).unwrap();
    assert_eq!(failures(), 1);
    assert_eq!(now(&installation, &bot, crawl.id).progress.status, CrawlStatus::Queued);
}

/// What becomes of a crawl whose only page is not there.
const MISSING: StepOutcome = StepOutcome::Unsuccessful("http_error");

pub(crate) fn so_many_crawls_run_at_once_and_no_more(store: Arc<dyn Store>) {
    let limits = Limits { crawls_per_bot: 1, crawls_per_project: 2, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let world = &installation.world;
    let jobs = &installation.botyard.jobs;
    let [bot, second, third] = [(); 3].map(|()| world.stored_bot("bot"));
    let abroad = world.bot_of(&world.other_project());
    installation.site.page("", &["hanging"]);
    installation.site.hang("hanging");
    let begin = |bot: &Bot, name: &str| {
        let crawl = create(&installation, bot, name, "").unwrap();
        (claim(&installation), crawl.id)
    };
    let (first, id) = begin(&bot, "");
    step_until_stored(&installation, &first, &bot, id, 1);
    let (waiting, of_same_bot) = begin(&bot, "other");
    assert_eq!(step(&installation, &waiting), StepOutcome::NoFreeSlot);
    assert_eq!(now(&installation, &bot, of_same_bot).progress.status, CrawlStatus::Queued);
    wait(jobs.defer(OPERATOR, &waiting)).unwrap();
    assert_eq!(wait(jobs.claim(OPERATOR, Queue::Crawls)), Ok(None));
    let (other, of_other) = begin(&second, "");
    step_until_stored(&installation, &other, &second, of_other, 1);
    // The project has as many as it may, another one has none.
    let (late, _) = begin(&third, "");
    assert_eq!(step(&installation, &late), StepOutcome::NoFreeSlot);
    let (foreign, _) = begin(&abroad, "missing");
    assert_eq!(step(&installation, &foreign), MISSING);

    installation.site.resume();
    assert_eq!(step(&installation, &other), StepOutcome::Done);
    assert_eq!(step(&installation, &late), StepOutcome::Done);
    assert_eq!(step(&installation, &first), StepOutcome::Done);
    installation.wait_until(Duration::from_secs(10));
    let waiting = claim(&installation);
    assert_eq!((waiting.attempt, waiting.failures), (2, 0));
    assert_eq!(step(&installation, &waiting), MISSING);
    assert_eq!(now(&installation, &bot, of_same_bot).progress.status, CrawlStatus::Failed);
}

pub(crate) fn crawls_of_a_deleted_bot_hold_no_slot(store: Arc<dyn Store>) {
    let limits =
        Limits { crawls_per_project: 1, queued_crawls_per_project: 1, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let world = &installation.world;
    let (bot, other) = (world.stored_bot("bot"), world.stored_bot("other"));
    installation.site.page("", &["hanging"]);
    installation.site.hang("hanging");
    let crawl = create(&installation, &bot, "", "").unwrap();
    let job = claim(&installation);
    step_until_stored(&installation, &job, &bot, crawl.id, 1);
    create(&installation, &bot, "waits", "").unwrap();
    wait(installation.botyard.bots.delete(&world.claim(&bot), DeleteMode::Delete)).unwrap();
    // Nothing of it was torn down yet.
    let crawl = create(&installation, &other, "elsewhere", "").unwrap();
    let found = std::iter::from_fn(|| Some(claim(&installation)));
    let own = found.take(2).find(|job| job.subject == crawl.id.to_string());
    assert_eq!(step(&installation, &own.unwrap()), MISSING);
}

pub(crate) fn a_new_job_is_claimed_by_one(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    create(&installation, &bot, "", "").unwrap();
    let (jobs, id) = (&installation.botyard.jobs, installation.jobs()[0].id);
    let claimed = wait(jobs.claim_new(OPERATOR, id)).unwrap().unwrap();
    assert_eq!(wait(jobs.claim_new(OPERATOR, id)), Ok(None));
    assert_eq!(wait(jobs.claim(OPERATOR, Queue::Crawls)), Ok(None));
    assert_eq!(step(&installation, &claimed), MISSING);
}
