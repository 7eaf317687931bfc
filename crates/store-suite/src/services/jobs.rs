//! Jobs: what services make of it.

use std::iter;
use std::slice;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crate::acting_store::ActingStore;
use crate::contract::jobs::{MINUTE, enqueue};
use crate::services::document_service::upload;
use crate::services::installation::Installation;
use crate::world::{OPERATOR, at, together, wait};
use domain::background;
use domain::blob::REMOVE_BLOB;
use domain::blob::SWEEP_BLOBS;
use domain::bot::{DeleteMode, TEARDOWN_BOT};
use domain::clock::Timestamp;
use domain::document::EXTRACT;
use domain::error::{DomainError, Resource, StorageError};
use domain::id::ProjectId;
use domain::job::{Job, JobState, Queue, StepOutcome};
use domain::max_age::CLEAN_UP;
use domain::store::Store;
use domain::{Botyard, Limits};

/// A store lets them keep fewer of its threads busy, which only works if the mode of the unit says so.
pub(crate) fn jobs_for_which_no_client_waits_run_in_the_background(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let bot = installation.world.stored_bot("bot");
    wait(installation.botyard.bots.delete(&installation.world.claim(&bot), DeleteMode::Delete))
        .unwrap();
    upload(&installation, "a.txt", "text");
    let jobs = &installation.botyard.jobs;
    for (queue, expected) in [(Queue::Maintenance, true), (Queue::Extractions, false)] {
        let job = wait(jobs.claim(OPERATOR, queue)).unwrap().unwrap();
        let seen = Arc::new(OnceLock::new());
        let saw = seen.clone();
        let watched = installation.behind(ActingStore::by(store.clone(), move |_| {
            saw.set(background::is_current()).unwrap();
            Ok(())
        }));
        wait(watched.jobs.step(OPERATOR, &job)).unwrap();
        assert_eq!(seen.get(), Some(&expected), "{queue:?}");
        assert!(!background::is_current());
    }
}

