//! Key-value entries, one by one: what services make of it.

use std::sync::Arc;

use crate::contract::keyval::address;
use crate::services::installation::Installation;
use crate::world::{together, wait};
use domain::keyval::KeyvalClaim;
use domain::store::Store;

pub(crate) fn one_key_can_be_written_at_once(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let bot = installation.world.stored_bot("bot");
    let claim = KeyvalClaim::Bot(installation.world.claim(&bot));
    let keyval = &installation.botyard.keyval;
    let written = together(16, |writer| {
        let put = |round| {
            let request = installation.body(&format!(r#"{{"value":"{writer}.{round}"}}"#));
            wait(keyval.put(&claim, address("u/t/k"), request)).unwrap()
        };
        (0..10).map(put).collect::<Vec<_>>()
    });
    let written: Vec<_> = written.into_iter().flatten().collect();
    let found = wait(keyval.get(&claim, address("u/t/k"))).unwrap().entry;
    assert!(written.contains(&found));
    assert!(written.iter().all(|entry| entry.id == found.id));
}
