//! Services that need more than one unit of work, with somebody else acting in between.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;

use super::world::{OPERATOR, World, wait};
use crate::body::ModelSources;
use crate::bot::BotState;
use crate::clock::Timestamp;
use crate::error::{DomainError, StorageError};
use crate::store::{Lock, Mode, Outcome, Store, Unit};
use crate::testing::{SeededEntropy, SetClock};
use crate::{Botyard, Limits, Ports};

type Act = Box<dyn FnOnce(&Arc<dyn Store>) + Send>;

/// A store on which somebody acts just before the first writing unit.
struct Interrupted {
    store: Arc<dyn Store>,
    act: Mutex<Option<Act>>,
}

#[async_trait]
impl Store for Interrupted {
    async fn run(&self, mode: Mode, unit: Unit) -> Result<Outcome, DomainError> {
        let act = match mode {
            Mode::Read => None,
            Mode::Write => self.act.lock().unwrap().take(),
        };
        if let Some(act) = act {
            act(&self.store);
        }
        self.store.run(mode, unit).await
    }

    fn access_version(&self) -> Option<u64> {
        self.store.access_version()
    }

    async fn check(&self) -> Result<(), StorageError> {
        self.store.check().await
    }
}

pub(super) fn a_bot_that_is_restored_in_time_is_not_purged(store: Arc<dyn Store>) {
    let world = World::new(store.clone());
    let mut bot = world.bot("restored in time");
    bot.state = BotState::Trashed;
    bot.updated_at = Timestamp::from_millis(1_000);
    world.store_bot(&bot);
    let id = bot.id;
    let act: Act = Box::new(move |store| {
        let restore = move |tx: &mut dyn crate::store::Repositories| {
            let mut bot = tx.bot_in_any_state(OPERATOR, id, Lock::Exclusive)?.unwrap();
            bot.state = BotState::Active;
            let project = tx.project(OPERATOR, bot.project_id)?.unwrap();
            let organisation = project.organisation_id;
            let scope = crate::access::BotScope::of(organisation, &bot, None);
            Ok(tx.update_bot(&scope, &bot)?)
        };
        wait(store.write(restore)).unwrap();
    });
    let interrupted = Interrupted { store, act: Mutex::new(Some(act)) };
    let ports = Ports {
        store: Arc::new(interrupted),
        clock: Arc::new(SetClock::at(100_000)),
        entropy: Arc::new(SeededEntropy::new(1)),
    };
    let botyard = Botyard::new(ports, Limits::default(), ModelSources::default());
    let purged = wait(botyard.bots.purge_trash(OPERATOR, Duration::from_secs(1))).unwrap();
    assert_eq!(purged, 0);
    let found = world.read(move |tx| Ok(tx.bot_in_any_state(OPERATOR, id, Lock::None)?));
    assert_eq!(found.map(|bot| bot.state), Some(BotState::Active));
}