pub(crate) fn a_failed_attempt_is_retried_later_and_later(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (jobs, enqueued) = (&installation.botyard.jobs, enqueue(world, 0));
    let mut now = Duration::ZERO;
    for (number, minutes) in [2, 4, 8, 16, 32, 60, 60].into_iter().enumerate() {
        let job = wait(jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap();
        assert_eq!(job.leased_until, Some(at(0).plus(now + MINUTE)));
        let error = DomainError::Storage(StorageError::Full("no room".to_owned()));
        wait(jobs.fail(OPERATOR, &job, &error)).unwrap();
        now += MINUTE * minutes;
        let failures = u32::try_from(number).unwrap() + 1;
        let expected = Job {
            attempt: failures,
            failures,
            run_at: at(0).plus(now),
            last_error: Some(error.to_string()),
            ..enqueued.clone()
        };
        assert_eq!(installation.jobs(), [expected]);
        installation.wait_until(now - Duration::from_millis(1));
        assert_eq!(wait(jobs.claim(OPERATOR, Queue::Maintenance)), Ok(None));
        installation.wait_until(now);
    }
}

/// A clock that was a day ahead for a while does not delay for a day what is done every half minute.
pub(crate) fn a_clock_that_was_ahead_delays_no_repeating_job(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let jobs = &installation.botyard.jobs;
    let day = MINUTE * 60 * 24;
    installation.wait_until(day);
    wait(jobs.plan_repeating(OPERATOR)).unwrap();
    assert!(installation.work().contains(&CLEAN_UP));
    installation.wait_until(Duration::ZERO);
    assert_eq!(installation.work(), []);
    wait(jobs.bring_forward_repeating(OPERATOR)).unwrap();
    assert!(installation.work().contains(&CLEAN_UP));
    // What is due in time stays as it is.
    wait(jobs.bring_forward_repeating(OPERATOR)).unwrap();
    assert_eq!(installation.work(), []);
}

/// Notes extractions of these owners, each due a millisecond after the one before it; then all are due.
fn enqueue_extractions(installation: &Installation, owners: &[Option<ProjectId>]) {
    let world = &installation.world;
    for (due, owner) in (0..).zip(owners) {
        let job = Job::new(world.id(), EXTRACT, "", at(0)).due(at(due));
        let job = Job { project_id: *owner, ..job };
        world.write(move |tx| Ok(tx.insert_job(&job)?));
    }
    installation.wait_until(MINUTE);
}

/// Claims the next extraction; returns whose it is, and when it was due.
fn claim_extraction(botyard: &Botyard) -> Option<(Option<ProjectId>, Timestamp)> {
    let claimed = wait(botyard.jobs.claim(OPERATOR, Queue::Extractions)).unwrap();
    claimed.map(|job| (job.project_id, job.run_at))
}

/// Jobs of a queue are claimed in turns by project, no matter which project queued more. Those of no project
/// have a turn, too.
pub(crate) fn projects_take_turns_at_the_jobs_of_a_queue(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (many, few) = (Some(world.project.id), Some(world.other_project().id));
    let third = Some(world.other_project().id);
    enqueue_extractions(&installation, &[many, many, many, many, few, few, third, None, None]);
    let claim = || claim_extraction(&installation.botyard);
    let claimed: Vec<_> = iter::from_fn(claim).collect();
    let rounds = [
        &[(many, 0), (few, 4), (third, 6), (None, 7)][..],
        &[(many, 1), (few, 5), (None, 8)],
        &[(many, 2)],
        &[(many, 3)],
    ];
    let expected = rounds.concat().into_iter().map(|(owner, due)| (owner, at(due)));
    assert_eq!(claimed, expected.collect::<Vec<_>>());
}

/// Two workers that claim at once may both serve the project whose turn it is. After it comes the next one, and
/// not the first again.
pub(crate) fn concurrent_claims_do_not_skip_a_project(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let (many, few) = (Some(world.project.id), Some(world.other_project().id));
    let third = Some(world.other_project().id);
    enqueue_extractions(&installation, &[many, many, many, few, few, third]);
    let botyard = Arc::new(OnceLock::new());
    let (inner, claimed) = (botyard.clone(), Arc::<Mutex<Vec<_>>>::default());
    let of_other = claimed.clone();
    let beside = ActingStore::before(1, store, move |_| {
        of_other.lock().unwrap().push(claim_extraction(inner.get().unwrap()));
        Ok(())
    });
    let behind = botyard.get_or_init(|| installation.behind(beside));
    for _ in 0..4 {
        let next = claim_extraction(behind);
        claimed.lock().unwrap().push(next);
    }
    let expected = [(many, 0), (few, 3), (few, 4), (third, 5), (many, 1)];
    let expected = expected.map(|(owner, due)| Some((owner, at(due))));
    assert_eq!(*claimed.lock().unwrap(), expected);
}

/// A claim looks at a hundred projects whose jobs are not due. The next one goes on after these.
pub(crate) fn projects_without_a_due_job_are_passed_over(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let many = Some(world.project.id);
    for _ in 0..150 {
        let idle = Job::new(world.id(), EXTRACT, "", at(0)).due(at(1_000_000));
        let idle = idle.of_project(world.other_project().id);
        world.write(move |tx| Ok(tx.insert_job(&idle)?));
    }
    let last = Some(world.other_project().id);
    enqueue_extractions(&installation, &[many, many, many, many, last, last]);
    let claim = || claim_extraction(&installation.botyard);
    let claimed: Vec<_> = iter::from_fn(claim).collect();
    let expected = [(many, 0), (many, 1), (last, 4), (many, 2), (many, 3), (last, 5)];
    assert_eq!(claimed, expected.map(|(owner, due)| (owner, at(due))));
}

pub(crate) fn a_definite_failure_ends_a_job_until_it_is_retried(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let jobs = &installation.botyard.jobs;
    for kind in [TEARDOWN_BOT, REMOVE_BLOB] {
        let enqueued = Job::new(world.id(), kind, "no id", at(0));
        let stored = enqueued.clone();
        world.write(move |tx| Ok(tx.insert_job(&stored)?));
        let job = wait(jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap();
        let error = wait(jobs.step(OPERATOR, &job)).unwrap_err();
        assert!(matches!(error, DomainError::Refused(_)), "{error}");
        assert_eq!(
            wait(jobs.retry(OPERATOR, job.id)),
            Err(DomainError::Refused("the job is running".to_owned()))
        );
        wait(jobs.fail(OPERATOR, &job, &error)).unwrap();
        let expected = Job {
            state: JobState::Failed,
            attempt: 1,
            failures: 1,
            last_error: Some(error.to_string()),
            ..enqueued
        };
        assert_eq!(installation.jobs(), slice::from_ref(&expected));
        installation.wait_until(Duration::from_secs(24 * 60 * 60));
        assert_eq!(wait(jobs.claim(OPERATOR, Queue::Maintenance)), Ok(None));

        let again = wait(jobs.retry(OPERATOR, job.id)).unwrap();
        assert_eq!((again.state, again.failures), (JobState::Queued, 0));
        let claimed = wait(jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap();
        assert_eq!((claimed.id, claimed.attempt), (job.id, 2));
        wait(jobs.finish(OPERATOR, &claimed)).unwrap();
        assert_eq!(installation.jobs(), []);
        let missing = DomainError::NotFound(Resource::Job);
        assert_eq!(wait(jobs.retry(OPERATOR, job.id)), Err(missing));
        installation.wait_until(Duration::ZERO);
    }
}

pub(crate) fn a_requeued_job_is_due_at_once(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let jobs = &installation.botyard.jobs;
    let enqueued = enqueue(&installation.world, 0);
    let job = wait(jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap();
    wait(jobs.requeue(OPERATOR, &job)).unwrap();
    assert_eq!(installation.jobs(), [Job { attempt: 1, ..enqueued }]);
    let again = wait(jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap();
    assert_eq!((again.id, again.attempt, again.failures), (job.id, 2, 0));
    // A heartbeat makes the lease longer, so no other worker takes the job over.
    installation.wait_until(MINUTE - Duration::from_millis(1));
    assert_eq!(wait(jobs.heartbeat(OPERATOR, &again)), Ok(true));
    installation.wait_until(MINUTE);
    assert_eq!(wait(jobs.claim(OPERATOR, Queue::Maintenance)), Ok(None));
    installation.wait_until(MINUTE * 2);
    let taken = wait(jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap();
    assert_eq!((taken.id, taken.attempt, taken.failures), (job.id, 3, 1));
    assert_eq!(wait(jobs.heartbeat(OPERATOR, &again)), Ok(false));
    assert_eq!(wait(jobs.step(OPERATOR, &taken)), Ok(StepOutcome::Done));
    wait(jobs.finish(OPERATOR, &taken)).unwrap();
    assert_eq!(installation.jobs(), []);
}

pub(crate) fn a_repeating_job_is_queued_once_and_again_when_due(store: Arc<dyn Store>) {
    let day = Duration::from_secs(24 * 60 * 60);
    let clean_up_interval = Duration::from_secs(60 * 60);
    let limits = Limits { clean_up_interval, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let jobs = &installation.botyard.jobs;
    let plan = || wait(jobs.plan_repeating(OPERATOR)).unwrap();
    together(4, |_| plan());
    let planned: Vec<_> =
        installation.jobs().iter().map(|job| (job.kind.clone(), job.run_at)).collect();
    assert_eq!(planned, [(SWEEP_BLOBS, at(0)), (CLEAN_UP, at(0))]);
    for (round, due) in [(1, Duration::ZERO), (2, day), (3, 2 * day)] {
        installation.wait_until(due);
        let mut done = installation.work();
        done.sort_by(|one, other| one.as_str().cmp(other.as_str()));
        assert_eq!(done, [CLEAN_UP, SWEEP_BLOBS]);
        let [sweep, clean_up] = &installation.jobs()[..] else {
            panic!("{:?}", installation.jobs())
        };
        for (job, pause) in [(sweep, day), (clean_up, clean_up_interval)] {
            let next: Timestamp = at(0).plus(due + pause);
            assert_eq!((job.state, job.attempt, job.run_at), (JobState::Queued, round, next));
        }
        assert_eq!(installation.work(), []);
    }
    // A process that starts does not wait for them, nor disturb another that does them.
    plan();
    let mut running =
        [(); 2].map(|()| wait(jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap());
    running.sort_by_key(|job| job.id);
    assert_eq!(running.each_ref().map(|job| job.attempt), [4, 4]);
    plan();
    assert_eq!(installation.jobs(), running);
}

pub(crate) fn what_no_worker_takes_is_overdue(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let jobs = &installation.botyard.jobs;
    let overdue = || {
        let backlogs = wait(jobs.backlogs(OPERATOR)).unwrap();
        assert_eq!(backlogs.len(), jobs.kinds().count());
        let backlog = backlogs.iter().find(|backlog| backlog.kind == REMOVE_BLOB).unwrap();
        (backlog.queued, jobs.overdue(backlog))
    };
    assert_eq!(overdue(), (0, Duration::ZERO));
    enqueue(&installation.world, 5_000);
    // Not yet.
    assert_eq!(overdue(), (1, Duration::ZERO));
    installation.wait_until(Duration::from_secs(7));
    assert_eq!(overdue(), (1, Duration::from_secs(2)));
    assert_eq!(installation.work(), [REMOVE_BLOB]);
    assert_eq!(overdue(), (0, Duration::ZERO));
}

pub(crate) fn a_missing_job_is_queued_once(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (jobs, project) = (&installation.botyard.jobs, installation.world.project.id);
    let subject = installation.world.id().to_string();
    let queue = |kind, subject: &str| {
        let subject = subject.to_owned();
        wait(jobs.queue_missing(OPERATOR, (kind, subject), Some(project)))
    };
    for _ in 0..2 {
        queue(REMOVE_BLOB, &subject).unwrap();
    }
    let [queued] = &installation.jobs()[..] else { panic!("{:?}", installation.jobs()) };
    assert_eq!((&queued.kind, &queued.subject), (&REMOVE_BLOB, &subject));
    assert_eq!((queued.project_id, queued.state), (Some(project), JobState::Queued));
    // Another kind, or another subject, is another job.
    queue(TEARDOWN_BOT, &subject).unwrap();
    queue(REMOVE_BLOB, &installation.world.id().to_string()).unwrap();
    assert_eq!(installation.jobs().len(), 3);
    assert!(matches!(queue(REMOVE_BLOB, "no blob"), Err(DomainError::Refused(_))));
}

pub(crate) fn a_job_is_forgotten_unless_it_runs(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let jobs = &installation.botyard.jobs;
    let [running, waiting] = [enqueue(&installation.world, 0), enqueue(&installation.world, 1)];
    let claimed = wait(jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap();
    assert_eq!(claimed.id, running.id);
    for job in [&running, &waiting] {
        wait(jobs.discard(OPERATOR, job.id)).unwrap();
    }
    assert_eq!(installation.jobs(), [claimed]);
    installation.wait_until(MINUTE * 2);
    wait(jobs.discard(OPERATOR, running.id)).unwrap();
    assert_eq!(installation.jobs(), []);
    let gone = wait(jobs.discard(OPERATOR, running.id));
    assert_eq!(gone, Err(DomainError::NotFound(Resource::Job)));
}
