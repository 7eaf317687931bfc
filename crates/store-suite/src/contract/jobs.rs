//! Jobs.

use std::collections::HashSet;
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use crate::world::{OPERATOR, World, at, together};
use domain::blob::REMOVE_BLOB;
use domain::blob::SWEEP_BLOBS;
use domain::bot::TEARDOWN_BOT;
use domain::id::{BlobId, JobId};
use domain::job::{Job, JobBacklog, JobKind, JobOwner, JobState};
use domain::store::Store;

pub(crate) const MINUTE: Duration = Duration::from_secs(60);

/// A job that is due after so many milliseconds, stored.
pub(crate) fn enqueue(world: &World, due: i64) -> Job {
    let subject = BlobId::from_uuid(world.id());
    let job = Job::new(world.id(), REMOVE_BLOB, subject, at(0)).due(at(due));
    let stored = job.clone();
    world.write(move |tx| Ok(tx.insert_job(&stored)?));
    job
}

pub(crate) fn claim(world: &World, now: i64, leased_until: i64) -> Option<Job> {
    world.write(move |tx| {
        Ok(tx.claim_job(OPERATOR, (&REMOVE_BLOB, None), at(now), at(leased_until))?)
    })
}

/// The kinds of the jobs in here.
const KINDS: [JobKind; 3] = [REMOVE_BLOB, SWEEP_BLOBS, TEARDOWN_BOT];

fn all(world: &World) -> Vec<Job> {
    world.read(|tx| Ok(tx.jobs(OPERATOR, &KINDS, None, 1_000)?))
}

pub(crate) fn a_job_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bare = Job::new(world.id(), SWEEP_BLOBS, "", at(1));
    let full = Job {
        state: JobState::Running,
        attempt: u32::MAX,
        failures: u32::MAX,
        leased_until: Some(at(7)),
        last_error: Some("Zoë 🤖\r\n\"'".to_owned()),
        position: Some("up to Zoë 🤖".to_owned()),
        ..Job::new(world.id(), TEARDOWN_BOT, "any text: ü", at(1))
    };
    let full = full.due(at(3)).of_project(world.project.id);
    for job in [&bare, &full] {
        let (stored, id) = (job.clone(), job.id);
        world.write(move |tx| Ok(tx.insert_job(&stored)?));
        assert_eq!(world.write(move |tx| Ok(tx.job(OPERATOR, id)?)).as_ref(), Some(job));
    }
    assert_eq!(all(&world), [bare.clone(), full.clone()]);
    let page = |after: Option<JobId>, limit| {
        world.read(move |tx| Ok(tx.jobs(OPERATOR, &KINDS, after, limit)?))
    };
    let of_a_kind = world.read(|tx| Ok(tx.jobs(OPERATOR, &[TEARDOWN_BOT], None, 9)?));
    assert_eq!(of_a_kind, slice::from_ref(&full));
    assert_eq!(page(None, 1), slice::from_ref(&bare));
    assert_eq!(page(Some(bare.id), 9), slice::from_ref(&full));
    assert_eq!(page(Some(full.id), 9), []);

    // Once is once, whatever the second one says.
    let mut again = Job { subject: "another".to_owned(), ..bare.clone() };
    let stored = again.clone();
    world.write(move |tx| Ok(tx.insert_job_once(OPERATOR, &stored)?));
    assert_eq!(all(&world), [bare.clone(), full.clone()]);
    again.id = JobId::from_uuid(world.id());
    let stored = again.clone();
    world.write(move |tx| Ok(tx.insert_job_once(OPERATOR, &stored)?));
    assert_eq!(all(&world), [bare, full, again]);
}

