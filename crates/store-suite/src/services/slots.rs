//! Jobs that wait until one of their kind ends, because their project does few of them at once.

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::services::crawl_ends::{LEASE, failure as outage, step_until_stored};
use crate::services::crawl_runs;
use crate::services::crawl_service::create;
use crate::services::document_service::{now, upload};
use crate::services::extraction_runs::{FINISHED, TEXT, claim, outcome, step};
use crate::services::installation::Installation;
use crate::world::{OPERATOR, World, at, wait};
use domain::Limits;
use domain::crawl::{CRAWL, CrawlProgress, CrawlStatus, WebsiteCrawl};
use domain::document::{Document, EXTRACT, ExtractionError, ExtractionStatus, ExtractorError};
use domain::error::DomainError;
use domain::job::{Job, JobState, Queue, StepOutcome};
use domain::store::Store;

const WAITING: (ExtractionStatus, Option<ExtractionError>) = (ExtractionStatus::Queued, None);

fn failure() -> ExtractorError {
    ExtractorError::Extractor("it went away".to_owned())
}

/// An installation with one place for extractions in each project.
fn installation(store: Arc<dyn Store>) -> Installation {
    let limits = Limits { extractions_per_project: 1, ..Limits::default() };
    Installation::with(store, limits)
}

/// A document whose extraction has begun and came to nothing so far, with its job.
fn begun(installation: &Installation) -> (Document, Job) {
    let document = upload(installation, "f.txt", TEXT);
    let job = claim(installation);
    begin_again(installation, &document, &job);
    (document, job)
}

fn begin_again(installation: &Installation, document: &Document, job: &Job) {
    installation.extractor.fail(Some(failure()));
    assert!(wait(installation.botyard.jobs.step(OPERATOR, job)).is_err());
    installation.extractor.fail(None);
    let running = (ExtractionStatus::Running, None);
    assert_eq!(outcome(&now(installation, document.id)), running);
}

/// Claims the job that is due, which finds no free slot and is deferred.
fn deferred(installation: &Installation) -> Job {
    let job = claim(installation);
    assert_eq!(step(installation, &job), StepOutcome::NoFreeSlot);
    wait(installation.botyard.jobs.defer(OPERATOR, &job)).unwrap();
    job
}

fn nothing_is_due(installation: &Installation) {
    assert_eq!(wait(installation.botyard.jobs.claim(OPERATOR, Queue::Extractions)), Ok(None));
}

/// Does the job that is due, which is that of this document.
fn is_next(installation: &Installation, document: &Document) {
    let job = claim(installation);
    assert_eq!(job.subject, document.extraction.id.unwrap().to_string());
    assert_eq!(step(installation, &job), StepOutcome::Done);
    assert_eq!(outcome(&now(installation, document.id)), FINISHED);
    wait(installation.botyard.jobs.finish(OPERATOR, &job)).unwrap();
}

pub(crate) fn the_oldest_that_waits_is_woken(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (project, abroad) = (world.project.id, world.other_project().id);
    let enqueue = |kind, created, due, state| {
        let job = Job::new(world.id(), kind, "", at(created)).due(at(due));
        Job { state, ..job.of_project(project) }
    };
    let queued = JobState::Queued;
    let enqueued = [
        enqueue(EXTRACT, 7, 50, queued),
        enqueue(EXTRACT, 6, 60, queued),
        // Those that are due, that wait for something else, and that are not of that kind.
        enqueue(EXTRACT, 1, 40, queued),
        enqueue(EXTRACT, 1, 61, queued),
        enqueue(EXTRACT, 1, 50, JobState::Failed),
        enqueue(CRAWL, 1, 50, queued),
        Job { leased_until: Some(at(90)), ..enqueue(EXTRACT, 1, 50, JobState::Running) },
        enqueue(EXTRACT, 1, 50, queued).of_project(abroad),
        Job { project_id: None, ..enqueue(EXTRACT, 1, 50, queued) },
    ];
    let stored = enqueued.clone();
    world.write(move |tx| Ok(stored.iter().try_for_each(|job| tx.insert_job(job))?));
    let wake =
        || world.write(move |tx| Ok(tx.wake_job(OPERATOR, (project, &EXTRACT), at(40), at(60))?));
    let all = || world.read(|tx| Ok(tx.jobs(OPERATOR, &[EXTRACT, CRAWL], None, 100)?));
    let mut expected = enqueued.to_vec();
    for index in [1, 0] {
        assert!(wake());
        expected[index].run_at = expected[index].created_at;
        assert_eq!(all(), expected);
    }
    assert!(!wake());
    assert_eq!(all(), expected);
}

