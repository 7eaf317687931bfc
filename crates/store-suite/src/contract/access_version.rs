//! The version of everything that tokens depend on.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use crate::world::{OPERATOR, World, at};
use domain::access::TokenOwner;
use domain::bot::BotState;
use domain::lock::Lock;
use domain::store::Store;
use domain::testing::ResolveClaim as _;

/// The version, once nothing moves it any more: news of a change may arrive more than once.
fn settled(world: &World) -> u64 {
    const QUIET: Duration = Duration::from_millis(700);
    let deadline = Instant::now() + Duration::from_secs(20);
    let (mut version, mut since) = (world.store.access_version(), Instant::now());
    while since.elapsed() < QUIET || version.is_none() {
        assert!(Instant::now() < deadline, "the version does not settle");
        thread::sleep(Duration::from_millis(20));
        let now = world.store.access_version();
        if now != version {
            (version, since) = (now, Instant::now());
        }
    }
    version.unwrap()
}

pub(crate) fn changes_of_tokens_raise_the_version(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let (token, claim) = (world.token(TokenOwner::Bot(bot.id)), world.claim(&bot));
    let mut version = settled(&world);
    let mut raised = |what: &str, change: &dyn Fn()| {
        change();
        // It rises at once in this process: a caller that got the answer relies on it.
        let now = world.store.access_version().unwrap();
        assert!(now > version, "{what}");
        assert!(world.store.access_changed(bot.project_id).unwrap() > version, "{what}");
        version = settled(&world);
        assert!(version >= now, "{what}");
    };
    raised("minting", &|| world.store_token(&token));
    raised("revoking", &|| {
        let id = token.id;
        world.write(move |tx| Ok(tx.revoke_token(OPERATOR, id, at(9))?));
    });
    raised("minting again", &|| world.store_token(&world.token(TokenOwner::Bot(bot.id))));
    raised("revoking all of a bot", &|| {
        let claim = claim.clone();
        world.write(move |tx| {
            let (_, scope) = claim.resolve(tx, Lock::Exclusive)?;
            Ok(tx.revoke_tokens_of_bot(&scope, at(9))?)
        });
    });
    raised("removing", &|| {
        let scope = world.scope(&bot);
        world.write(move |tx| Ok(tx.remove_tokens_of_bot(&scope, 10)?));
    });
    raised("archiving a bot", &|| {
        let (scope, state) = (world.scope(&bot), BotState::Archived);
        world.write(move |tx| Ok(tx.set_bot_state(&scope, state, at(9))?));
    });
}

pub(crate) fn other_changes_leave_the_version_alone(store: Arc<dyn Store>) {
    let world = World::new(store);
    let mut bot = world.stored_bot("bot");
    let token = world.token(TokenOwner::Bot(bot.id));
    world.store_token(&token);
    let before = settled(&world);
    bot.config.name = "another".to_owned();
    world.stored_bot("one more");
    let (scope, uses) = (world.scope(&bot), [(token.id, at(50))]);
    let entry = world.entry(&scope, &[]);
    world.write(move |tx| {
        tx.update_bot(&scope, "bot", (&bot.config, None), at(50))?;
        tx.record(&scope, &entry, None)?;
        Ok(tx.record_token_uses(OPERATOR, &uses)?)
    });
    // A unit that is undone has changed nothing.
    let undone = world.token(TokenOwner::Project);
    let refused: Result<(), _> = world.try_write(move |tx| {
        tx.insert_token(OPERATOR, &undone)?;
        Err(domain::DomainError::Unauthenticated)
    });
    assert!(refused.is_err());
    assert_eq!(settled(&world), before);
}
