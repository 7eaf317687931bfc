//! When key-value entries were read last: what services make of it.

use std::sync::Arc;
use std::time::Duration;

use crate::contract::keyval::{address, find, of_bot};
use crate::services::installation::Installation;
use crate::world::{OPERATOR, at, wait};
use domain::access::OwnerClaim;
use domain::bot::BotState;
use domain::error::{DomainError, Resource};
use domain::keyval::EntryFilter;
use domain::store::Store;

pub(crate) fn only_what_is_read_alone_counts_as_read(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let claim = OwnerClaim::Bot(world.claim(&bot));
    let keyval = &installation.botyard.keyval;
    let (read, listed) = (address("u/t/read"), address("u/t/listed"));
    for place in [&read, &listed] {
        let request = installation.body(r#"{"value":1}"#);
        assert_eq!(
            wait(keyval.put(&claim, place.clone(), request)).unwrap().entry.accessed_at,
            at(0)
        );
    }
    let accessed = || {
        wait(keyval.flush_accesses(OPERATOR)).unwrap();
        [&read, &listed].map(|place| {
            let found = find(world, of_bot(world, &bot), place).unwrap().entry;
            assert_eq!(found.updated_at, at(0));
            found.accessed_at
        })
    };
    // So soon after the last one that it is not worth a write.
    installation.wait_until(Duration::from_millis(499));
    wait(keyval.get(&claim, read.clone())).unwrap();
    assert_eq!(accessed(), [at(0), at(0)]);
    installation.wait_until(Duration::from_secs(5));
    wait(keyval.get(&claim, read.clone())).unwrap();
    wait(keyval.page(&claim, &EntryFilter::default(), None, 9)).unwrap();
    assert_eq!(accessed(), [at(5_000), at(0)]);

    let missing = DomainError::NotFound(Resource::KeyvalEntry);
    assert_eq!(wait(keyval.get(&claim, address("u/t/none"))), Err(missing));
    let scope = world.scope(&bot);
    world.write(move |tx| Ok(tx.set_bot_state(&scope, BotState::Archived, at(0))?));
    let missing = DomainError::NotFound(Resource::Bot);
    assert_eq!(wait(keyval.get(&claim, read.clone())), Err(missing.clone()));
    let request = installation.body(r#"{"value":1}"#);
    assert_eq!(wait(keyval.put(&claim, read.clone(), request)), Err(missing.clone()));
    assert_eq!(wait(keyval.delete(&claim, read.clone(), true)), Err(missing));
}
