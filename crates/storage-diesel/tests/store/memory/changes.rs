//! What a change of a bot with a large configuration takes.

use std::sync::Arc;

use domain::Botyard;
use domain::bot::BotState;
use domain::clock::Timestamp;
use domain::lock::Lock;
use domain::memory::RequestMemory;
use domain::store::Store;
use domain::testing::{ResolveClaim as _, RunUnits as _, SeededEntropy, SetClock};
use storage_diesel::Options;
use store_suite::{ActingStore, wait};

use crate::databases::{Database, each_database};
use crate::rows::{Setting, body};

/// What a project may hold at once, its half of all.
const OF_PROJECT: usize = 1 << 20;

/// The unit that writes reads the bot in the end, and there is no room for it beside what was read before.
fn a_change_that_reads_the_bot_again_does_not_wait_for_itself(database: Database) {
    let options = Options { content_memory: 2 * OF_PROJECT as u64, ..Options::default() };
    let instruction = format!(r#","botInstruction":"{}""#, "x".repeat(OF_PROJECT * 2 / 3));
    let setting = Arc::new(Setting::with(database, options, &instruction));
    let mut store: Arc<dyn Store> = setting.store.clone();
    for unit in 1_u8..5 {
        let (claim, at) = (setting.claim.clone(), Timestamp::from_millis(2_000 + i64::from(unit)));
        store = ActingStore::before(usize::from(unit), store, move |store| {
            wait(store.write(move |tx| {
                let scope = claim.resolve(tx, Lock::Exclusive)?.1;
                Ok(tx.set_bot_state(&scope, BotState::Active, at)?)
            }))
        });
    }
    let clock = Arc::new(SetClock::at(3_000));
    let botyard = Botyard::builder(store, clock, Arc::new(SeededEntropy::new(2))).build();
    let request = RequestMemory::default();
    let update = botyard.bots.update(&setting.claim, body(r#"{"temperature":0.5}"#));
    let updated = wait(request.during_all(Box::pin(update))).unwrap();
    assert_eq!(updated.bot.config.temperature.map(|number| number.0), Some(0.5));
    assert_eq!(updated.bot.config.bot_instruction, setting.bot.config.bot_instruction);
    // What is answered is held until it was sent.
    assert!(request.during(RequestMemory::bytes) >= (OF_PROJECT * 2 / 3) as u64);
}

each_database! {
    a_change_that_reads_the_bot_again_does_not_wait_for_itself,
}