pub(crate) fn what_has_been_due_for_longest_is_claimed_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let jobs = [30, 10, 20, 10].map(|due| enqueue(&world, due));
    assert_eq!(claim(&world, 9, 100), None);
    for (number, index) in [1, 3, 2, 0].into_iter().enumerate() {
        let expected = Job {
            state: JobState::Running,
            attempt: 1,
            leased_until: Some(at(100 + i64::try_from(number).unwrap())),
            ..jobs[index].clone()
        };
        let claimed = claim(&world, 30, 100 + i64::try_from(number).unwrap());
        assert_eq!(claimed, Some(expected));
    }
    assert_eq!(claim(&world, 99, 200), None);
    // A lease that ran out is taken over; that its worker went away counts as a failure.
    let taken = claim(&world, 100, 200).unwrap();
    assert_eq!((taken.id, taken.attempt, taken.failures), (jobs[1].id, 2, 1));
    assert_eq!(taken.last_error.as_deref(), Some("its worker went away"));
    assert_eq!(taken.leased_until, Some(at(200)));
    assert_eq!(claim(&world, 100, 200), None);
    // A job that failed permanently is not claimed.
    let failed = Job { state: JobState::Failed, leased_until: None, ..taken };
    let stored = failed.clone();
    world.write(move |tx| Ok(tx.update_job(OPERATOR, &stored)?));
    let rest: Vec<_> = std::iter::from_fn(|| claim(&world, 1_000, 2_000)).collect();
    assert_eq!(rest.len(), 3);
    assert!(all(&world).contains(&failed));
}

pub(crate) fn a_lease_can_be_ended(store: Arc<dyn Store>) {
    let world = World::new(store);
    let [running, waiting] = [0, 50].map(|due| enqueue(&world, due));
    let running = Some(claim(&world, 0, 1_000).unwrap()).filter(|job| job.id == running.id);
    world.write(|tx| Ok(tx.expire_leases(OPERATOR, at(10))?));
    assert_eq!(claim(&world, 9, 1_000), None);
    let taken = claim(&world, 10, 1_000).unwrap();
    assert_eq!(Some(taken.id), running.as_ref().map(|job| job.id));
    assert_eq!((taken.attempt, taken.failures), (2, 1));
    let lost = running.unwrap();
    assert!(!world.write(move |tx| Ok(tx.lock_own_job(OPERATOR, &lost)?)));
    // Those that wait are not touched.
    assert_eq!(claim(&world, 49, 1_000), None);
    assert_eq!(claim(&world, 50, 1_000).map(|job| job.id), Some(waiting.id));
}

pub(crate) fn jobs_of_some_kinds_are_claimed(store: Arc<dyn Store>) {
    let world = World::new(store);
    let [one, other, unknown] = ["one", "other", "unknown"].map(JobKind::new);
    let all = [&one, &other, &unknown, &one];
    let enqueued = all.map(|kind| Job::new(world.id(), kind.clone(), "", at(0)));
    let stored = enqueued.clone();
    world.write(move |tx| Ok(stored.iter().try_for_each(|job| tx.insert_job(job))?));
    let claimed = |kind: JobKind| -> Vec<_> {
        let claim = || {
            let kind = kind.clone();
            world.write(move |tx| Ok(tx.claim_job(OPERATOR, (&kind, None), at(0), at(10))?))
        };
        std::iter::from_fn(claim).map(|job| job.id).collect()
    };
    assert_eq!(claimed(JobKind::new("none")), []);
    assert_eq!(claimed(other), [enqueued[1].id]);
    assert_eq!(claimed(one), [enqueued[0].id, enqueued[3].id]);
}

