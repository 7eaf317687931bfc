//! MaxAge rules, and the clean-up that goes by them.

use std::sync::Arc;
use std::time::Duration;

use crate::acting_store::ActingStore;
use crate::services::installation::Installation;
use crate::world::{OPERATOR, World, at, wait};
use domain::Botyard;
use domain::access::{OwnerClaim, ProjectClaim};
use domain::clock::Clock as _;
use domain::error::{DomainError, Resource};
use domain::id::KeyvalEntryId;
use domain::input::Input as _;
use domain::job::{Job, Queue, StepOutcome};
use domain::json::Json;
use domain::keyval::{Access, Entry, EntryAddress, EntryFilter, PutEntry};
use domain::lock::Lock;
use domain::max_age::{CLEAN_UP, MaxAgeRule};
use domain::store::{Repositories, Store};
use domain::testing::{ResolveClaim as _, RunUnits as _};

/// After this long an entry goes that a rule gives 10 seconds; not a moment earlier.
const DUE: Duration = Duration::from_millis(12_001);

pub(crate) fn address(key: &str) -> EntryAddress {
    let (user_id, entry_type) = ("u".to_owned(), "t".to_owned());
    EntryAddress { user_id, entry_type, key: key.to_owned() }
}

pub(crate) fn own(world: &World) -> OwnerClaim {
    OwnerClaim::Project(world.claim_on_project())
}

pub(crate) fn put(botyard: &Botyard, claim: &OwnerClaim, key: &str) {
    let entry = PutEntry { value: Json::of(&1) }.check(botyard.input_settings()).unwrap();
    wait(botyard.keyval.put(claim, address(key), entry)).unwrap();
}

/// Stores entries of the project past the service, which takes no permanent ones.
pub(crate) fn store_entries(world: &World, keys: Vec<String>) {
    let entries = keys.iter().map(|key| Entry {
        id: KeyvalEntryId::from_uuid(world.id()),
        address: address(key),
        value: Json::of(&1),
        created_at: at(0),
        updated_at: at(0),
        accessed_at: at(0),
    });
    let (claim, entries) = (own(world), entries.collect::<Vec<_>>());
    world.write(move |tx| {
        let scope = claim.resolve(tx, Lock::None)?;
        for entry in &entries {
            tx.put_entry(&scope, entry.clone())?;
        }
        Ok(())
    });
}

pub(crate) fn keys(botyard: &Botyard, claim: &OwnerClaim) -> Vec<String> {
    let all = EntryFilter::default();
    let page = wait(botyard.keyval.page(claim, &all, None, 10_000)).unwrap().0;
    page.into_iter().map(|found| found.entry.address.key).collect()
}

pub(crate) fn rule(installation: &Installation, claim: &ProjectClaim, json: &str) -> MaxAgeRule {
    wait(installation.botyard.max_age.create(claim, installation.body(json))).unwrap()
}

