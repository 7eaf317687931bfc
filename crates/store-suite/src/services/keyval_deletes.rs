//! Deletes of many key-value entries: what services make of it.

use std::sync::Arc;

use crate::contract::keyval::{address, all_entries, entry, of_bot, of_project, put};
use crate::contract::keyval_deletes::addresses_of;
use crate::contract::keyval_lists::store_at;
use crate::services::installation::Installation;
use crate::world::{together, wait};
use domain::access::OwnerClaim;
use domain::error::{DomainError, Resource};
use domain::keyval::{BulkDelete, is_permanent};
use domain::store::Store;

fn bulk_delete(
    installation: &Installation,
    claim: &OwnerClaim,
    json: &str,
) -> Result<u64, DomainError> {
    let request = installation.body::<BulkDelete>(json);
    let (filter, keep) = (request.filter(), request.keep_permanent);
    wait(installation.botyard.keyval.bulk_delete(claim, filter, keep))
}

pub(crate) fn a_bulk_delete_is_done_in_batches(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let scope = of_project(world, &world.project);
    let places = (0..1_203).map(|number| address(&format!("u{}/t/k{number}", number % 5)));
    store_at(world, scope, &places.collect::<Vec<_>>());
    let kept = [address("u1/t/!k"), address("u1/t/other")];
    store_at(world, scope, &kept);
    let claim = OwnerClaim::Project(world.claim_on_project());
    let delete =
        |json: &str| -> Result<u64, DomainError> { bulk_delete(&installation, &claim, json) };
    assert_eq!(delete(r#"{"keyPrefix":"k"}"#), Ok(1_203));
    assert_eq!(addresses_of(world, scope), kept);
    assert_eq!(delete(r#"{"keyPrefix":"k"}"#), Ok(0));
    assert_eq!(delete(r#"{"keyPrefix":""}"#), Ok(1));
    assert_eq!(delete(r#"{"userId":"u1","keepPermanent":false}"#), Ok(1));
    assert_eq!(addresses_of(world, scope), []);
}

pub(crate) fn permanent_entries_are_kept_from_clients(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let claim = OwnerClaim::Bot(world.claim(&bot));
    let keyval = &installation.botyard.keyval;
    let place = address("u/t/!k");
    assert!(is_permanent(&place.key));
    for is_there in [false, true] {
        if is_there {
            put(world, of_bot(world, &bot), &entry(world, &place, "1"));
        }
        let request = installation.body(r#"{"value":2}"#);
        let refused = Err(DomainError::PermanentKey);
        assert_eq!(wait(keyval.put(&claim, place.clone(), request)).map(|_| ()), refused);
        assert_eq!(wait(keyval.delete(&claim, place.clone(), true)).map(|_| ()), refused);
    }
    assert_eq!(wait(keyval.get(&claim, place.clone())).unwrap().entry.value.as_str(), "1");
    let missing = DomainError::NotFound(Resource::KeyvalEntry);
    assert_eq!(wait(keyval.delete(&claim, place.clone(), false)), Ok(place.clone()));
    assert_eq!(wait(keyval.delete(&claim, place, false)), Err(missing));
}

pub(crate) fn deletes_and_writes_at_once_all_succeed(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let scope = of_bot(world, &bot);
    let claim = OwnerClaim::Bot(world.claim(&bot));
    let places: Vec<_> =
        (0..600).map(|number| address(&format!("u{}/t/k{number:03}", number % 7))).collect();
    store_at(world, scope, &places);
    let keyval = &installation.botyard.keyval;
    let bodies = [r#"{"keyPrefix":"k"}"#, r#"{"keyPrefix":""}"#, r#"{"type":"t"}"#];
    together(6, |number| match bodies.get(number) {
        Some(body) => {
            bulk_delete(&installation, &claim, body).unwrap();
        }
        None => {
            for place in places.iter().rev().skip(number).step_by(6) {
                let request = installation.body(r#"{"value":2}"#);
                wait(keyval.put(&claim, place.clone(), request)).unwrap();
            }
        }
    });
    // What was there before is gone; what was written meanwhile may be.
    assert!(all_entries(world, scope).iter().all(|entry| entry.value.as_str() == "2"));
}