pub(crate) fn owners_of_due_jobs_are_found_in_their_order(store: Arc<dyn Store>) {
    let world = World::new(store);
    let [one, other, unknown] = ["one", "other", "unknown"].map(JobKind::new);
    let projects = [world.project.id, world.other_project().id, world.other_project().id];
    let [first, second, third] = projects.map(JobOwner::Project);
    let enqueue = |kind: &JobKind, owner, due| {
        let job = Job::new(world.id(), kind.clone(), "", at(0)).due(at(due));
        let job = match owner {
            JobOwner::Project(project) => job.of_project(project),
            JobOwner::Service => job,
        };
        let stored = job.clone();
        world.write(move |tx| Ok(tx.insert_job(&stored)?));
        job
    };
    enqueue(&unknown, first, 0);
    let lost = Job { state: JobState::Failed, ..enqueue(&one, first, 0) };
    world.write(move |tx| Ok(tx.update_job(OPERATOR, &lost)?));
    enqueue(&one, first, 30);
    enqueue(&other, first, 20);
    enqueue(&one, second, 50);
    enqueue(&one, third, 40);
    let of_third = enqueue(&one, third, 25);
    enqueue(&other, JobOwner::Service, 10);
    let both = [one.clone(), other.clone()];
    let kinds_due = |kinds: &[JobKind], owner, now| {
        let kinds = kinds.to_vec();
        world.write(move |tx| Ok(tx.due_kinds(OPERATOR, (&kinds, owner), at(now))?))
    };
    assert_eq!(kinds_due(&[], None, 99), []);
    assert_eq!(kinds_due(&both, None, 9), []);
    assert_eq!(kinds_due(&both, None, 10), slice::from_ref(&other));
    assert_eq!(kinds_due(&both, None, 25), [other.clone(), one.clone()]);
    assert_eq!(kinds_due(&both, Some(first), 30), [other.clone(), one.clone()]);
    assert_eq!(kinds_due(&both, Some(third), 30), slice::from_ref(&one));
    assert_eq!(kinds_due(&both, Some(second), 49), []);
    assert_eq!(kinds_due(&both, Some(JobOwner::Service), 49), slice::from_ref(&other));

    let next = |kinds: &[JobKind], after, now, limit| {
        let kinds = kinds.to_vec();
        world.write(move |tx| Ok(tx.next_job_owner(OPERATOR, (&kinds, at(now)), after, limit)?))
    };
    assert_eq!(next(&[], None, 99, 9), None);
    assert_eq!(next(&[JobKind::new("none")], None, 99, 9), None);
    assert_eq!(next(&both, None, 30, 9), Some(first));
    assert_eq!(next(&both, Some(first), 50, 9), Some(second));
    assert_eq!(next(&both, Some(first), 49, 9), Some(third));
    assert_eq!(next(&both, Some(third), 49, 9), Some(JobOwner::Service));
    assert_eq!(next(&both, Some(JobOwner::Service), 99, 9), None);
    assert_eq!(next(std::slice::from_ref(&one), Some(third), 99, 9), None);
    assert_eq!(next(&both, Some(first), 9, 9), None);
    // Of owners whose jobs are not due, so many are looked at.
    assert_eq!(next(&both, None, 19, 1), Some(first));
    assert_eq!(next(&both, None, 19, 3), Some(third));
    assert_eq!(next(&both, None, 19, 4), Some(JobOwner::Service));

    let claimed = |owner| {
        let one = one.clone();
        world.write(move |tx| Ok(tx.claim_job(OPERATOR, (&one, owner), at(40), at(99))?))
    };
    assert_eq!(claimed(Some(second)), None);
    assert_eq!(claimed(Some(JobOwner::Service)), None);
    assert_eq!(claimed(Some(third)).map(|job| job.id), Some(of_third.id));
    assert_eq!(next(&both, Some(second), 40, 9), Some(third));
    assert_eq!(next(&both, Some(second), 39, 9), Some(JobOwner::Service));
}

pub(crate) fn no_job_is_claimed_twice(store: Arc<dyn Store>) {
    let world = World::new(store);
    let enqueued: HashSet<_> = (0..60).map(|number| enqueue(&world, number % 7).id).collect();
    let claimed = together(8, |_| {
        std::iter::from_fn(|| claim(&world, 10, 1_000)).map(|job| job.id).collect::<Vec<_>>()
    });
    let claimed = claimed.concat();
    assert_eq!(claimed.len(), enqueued.len());
    assert_eq!(claimed.into_iter().collect::<HashSet<_>>(), enqueued);
}

