//! How projects take turns at the clean-up of key-value entries, and where it goes on.

use std::sync::Arc;
use std::time::Duration;

use crate::services::clean_up::{claimed, keys, own, put, rule, store_entries};
use crate::services::installation::Installation;
use crate::world::{OPERATOR, wait};
use domain::access::OwnerClaim;
use domain::job::{Job, Queue, StepOutcome};
use domain::store::Store;

/// When everything is idle by a rule with ten seconds.
const DUE: Duration = Duration::from_secs(60);

/// Has another attempt go on with a job.
fn taken_over(installation: &Installation, job: &Job) -> Job {
    let jobs = &installation.botyard.jobs;
    wait(jobs.yield_turn(OPERATOR, job)).unwrap();
    let again = wait(jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap();
    assert_eq!((again.id, again.attempt), (job.id, job.attempt + 1));
    again
}

pub(crate) fn a_project_with_many_entries_does_not_keep_others_waiting(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (world, node) = (&installation.world, &installation.botyard);
    let (own, claim) = (own(world), OPERATOR.project(&world.other_project()));
    let any = r#"{"keyPattern":"*","maxAgeSeconds":10}"#;
    rule(&installation, &world.claim_on_project(), any);
    rule(&installation, &claim, any);
    store_entries(world, (0..5_100).map(|number| format!("{number:04}")).collect());
    let other = OwnerClaim::Project(claim);
    put(node, &other, "k");
    installation.wait_until(DUE);
    let job = claimed(&installation);
    let mut left = Vec::new();
    while wait(node.jobs.step(OPERATOR, &job)).unwrap() == StepOutcome::Continue {
        left.push((keys(node, &own).len(), keys(node, &other).len()));
    }
    // The other project has its turn before the second one of this.
    assert_eq!(left, [(2_600, 1), (100, 0)]);
    assert_eq!((keys(node, &own).len(), keys(node, &other).len()), (0, 0));
}

pub(crate) fn a_clean_up_goes_on_where_it_stopped(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (world, node) = (&installation.world, &installation.botyard);
    // The first rule finds nothing to delete among all entries; the second deletes one.
    for json in [
        r#"{"keyPattern":"*:none","maxAgeSeconds":10}"#,
        r#"{"keyPattern":"s*","maxAgeSeconds":10}"#,
    ] {
        rule(&installation, &world.claim_on_project(), json);
    }
    let kept: Vec<_> = (0..3_000).map(|number| format!("{number:04}")).collect();
    store_entries(world, kept.iter().cloned().chain(["s".to_owned()]).collect());
    installation.wait_until(DUE);
    let job = claimed(&installation);
    assert_eq!(wait(node.jobs.step(OPERATOR, &job)), Ok(StepOutcome::Continue));
    assert_eq!(keys(node, &own(world)).len(), 3_001);
    let again = taken_over(&installation, &job);
    let other_node = installation.behind(world.store.clone());
    assert_eq!(wait(other_node.jobs.step(OPERATOR, &again)), Ok(StepOutcome::Done));
    assert_eq!(keys(node, &own(world)), kept);
}

/// A clean-up that never comes to an end with one project begins again with all.
pub(crate) fn new_entries_of_others_go_while_a_project_has_more_to_do(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (world, node) = (&installation.world, &installation.botyard);
    let claim = OPERATOR.project(&world.other_project());
    let none = r#"{"keyPattern":"*:none","maxAgeSeconds":10}"#;
    rule(&installation, &world.claim_on_project(), none);
    rule(&installation, &claim, r#"{"keyPattern":"*","maxAgeSeconds":10}"#);
    let other = OwnerClaim::Project(claim);
    store_entries(world, (0..7_600).map(|number| format!("{number:04}")).collect());
    installation.wait_until(DUE);
    let job = claimed(&installation);
    let step = |job| wait(node.jobs.step(OPERATOR, job));
    assert_eq!(step(&job), Ok(StepOutcome::Continue));
    put(node, &other, "k");
    // The project of the many has its second turn, and then the time of the next clean-up has come.
    assert_eq!(step(&job), Ok(StepOutcome::Continue));
    installation.wait_until(2 * DUE);
    assert_eq!(step(&job), Ok(StepOutcome::Continue));
    assert_eq!(keys(node, &other), ["k"]);
    assert_eq!(step(&job), Ok(StepOutcome::Done));
    assert_eq!(keys(node, &other), [""; 0]);
}
