//! Key-value entries, one by one: what services make of it.

use std::fmt::Debug;
use std::sync::Arc;

use crate::contract::keyval::address;
use crate::services::installation::Installation;
use crate::world::{together, wait};
use domain::access::OwnerClaim;
use domain::error::DomainError;
use domain::keyval::{EntryAddress, EntryFilter, KEY_MAX, KeyFilter, WORD_MAX};
use domain::store::Store;

pub(crate) fn addresses_that_no_entry_can_have_are_refused(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let claim = OwnerClaim::Bot(installation.world.claim(&installation.world.stored_bot("bot")));
    let keyval = &installation.botyard.keyval;
    let at = |user_id: &str, entry_type: &str, key: &str| EntryAddress {
        user_id: user_id.to_owned(),
        entry_type: entry_type.to_owned(),
        key: key.to_owned(),
    };
    let (long, too_long) = ("x".repeat(WORD_MAX + 1), "x".repeat(KEY_MAX + 1));
    for address in [
        at("", "t", "k"),
        at("u", "", "k"),
        at("u", "t", ""),
        at("u\0", "t", "k"),
        at("u", "t\0", "k"),
        at("u", "t", "k\0"),
        at(&long, "t", "k"),
        at("u", &long, "k"),
        at("u", "t", &too_long),
    ] {
        let request = installation.body(r#"{"value":1}"#);
        is_invalid(wait(keyval.put(&claim, address.clone(), request)), &address);
        is_invalid(wait(keyval.get(&claim, address.clone())), &address);
        is_invalid(wait(keyval.delete(&claim, address.clone(), true)), &address);
        let (all, after) = (EntryFilter::default(), Some(address.clone()));
        is_invalid(wait(keyval.page(&claim, &all, after, 10)), &address);
        let EntryAddress { user_id, entry_type, key } = address.clone();
        let (user_id, entry_type) = (Some(user_id), Some(entry_type));
        let filter = EntryFilter { user_id, entry_type, key: KeyFilter::Is(key) };
        is_invalid(wait(keyval.page(&claim, &filter, None, 10)), &filter);
        is_invalid(wait(keyval.bulk_delete(&claim, filter.clone(), true)), &filter);
    }
    let prefix = EntryFilter { key: KeyFilter::prefix("\0".to_owned()), ..EntryFilter::default() };
    is_invalid(wait(keyval.page(&claim, &prefix, None, 10)), &prefix);
    let (entries, _) = wait(keyval.page(&claim, &EntryFilter::default(), None, 10)).unwrap();
    assert_eq!(entries, []);
}

fn is_invalid<T: Debug>(result: Result<T, DomainError>, of: &impl Debug) {
    assert!(matches!(result, Err(DomainError::Invalid(_))), "{of:?}: {result:?}");
}

pub(crate) fn one_key_can_be_written_at_once(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let claim = OwnerClaim::Bot(installation.world.claim(&bot));
    let keyval = &installation.botyard.keyval;
    let written = together(16, |writer| {
        let put = |round| {
            let request = installation.body(&format!(r#"{{"value":"{writer}.{round}"}}"#));
            wait(keyval.put(&claim, address("u/t/k"), request)).unwrap().entry
        };
        (0..10).map(put).collect::<Vec<_>>()
    });
    let written: Vec<_> = written.into_iter().flatten().collect();
    let found = wait(keyval.get(&claim, address("u/t/k"))).unwrap().entry;
    assert!(written.contains(&found));
    assert!(written.iter().all(|entry| entry.id == found.id));
}