pub(crate) fn an_extraction_that_ends_wakes_the_next_one(store: Arc<dyn Store>) {
    let installation = installation(store);
    let jobs = &installation.botyard.jobs;
    let (first, job) = begun(&installation);
    let [second, third] = ["b.txt", "c.txt"].map(|name| upload(&installation, name, TEXT));
    let deferred = [(); 2].map(|()| deferred(&installation));
    assert_eq!(deferred.each_ref().map(|job| job.failures), [0, 0]);
    assert_eq!(step(&installation, &job), StepOutcome::Done);
    assert_eq!(outcome(&now(&installation, first.id)), FINISHED);
    nothing_is_due(&installation);

    // A worker that waits for jobs is woken.
    let mut notified = pin!(jobs.notified());
    let mut context = Context::from_waker(Waker::noop());
    assert_eq!(notified.as_mut().poll(&mut context), Poll::Pending);
    wait(jobs.finish(OPERATOR, &job)).unwrap();
    assert_eq!(notified.as_mut().poll(&mut context), Poll::Ready(()));
    // The woken job comes before those that were created later, and one place wakes one job.
    let late = upload(&installation, "late.txt", TEXT);
    let woken = installation.jobs().into_iter().filter(|job| job.run_at == at(0)).count();
    assert_eq!(woken, 2);
    is_next(&installation, &second);
    is_next(&installation, &third);
    is_next(&installation, &late);
    assert_eq!(installation.jobs(), []);
}

pub(crate) fn a_free_slot_is_requested_at_once(store: Arc<dyn Store>) {
    let installation = installation(store);
    let jobs = &installation.botyard.jobs;
    let (_, job) = begun(&installation);
    let second = upload(&installation, "b.txt", TEXT);
    let late = claim(&installation);
    assert_eq!(step(&installation, &late), StepOutcome::NoFreeSlot);
    assert_eq!(step(&installation, &job), StepOutcome::Done);
    wait(jobs.finish(OPERATOR, &job)).unwrap();
    nothing_is_due(&installation);
    wait(jobs.defer(OPERATOR, &late)).unwrap();
    is_next(&installation, &second);
}

pub(crate) fn an_extraction_that_failed_for_now_holds_no_slot(store: Arc<dyn Store>) {
    let installation = installation(store);
    let jobs = &installation.botyard.jobs;
    let failure = DomainError::Extractor("it went away".to_owned());
    let (first, job) = begun(&installation);
    let second = upload(&installation, "b.txt", TEXT);
    deferred(&installation);
    wait(jobs.fail(OPERATOR, &job, &failure)).unwrap();
    assert_eq!(outcome(&now(&installation, first.id)), WAITING);
    is_next(&installation, &second);
    nothing_is_due(&installation);

    // Those that are released are due at once, and come first.
    installation.wait_until(2 * LEASE);
    let again = claim(&installation);
    assert_eq!((again.id, again.failures), (job.id, 1));
    begin_again(&installation, &first, &again);
    let third = upload(&installation, "c.txt", TEXT);
    deferred(&installation);
    wait(jobs.requeue(OPERATOR, &again)).unwrap();
    assert_eq!(outcome(&now(&installation, first.id)), WAITING);
    assert_eq!(
        installation.jobs().iter().filter(|job| job.run_at <= at(0).plus(2 * LEASE)).count(),
        2
    );
    is_next(&installation, &first);
    is_next(&installation, &third);
    assert_eq!(installation.jobs(), []);
}

pub(crate) fn an_extraction_that_is_given_up_wakes_the_next_one(store: Arc<dyn Store>) {
    let installation = installation(store);
    let jobs = &installation.botyard.jobs;
    let (first, job) = begun(&installation);
    let second = upload(&installation, "b.txt", TEXT);
    deferred(&installation);
    // One that can't be done at all.
    wait(jobs.fail(OPERATOR, &job, &DomainError::Refused("no".to_owned()))).unwrap();
    let interrupted = (ExtractionStatus::Failed, Some(ExtractionError::Interrupted));
    assert_eq!(outcome(&now(&installation, first.id)), interrupted);
    is_next(&installation, &second);

    // One whose workers die.
    let (third, _) = begun(&installation);
    let end = 3 * LEASE;
    for attempt in 1..3 {
        installation.wait_until(attempt * LEASE);
        assert_eq!(claim(&installation).failures, attempt);
    }
    let fourth = upload(&installation, "d.txt", TEXT);
    installation.wait_until(end.saturating_sub(Duration::from_millis(1)));
    deferred(&installation);
    installation.wait_until(end);
    is_next(&installation, &fourth);
    assert_eq!(outcome(&now(&installation, third.id)), interrupted);
}