pub(crate) fn a_lost_attempt_changes_nothing(store: Arc<dyn Store>) {
    let world = World::new(store);
    enqueue(&world, 0);
    let lost = claim(&world, 0, 10).unwrap();
    let holds = |job: &Job| {
        let job = job.clone();
        world.write(move |tx| Ok(tx.lock_own_job(OPERATOR, &job)?))
    };
    let extend = |job: &Job, until: i64| {
        let job = job.clone();
        world.write(move |tx| Ok(tx.extend_lease(OPERATOR, &job, at(until))?))
    };
    let update = |job: Job| world.write(move |tx| Ok(tx.update_job(OPERATOR, &job)?));
    let delete = |job: &Job| {
        let job = job.clone();
        world.write(move |tx| Ok(tx.delete_job(OPERATOR, &job)?));
    };
    assert!(holds(&lost) && extend(&lost, 20));
    assert_eq!(claim(&world, 19, 100), None);
    // A lease that ran out is still its worker's until another one takes the job over.
    assert!(holds(&lost) && extend(&lost, 21));
    let held = claim(&world, 21, 100).unwrap();
    assert!(holds(&held) && !holds(&lost) && !extend(&lost, 1_000));
    update(Job { state: JobState::Failed, leased_until: None, ..lost.clone() });
    delete(&lost);
    assert_eq!(all(&world), slice::from_ref(&held));

    // Nothing that does not run is held.
    let queued = Job { state: JobState::Queued, leased_until: None, ..held.clone() };
    update(queued.clone());
    assert!(!holds(&held) && !extend(&held, 1_000));
    assert_eq!(all(&world), [queued]);
    delete(&held);
    assert!(!holds(&held));
    assert_eq!(all(&world), []);
}

/// A worker that looks whether it has the job and one that takes it over come one after the other:
/// what the first did under it is there when the second begins.
pub(crate) fn a_held_job_is_not_taken_over(store: Arc<dyn Store>) {
    let world = World::new(store);
    for _ in 0..5 {
        let enqueued = enqueue(&world, 0);
        let job = claim(&world, 0, 10).unwrap();
        let answers = together(2, |number| {
            let job = job.clone();
            if number == 0 {
                return world.write(move |tx| {
                    let holds = tx.lock_own_job(OPERATOR, &job)?;
                    if holds {
                        tx.update_job(OPERATOR, &Job { failures: 7, ..job.clone() })?;
                    }
                    Ok(holds)
                });
            }
            claim(&world, 10, 20).is_some()
        });
        // The worker that found the job held may have returned without it.
        let taken = claim(&world, 10, 20);
        assert_eq!(answers[1], taken.is_none());
        let [left] = &all(&world)[..] else { panic!("{:?}", all(&world)) };
        assert_eq!((left.id, left.attempt), (enqueued.id, 2));
        assert_eq!(left.failures, if answers[0] { 8 } else { 1 });
        let left = left.clone();
        world.write(move |tx| Ok(tx.delete_job(OPERATOR, &left)?));
    }
}

pub(crate) fn jobs_are_counted_by_what_they_wait_for(store: Arc<dyn Store>) {
    let world = World::new(store);
    let backlogs = |kinds: &'static [JobKind], most: u32| {
        world.read(move |tx| Ok(tx.job_backlogs(OPERATOR, kinds, most)?))
    };
    let backlog = |kind, queued, failed, first_due: Option<i64>| JobBacklog {
        kind,
        queued,
        failed,
        first_due: first_due.map(at),
    };
    const KINDS: &[JobKind] = &[TEARDOWN_BOT, REMOVE_BLOB];
    let none = backlog(TEARDOWN_BOT, 0, 0, None);
    assert_eq!(backlogs(KINDS, 9), [none.clone(), backlog(REMOVE_BLOB, 0, 0, None)]);
    assert_eq!(backlogs(&[], 9), []);
    for due in [9, 3, 5, 7] {
        enqueue(&world, due);
    }
    let running = claim(&world, 3, 4).unwrap();
    assert_eq!(backlogs(KINDS, 9), [none.clone(), backlog(REMOVE_BLOB, 3, 0, Some(4))]);
    let failed = Job { state: JobState::Failed, leased_until: None, ..running };
    world.write(move |tx| Ok(tx.update_job(OPERATOR, &failed)?));
    assert_eq!(backlogs(KINDS, 9), [none, backlog(REMOVE_BLOB, 3, 1, Some(5))]);
    // No more are counted than was said.
    assert_eq!(backlogs(&KINDS[1..], 2), [backlog(REMOVE_BLOB, 2, 1, Some(5))]);
}
