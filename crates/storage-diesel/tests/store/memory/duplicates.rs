//! What a duplicate of a bot with a long configuration takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use domain::bot::BotWithTokens;
use domain::id::ProjectId;
use domain::lock::Mode;
use domain::memory::RequestMemory;
use domain::store::{BoxedUnit, Outcome, Store};
use domain::testing::{MemoryBlobs, SeededEntropy, SetClock, TrustingArchives};
use domain::{Botyard, DomainError, StorageError};
use storage_diesel::{DieselStore, Options};
use store_suite::wait;

use super::read;
use crate::databases::{Database, each_database};
use crate::rows::{Setting, body};

/// What a project may hold at once, its half of all.
const OF_PROJECT: usize = 1 << 20;

/// A store that does something before each unit that writes, of which it is given the number.
struct Watched {
    store: Arc<DieselStore>,
    units: AtomicUsize,
    act: Box<dyn Fn(usize) + Send + Sync>,
}

#[async_trait]
impl Store for Watched {
    async fn run(
        &self,
        mode: Mode,
        tenant: Option<ProjectId>,
        unit: BoxedUnit,
    ) -> Result<Outcome, DomainError> {
        match mode {
            Mode::LookUp | Mode::Read => {}
            Mode::Write => (self.act)(self.units.fetch_add(1, Ordering::SeqCst)),
        }
        self.store.run(mode, tenant, unit).await
    }

    fn access_version(&self) -> Option<u64> {
        self.store.access_version()
    }

    async fn check(&self) -> Result<(), StorageError> {
        self.store.check().await
    }
}

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

/// Duplicates the bot as a request does, with identifiers of this seed. Returns how many units that took as well.
fn duplicate(
    setting: &Setting,
    (request, seed): (&RequestMemory, u64),
    act: impl Fn(usize) + Send + Sync + 'static,
) -> (Result<BotWithTokens, DomainError>, usize) {
    let store = setting.store.clone();
    let watched = Arc::new(Watched { store, units: AtomicUsize::default(), act: Box::new(act) });
    let clock = Arc::new(SetClock::at(2_000));
    let botyard =
        Botyard::builder(watched.clone(), clock.clone(), Arc::new(SeededEntropy::new(seed)))
            .blobs(Arc::new(MemoryBlobs::new(clock)))
            .archives(Arc::new(TrustingArchives))
            .build();
    let made = botyard.bots.duplicate(&setting.claim, body("{}"));
    let made = wait(request.during_all(Box::pin(made)));
    (made, watched.units.load(Ordering::SeqCst))
}

fn a_duplicate_holds_nothing_while_it_is_copied(database: Database) {
    let setting = setting(database);
    let beside = setting.clone();
    let (request, other) = (RequestMemory::default(), RequestMemory::default());
    let (made, units) = duplicate(&setting, (&request, 2), move |unit| {
        // In the first and the last the configuration is there.
        if (1..4).contains(&unit) {
            let found = read(
                &beside,
                &other,
                (Mode::Read, beside.bot.project_id),
                &Arc::<AtomicUsize>::default(),
            );
            assert!(found, "unit {unit}");
            other.release();
        }
    });
    let made = made.unwrap();
    assert_eq!(units, 5);
    assert_eq!(made.bot.config.bot_instruction, setting.bot.config.bot_instruction);
    // What is answered is held until it was sent.
    assert!(request.during(RequestMemory::bytes) >= (OF_PROJECT * 2 / 3) as u64);
}

fn a_duplicate_that_begins_again_does_not_wait_for_itself(database: Database) {
    let setting = setting(database);
    for (changed_before, seed) in (0..5).zip(2..) {
        let beside = setting.clone();
        let request = RequestMemory::default();
        let (made, units) = duplicate(&setting, (&request, seed), move |unit| {
            if unit == changed_before {
                let skill = body(&format!(r#"{{"name":"made before {unit}"}}"#));
                let other = RequestMemory::default();
                let create = beside.botyard.skills.create(&beside.claim, skill);
                wait(other.during_all(Box::pin(create))).unwrap();
            }
        });
        made.unwrap();
        // None of the copy that was begun before counts.
        assert_eq!(units, changed_before + 1 + 5);
    }
}

each_database! {
    a_duplicate_holds_nothing_while_it_is_copied,
    a_duplicate_that_begins_again_does_not_wait_for_itself,
}
