//! What bounds MaxAge rules and their clean-up, and what a failure on the way keeps them from.

use std::sync::Arc;
use std::time::Duration;

use crate::acting_store::ActingStore;
use crate::services::clean_up::{address, claimed, keys, own, put, rule};
use crate::services::installation::Installation;
use crate::world::{OPERATOR, wait};
use domain::Limits;
use domain::error::{DomainError, Quota, StorageError};
use domain::store::Store;

pub(crate) fn a_project_has_so_many_rules(store: Arc<dyn Store>) {
    let limits = Limits { max_age_rules_per_project: 2, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let world = &installation.world;
    let (claim, other) = (world.claim_on_project(), OPERATOR.project(&world.other_project()));
    let json = r#"{"keyPattern":"a","maxAgeSeconds":1}"#;
    let rules = &installation.botyard.max_age;
    let create = |claim| wait(rules.create(claim, installation.body(json)));
    let first = create(&claim).unwrap();
    assert!(create(&claim).is_ok());
    let full = DomainError::QuotaExceeded(Quota::MaxAgeRulesPerProject(2));
    assert_eq!(create(&claim), Err(full.clone()));
    assert!(create(&other).is_ok());
    wait(rules.delete(&claim, first.id)).unwrap();
    assert!(create(&claim).is_ok());
    assert_eq!(create(&claim), Err(full));
}

/// What this process knows of accesses counts, also while it can't write it down; and what can be
/// cleaned up is.
pub(crate) fn accesses_count_before_they_are_written(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let (world, own) = (&installation.world, own(&installation.world));
    rule(&installation, &world.claim_on_project(), r#"{"keyPattern":"*","maxAgeSeconds":10}"#);
    put(&installation.botyard, &own, "idle");
    put(&installation.botyard, &own, "read");
    let failure = DomainError::from(StorageError::Contended("told to".to_owned()));
    let fails = failure.clone();
    let node = installation.behind(ActingStore::by(store, move |_| Err(fails)));
    installation.wait_until(Duration::from_secs(9));
    wait(node.keyval.get(&own, address("read"))).unwrap();
    installation.wait_until(Duration::from_secs(13));
    let job = claimed(&installation);
    assert_eq!(wait(node.jobs.step(OPERATOR, &job)), Err(failure));
    assert_eq!(keys(&node, &own), ["read"]);
    assert_eq!(node.jobs.cleaned_up(), 1);
    wait(node.keyval.flush_accesses(OPERATOR)).unwrap();
    let read = wait(installation.botyard.keyval.get(&own, address("read"))).unwrap();
    assert_eq!(read.entry.accessed_at, crate::world::at(9_000));
}