pub(crate) fn a_crawl_that_ends_wakes_the_next_one(store: Arc<dyn Store>) {
    let limits = Limits { crawls_per_project: 1, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let jobs = &installation.botyard.jobs;
    let bot = installation.world.stored_bot("bot");
    installation.site.page("", &["hanging"]);
    installation.site.hang("hanging");
    let first = create(&installation, &bot, "", "").unwrap();
    let job = crawl_runs::claim(&installation);
    step_until_stored(&installation, &job, &bot, first.id, 1);
    let [second, third] = ["a", "b"].map(|path| create(&installation, &bot, path, "").unwrap());
    let [waiting, late] = [(); 2].map(|()| crawl_runs::claim(&installation));
    for job in [&waiting, &late] {
        assert_eq!(crawl_runs::step(&installation, job), StepOutcome::NoFreeSlot);
    }
    wait(jobs.defer(OPERATOR, &waiting)).unwrap();
    // A crawl that has begun has its place until it ends.
    wait(jobs.requeue(OPERATOR, &job)).unwrap();
    let job = crawl_runs::claim(&installation);
    assert_eq!(job.subject, first.id.to_string());
    assert_eq!(wait(jobs.claim(OPERATOR, Queue::Crawls)), Ok(None));
    installation.site.resume();
    assert_eq!(crawl_runs::step(&installation, &job), StepOutcome::Done);
    wait(jobs.finish(OPERATOR, &job)).unwrap();
    wait(jobs.defer(OPERATOR, &late)).unwrap();
    for crawl in [second, third] {
        let job = crawl_runs::claim(&installation);
        assert_eq!((job.subject.as_str(), job.failures), (&*crawl.id.to_string(), 0));
        let missing = StepOutcome::Unsuccessful("http_error");
        assert_eq!(crawl_runs::step(&installation, &job), missing);
        wait(jobs.finish(OPERATOR, &job)).unwrap();
    }
}

pub(crate) fn a_crawl_in_back_off_holds_no_slot(store: Arc<dyn Store>) {
    let limits = Limits { crawls_per_project: 1, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let (jobs, site) = (&installation.botyard.jobs, &installation.site);
    let bot = installation.world.stored_bot("bot");
    for (path, links) in
        [("", &["hanging"][..]), ("long", &["hanging"]), ("short", &[]), ("hanging", &[])]
    {
        site.page(path, links);
    }
    site.hang("hanging");
    let claim_of = |crawl: &WebsiteCrawl| {
        let job = crawl_runs::claim(&installation);
        assert_eq!(job.subject, crawl.id.to_string());
        job
    };
    let deferred = |job: &Job| {
        assert_eq!(crawl_runs::step(&installation, job), StepOutcome::NoFreeSlot);
        wait(jobs.defer(OPERATOR, job)).unwrap();
        assert_eq!(wait(jobs.claim(OPERATOR, Queue::Crawls)), Ok(None));
    };
    let ends = |job: &Job| {
        assert_eq!(crawl_runs::step(&installation, job), StepOutcome::Done);
        wait(jobs.finish(OPERATOR, job)).unwrap();
    };
    let progress = |crawl: &WebsiteCrawl| crawl_runs::now(&installation, &bot, crawl.id).progress;

    let first = create(&installation, &bot, "", "").unwrap();
    let job = claim_of(&first);
    step_until_stored(&installation, &job, &bot, first.id, 1);
    let short = create(&installation, &bot, "short", "").unwrap();
    deferred(&claim_of(&short));
    let began = progress(&first);
    installation.wait_until(Duration::from_secs(1));
    wait(jobs.fail(OPERATOR, &job, &outage())).unwrap();
    assert_eq!(progress(&first), CrawlProgress { status: CrawlStatus::Queued, ..began });
    // A crawl that waits gets the place at once, and then the next one that is created.
    ends(&claim_of(&short));
    let long = create(&installation, &bot, "long", "").unwrap();
    let going = claim_of(&long);
    step_until_stored(&installation, &going, &bot, long.id, 1);

    // Its next attempt waits like any other, and goes on with what the one before has.
    installation.wait_until(Duration::from_secs(1) + 2 * LEASE);
    assert_eq!(wait(jobs.heartbeat(OPERATOR, &going)), Ok(true));
    let again = claim_of(&first);
    assert_eq!((again.attempt, again.failures), (2, 1));
    deferred(&again);
    assert_eq!(progress(&first).status, CrawlStatus::Queued);
    site.resume();
    ends(&going);
    site.requested();
    ends(&claim_of(&first));
    assert_eq!(site.requested(), ["hanging"]);
    let ended = progress(&first);
    assert_eq!((ended.status, ended.pages_scraped), (CrawlStatus::Finished, 2));
    assert_eq!(ended.started_at, began.started_at);
    assert_eq!(installation.jobs(), []);
}
