//! Services that need more than one unit of work, with another caller acting in between.

use std::sync::Arc;
use std::time::Duration;

use crate::acting_store::ActingStore;
use crate::services::installation::Installation;
use crate::world::{OPERATOR, at, wait};
use domain::bot::BotState;
use domain::lock::Lock;
use domain::store::{Repositories, Store};
use domain::testing::RunUnits as _;

pub(crate) fn a_bot_that_is_restored_in_time_is_not_purged(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let mut bot = world.bot("restored in time");
    bot.state = BotState::Trashed;
    bot.updated_at = at(-100_000);
    world.store_bot(&bot);
    let (id, scope) = (bot.id, world.scope(&bot));
    let restoring = ActingStore::by(store, move |store| {
        let restore = move |tx: &mut dyn Repositories| {
            let bot = tx.bot_in_any_state(OPERATOR, id, Lock::Exclusive)?.unwrap();
            Ok(tx.set_bot_state(&scope, BotState::Active, bot.updated_at)?)
        };
        wait(store.write(restore))
    });
    let botyard = installation.behind(restoring);
    let purged = wait(botyard.bots.purge_trash(OPERATOR, Duration::from_secs(1))).unwrap();
    assert_eq!(purged, 0);
    assert_eq!(world.find(&bot).map(|bot| bot.state), Some(BotState::Active));
}
