//! Removing blobs to which nothing refers, and bytes that have no row in the database.

use std::sync::Arc;
use std::time::Duration;

use crate::samples::blobs::{blob, store_blob};
use crate::services::installation::Installation;
use crate::world::{OPERATOR, World, at, wait};
use domain::blob::SWEEP_BLOBS;
use domain::blob::{Blob, BlobState, REMOVE_BLOB};
use domain::clock::Timestamp;
use domain::id::{BlobId, ProjectId};
use domain::job::{Job, JobKind, JobState, StepOutcome};
use domain::store::Store;

const HOUR: Duration = Duration::from_secs(60 * 60);

/// Notes a job that is due.
fn enqueue(world: &World, kind: JobKind, subject: impl ToString) {
    let job = Job::new(world.id(), kind, subject, at(0));
    world.write(move |tx| Ok(tx.insert_job(&job)?));
}

pub(crate) fn a_blob_goes_only_when_nothing_refers_to_it(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    let views = [(); 2].map(|()| installation.create_view(&claim));
    let uploaded = views.each_ref().map(|view| installation.upload(&claim, view, "same").unwrap());
    let blob = uploaded[0].blob_id;
    let gone = |number: u32, left: &[BlobId]| {
        let id = views[usize::try_from(number).unwrap()].id;
        wait(installation.botyard.fusion.delete(&claim, id)).unwrap();
        installation.wait_until(HOUR * (number + 1));
        assert_eq!(installation.work(), [REMOVE_BLOB]);
        assert_eq!(installation.stored(), left);
    };
    gone(0, &[blob]);
    assert_eq!(installation.counted_bytes(&bot), 8);
    gone(1, &[]);
    assert_eq!((installation.counted_bytes(&bot), installation.jobs()), (0, Vec::new()));
    // Again, and of what never was: no harm.
    enqueue(world, REMOVE_BLOB, blob);
    enqueue(world, REMOVE_BLOB, BlobId::from_uuid(world.id()));
    assert_eq!(installation.work(), [REMOVE_BLOB; 2]);
    assert_eq!(installation.jobs(), []);
}

pub(crate) fn a_removal_that_was_cut_short_is_taken_up(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let stored = blob(world, &bot, 1);
    store_blob(world, &stored, &bot);
    installation.blobs.insert(stored.key(), at(0), b"bytes".to_vec());
    enqueue(world, REMOVE_BLOB, stored.id);
    installation.blobs.fail(true);
    assert_eq!(installation.work(), [REMOVE_BLOB]);
    // No new reference to it is possible any more, and it still counts, until its bytes are gone.
    let id = stored.id;
    let deleting = world.write(move |tx| Ok(tx.blob(OPERATOR, id)?));
    assert_eq!(deleting, Some(Blob { state: BlobState::Deleting, ..stored }));
    assert_eq!(installation.counted_bytes(&bot), 1_001);
    let [job] = &installation.jobs()[..] else { panic!("{:?}", installation.jobs()) };
    assert_eq!((job.state, job.failures), (JobState::Queued, 1));
    installation.blobs.fail(false);
    assert_eq!(installation.work(), []);
    installation.wait_until(Duration::from_secs(4 * 60));
    assert_eq!(installation.work(), [REMOVE_BLOB]);
    assert_eq!((installation.stored(), installation.jobs()), (Vec::new(), Vec::new()));
    assert_eq!(installation.counted_bytes(&bot), 0);
}

pub(crate) fn old_bytes_without_a_row_are_swept(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let day = Duration::from_secs(24 * 60 * 60);
    installation.wait_until(day);
    let now = at(0).plus(day);
    let put = |is_known: bool, stored_at: Timestamp, hash: u8| {
        let blob = blob(world, &bot, hash);
        installation.blobs.insert(blob.key(), stored_at, b"bytes".to_vec());
        if is_known {
            store_blob(world, &blob, &bot);
        }
        blob.id
    };
    let known = put(true, at(0), 1);
    let deleting = put(true, at(0), 2);
    world.write(move |tx| Ok(tx.mark_blob_deleting(OPERATOR, deleting)?));
    let old = put(false, now.minus(HOUR + Duration::from_millis(1)), 3);
    let young = put(false, now.minus(HOUR), 4);
    // What lies below a project that the database does not know is not looked at.
    let project_id = ProjectId::from_uuid(world.id());
    let foreign = Blob { project_id, ..blob(world, &bot, 5) };
    installation.blobs.insert(foreign.key(), at(0), b"bytes".to_vec());
    assert_eq!(installation.stored().len(), 5);
    wait(installation.botyard.jobs.plan_repeating(OPERATOR)).unwrap();
    // Other work that repeats is done at the same time.
    let sweeps = || installation.work().iter().filter(|kind| **kind == SWEEP_BLOBS).count();
    assert_eq!(sweeps(), 1);
    let left = installation.stored();
    assert_eq!(left, [known, deleting, young, foreign.id]);
    assert!(!left.contains(&old));
    // What failed half-way is taken up later.
    installation.blobs.fail(true);
    installation.wait_until(2 * day);
    assert_eq!(sweeps(), 1);
    installation.blobs.fail(false);
    installation.wait_until(2 * day + HOUR);
    assert_eq!(sweeps(), 1);
    assert_eq!(installation.stored(), [known, deleting, foreign.id]);
}

pub(crate) fn a_sweep_goes_on_where_it_stopped(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (world, jobs) = (&installation.world, &installation.botyard.jobs);
    let bot = world.stored_bot("bot");
    let day = Duration::from_secs(24 * 60 * 60);
    installation.wait_until(day);
    let orphan = |project_id: ProjectId, hash: u8| {
        let orphan = Blob { project_id, ..blob(world, &bot, hash) };
        installation.blobs.insert(orphan.key(), at(0), b"bytes".to_vec());
        orphan.id
    };
    orphan(bot.project_id, 1);
    for _ in 0..11 {
        orphan(world.other_project().id, 1);
    }
    enqueue(world, SWEEP_BLOBS, "");
    let job = installation.claim().unwrap();
    assert_eq!(wait(jobs.step(OPERATOR, &job)), Ok(StepOutcome::Continue));
    assert_eq!(installation.stored().len(), 2);
    // That project had its turn.
    let later = orphan(bot.project_id, 2);
    wait(jobs.yield_turn(OPERATOR, &job)).unwrap();
    let again = installation.claim().unwrap();
    assert_eq!((again.id, again.attempt), (job.id, 2));
    assert_eq!(wait(jobs.step(OPERATOR, &again)), Ok(StepOutcome::Done));
    assert_eq!(installation.stored(), [later]);
}
