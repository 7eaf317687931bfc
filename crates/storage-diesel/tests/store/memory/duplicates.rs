//! What a duplicate of a bot with a large configuration takes.

use std::sync::Arc;

use domain::bot::BotWithTokens;
use domain::lock::Mode;
use domain::memory::RequestMemory;
use domain::store::Store;
use domain::testing::{MemoryBlobs, SeededEntropy, SetClock, TrustingArchives};
use domain::{Botyard, DomainError};
use storage_diesel::Options;
use store_suite::{ActingStore, wait};

use super::read;
use crate::databases::{Database, each_database};
use crate::rows::{Setting, body};

/// What a project may hold at once, its half of all.
const OF_PROJECT: usize = 1 << 20;

/// A bot that takes four units to be copied and one to be shown, of which the configuration has more than half of what a project may hold.
fn setting(database: Database) -> Arc<Setting> {
    let options = Options { content_memory: 2 * OF_PROJECT as u64, ..Options::default() };
    let instruction = format!(r#","botInstruction":"{}""#, "x".repeat(OF_PROJECT * 2 / 3));
    let setting = Setting::with(database, options, &instruction);
    let content = "x".repeat(500 << 10);
    for name in ["a", "b", "c", "d", "e", "f", "g"] {
        let skill = body(&format!(r#"{{"name":"{name}","content":"{content}"}}"#));
        wait(setting.botyard.skills.create(&setting.claim, skill)).unwrap();
    }
    Arc::new(setting)
}

/// Duplicates the bot on this store as a request does, with identifiers of this seed.
fn duplicate(
    setting: &Setting,
    store: Arc<dyn Store>,
    (request, seed): (&RequestMemory, u64),
) -> Result<BotWithTokens, DomainError> {
    let clock = Arc::new(SetClock::at(2_000));
    let botyard = Botyard::builder(store, clock.clone(), Arc::new(SeededEntropy::new(seed)))
        .blobs(Arc::new(MemoryBlobs::new(clock)))
        .archives(Arc::new(TrustingArchives))
        .build();
    let made = botyard.bots.duplicate(&setting.claim, body("{}"));
    wait(request.during_all(Box::pin(made)))
}

fn a_duplicate_holds_nothing_while_it_is_copied(database: Database) {
    let setting = setting(database);
    // In the first unit that writes and in the last the configuration is there.
    for (unit, seed) in (1..4).zip(2..) {
        let (beside, request) = (setting.clone(), RequestMemory::default());
        let store = ActingStore::before(unit, setting.store.clone(), move |_| {
            let (other, mode) = (RequestMemory::default(), (Mode::Read, beside.bot.project_id));
            assert!(read(&beside, &other, mode, &Arc::default()), "unit {unit}");
            Ok(())
        });
        let made = duplicate(&setting, store, (&request, seed)).unwrap();
        assert_eq!(made.bot.config.bot_instruction, setting.bot.config.bot_instruction);
        // What is answered is held until it was sent.
        assert!(request.during(RequestMemory::bytes) >= (OF_PROJECT * 2 / 3) as u64);
    }
}

fn a_duplicate_that_begins_again_does_not_wait_for_itself(database: Database) {
    let setting = setting(database);
    for (unit, seed) in (0..5).zip(2..) {
        let (beside, request) = (setting.clone(), RequestMemory::default());
        let store = ActingStore::before(unit, setting.store.clone(), move |_| {
            let skill = body(&format!(r#"{{"name":"made before {unit}"}}"#));
            let create = beside.botyard.skills.create(&beside.claim, skill);
            wait(RequestMemory::default().during_all(Box::pin(create))).map(drop)
        });
        duplicate(&setting, store, (&request, seed)).unwrap();
    }
}

each_database! {
    a_duplicate_holds_nothing_while_it_is_copied,
    a_duplicate_that_begins_again_does_not_wait_for_itself,
}