/// A clean-up that is to be done now.
pub(crate) fn claimed(installation: &Installation) -> Job {
    let world = &installation.world;
    let job = Job::new(world.id(), CLEAN_UP, "", installation.clock.now());
    world.write(move |tx| Ok(tx.insert_job(&job)?));
    wait(installation.botyard.jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap()
}

/// Cleans up on one of the nodes; returns how many entries went.
pub(crate) fn clean_up(installation: &Installation, node: &Botyard) -> u64 {
    let job = claimed(installation);
    let before = node.jobs.cleaned_up();
    while wait(node.jobs.step(OPERATOR, &job)).unwrap() != StepOutcome::Done {}
    installation.world.write(move |tx| Ok(tx.delete_job(OPERATOR, &job)?));
    node.jobs.cleaned_up() - before
}

pub(crate) fn rules_are_those_of_their_project(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (world, rules) = (&installation.world, &installation.botyard.max_age);
    let (claim, other) = (world.claim_on_project(), OPERATOR.project(&world.other_project()));
    let made = rule(&installation, &claim, r#"{"keyPattern":"a*","maxAgeSeconds":0.1}"#);
    let second = rule(&installation, &claim, r#"{"keyPattern":"a*","maxAgeSeconds":1e300}"#);
    let foreign = rule(&installation, &other, r#"{"keyPattern":"b","maxAgeSeconds":1}"#);
    assert_eq!((made.max_age_seconds, second.max_age_seconds), (0.1, 1e300));
    assert_eq!((made.created_at, made.updated_at), (at(0), at(0)));
    let page = |claim, after, limit| wait(rules.page(claim, after, limit));
    assert_eq!(page(&claim, None, 1), Ok(vec![made.clone()]));
    assert_eq!(page(&claim, Some(made.id), 9), Ok(vec![second.clone()]));
    assert_eq!(page(&other, None, 9), Ok(vec![foreign.clone()]));

    installation.wait_until(Duration::from_secs(5));
    let update = |id, json: &str| wait(rules.update(&claim, id, installation.body(json)));
    let unchanged = update(made.id, r#"{"keyPattern":"a*"}"#);
    assert_eq!(unchanged, Ok(made.clone()));
    let changed = MaxAgeRule { max_age_seconds: 7.0, updated_at: at(5_000), ..made.clone() };
    assert_eq!(update(made.id, r#"{"maxAgeSeconds":7}"#), Ok(changed.clone()));
    assert_eq!(page(&claim, None, 1), Ok(vec![changed]));

    let missing = DomainError::NotFound(Resource::MaxAgeRule);
    assert_eq!(update(foreign.id, r#"{"maxAgeSeconds":7}"#), Err(missing.clone()));
    assert_eq!(wait(rules.delete(&claim, foreign.id)), Err(missing.clone()));
    assert_eq!(wait(rules.delete(&claim, made.id)), Ok(made.id));
    assert_eq!(wait(rules.delete(&claim, made.id)), Err(missing.clone()));
    assert_eq!(update(made.id, r#"{"maxAgeSeconds":7}"#), Err(missing));
    assert_eq!(page(&claim, None, 9), Ok(vec![second]));
    assert_eq!(page(&other, None, 9), Ok(vec![foreign]));
}

pub(crate) fn what_is_older_than_its_rule_goes(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (world, node) = (&installation.world, &installation.botyard);
    let (own, bot) = (own(world), OwnerClaim::Bot(world.claim(&world.stored_bot("bot"))));
    let other = OwnerClaim::Project(OPERATOR.project(&world.other_project()));
    for json in [
        r#"{"keyPattern":"s:*","maxAgeSeconds":10}"#,
        r#"{"keyPattern":"f","maxAgeSeconds":0.25}"#,
        r#"{"keyPattern":"!*","maxAgeSeconds":0.001}"#,
        r#"{"keyPattern":"x*","maxAgeSeconds":1e300}"#,
    ] {
        rule(&installation, &world.claim_on_project(), json);
    }
    store_entries(world, ["!s:1", "f", "s:1", "s:2", "s:3", "t", "x"].map(str::to_owned).into());
    for claim in [&bot, &other] {
        put(node, claim, "s:1");
    }
    installation.wait_until(Duration::from_millis(2_250));
    assert_eq!(clean_up(&installation, node), 0);
    installation.wait_until(Duration::from_millis(2_251));
    assert_eq!(clean_up(&installation, node), 1);
    assert_eq!(keys(node, &own), ["!s:1", "s:1", "s:2", "s:3", "t", "x"]);

    put(node, &own, "s:3");
    installation.wait_until(DUE - Duration::from_millis(1));
    assert_eq!(clean_up(&installation, node), 0);
    installation.wait_until(DUE);
    assert_eq!(clean_up(&installation, node), 2);
    assert_eq!(keys(node, &own), ["!s:1", "s:3", "t", "x"]);
    installation.wait_until(Duration::from_millis(2_251) + DUE);
    assert_eq!(clean_up(&installation, node), 1);
    installation.wait_until(Duration::from_secs(1_000_000));
    assert_eq!(clean_up(&installation, node), 0);
    assert_eq!(keys(node, &own), ["!s:1", "t", "x"]);
    for claim in [&bot, &other] {
        assert_eq!(keys(node, claim), ["s:1"]);
    }
}

pub(crate) fn many_entries_go_batch_by_batch(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (world, node) = (&installation.world, &installation.botyard);
    let key = |number: usize| {
        format!("{number:04}:{}", if number.is_multiple_of(2) { "tmp" } else { "kept" })
    };
    store_entries(world, (0..3_000).map(key).collect());
    // Many keys are meant by two rules.
    for json in [
        r#"{"keyPattern":"*:t?p","maxAgeSeconds":10}"#,
        r#"{"keyPattern":"0*","maxAgeSeconds":10}"#,
    ] {
        rule(&installation, &world.claim_on_project(), json);
    }
    installation.wait_until(DUE);
    assert_eq!(clean_up(&installation, node), 2_000);
    let left: Vec<_> = (1_000..3_000).filter(|number| number % 2 == 1).map(key).collect();
    assert_eq!(keys(node, &own(world)), left);
    assert_eq!(clean_up(&installation, node), 0);
}

pub(crate) fn what_is_read_on_any_node_stays(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (world, node) = (&installation.world, &installation.botyard);
    let (own, other_node) = (own(world), installation.behind(world.store.clone()));
    rule(&installation, &world.claim_on_project(), r#"{"keyPattern":"*","maxAgeSeconds":10}"#);
    for key in ["listed", "read here", "read there"] {
        put(node, &own, key);
    }
    let read = |node: &Botyard, key: &str| {
        wait(node.keyval.get(&own, address(key))).unwrap();
    };
    installation.wait_until(Duration::from_secs(9));
    read(node, "read here");
    read(&other_node, "read there");
    assert_eq!(keys(node, &own).len(), 3);
    // The other node may be late by two seconds; what this one knows it writes itself.
    installation.wait_until(Duration::from_secs(11));
    assert_eq!(clean_up(&installation, node), 0);
    wait(other_node.keyval.flush_accesses(OPERATOR)).unwrap();
    installation.wait_until(DUE);
    assert_eq!(clean_up(&installation, node), 1);
    assert_eq!(keys(node, &own), ["read here", "read there"]);
    installation.wait_until(Duration::from_secs(9) + DUE - Duration::from_millis(1));
    assert_eq!(clean_up(&installation, &other_node), 0);
    installation.wait_until(Duration::from_secs(9) + DUE);
    assert_eq!(clean_up(&installation, &other_node), 2);
}

/// Cleans up on a node where `act` runs between the look at the entries and their removal; returns
/// what the node says, how many entries went, and which are left.
fn interrupted(
    installation: &Installation,
    act: impl FnOnce(&Arc<dyn Store>) -> Result<(), DomainError> + Send + 'static,
) -> (StepOutcome, u64, Vec<String>) {
    let world = &installation.world;
    installation.wait_until(DUE);
    let job = claimed(installation);
    let node = installation.behind(ActingStore::by(world.store.clone(), act));
    let progress = wait(node.jobs.step(OPERATOR, &job)).unwrap();
    (progress, node.jobs.cleaned_up(), keys(&installation.botyard, &own(world)))
}

/// A project with two old entries and a rule that means both.
fn with_old_entries(store: Arc<dyn Store>) -> (Installation, MaxAgeRule) {
    let installation = Installation::new(store);
    let claim = installation.world.claim_on_project();
    let rule = rule(&installation, &claim, r#"{"keyPattern":"*","maxAgeSeconds":10}"#);
    store_entries(&installation.world, vec!["a".to_owned(), "b".to_owned()]);
    (installation, rule)
}

pub(crate) fn what_is_read_at_the_last_moment_stays(store: Arc<dyn Store>) {
    let (installation, _) = with_old_entries(store);
    let claim = own(&installation.world);
    let end = interrupted(&installation, move |store| {
        let claim = claim.clone();
        wait(store.write(move |tx| {
            let scope = claim.resolve(tx, Lock::None)?;
            let access = Access { scope, address: address("a"), at: at(10_000) };
            tx.record_accesses(&[access])?;
            Ok(())
        }))
    });
    assert_eq!(end, (StepOutcome::Done, 1, vec!["a".to_owned()]));
}

pub(crate) fn nothing_goes_by_a_rule_that_has_changed(store: Arc<dyn Store>) {
    let (installation, rule) = with_old_entries(store);
    let (claim, rules) = (installation.world.claim_on_project(), &installation.botyard.max_age);
    let both = vec!["a".to_owned(), "b".to_owned()];
    let (acting, body) = ((rules.clone(), claim.clone()), r#"{"keyPattern":"b"}"#);
    let body = installation.body(body);
    let end = interrupted(&installation, move |_| {
        wait(acting.0.update(&acting.1, rule.id, body)).map(|_| ())
    });
    assert_eq!(end, (StepOutcome::Done, 0, both.clone()));
    let acting = (rules.clone(), claim);
    let end =
        interrupted(&installation, move |_| wait(acting.0.delete(&acting.1, rule.id)).map(drop));
    assert_eq!(end, (StepOutcome::Done, 0, both));
}

pub(crate) fn a_clean_up_that_was_taken_over_deletes_nothing(store: Arc<dyn Store>) {
    let (installation, _) = with_old_entries(store);
    let end = interrupted(&installation, |store| {
        let take_over = |tx: &mut dyn Repositories| {
            let job = tx.claim_job(OPERATOR, (&CLEAN_UP, None), at(1_000_000), at(2_000_000))?;
            assert_eq!(job.map(|job| job.attempt), Some(2));
            Ok(())
        };
        wait(store.write(take_over))
    });
    assert_eq!(end, (StepOutcome::LeaseLost, 0, vec!["a".to_owned(), "b".to_owned()]));
}
