//! Tokens.

use std::sync::Arc;

use crate::world::{OPERATOR, World, at};
use domain::access::{Scope, ScopeSet, Token, TokenDigest, TokenOwner};
use domain::bot::BotState;
use domain::lock::Lock;
use domain::store::Store;
use domain::testing::ResolveClaim as _;

fn by_digest(world: &World, token: &Token) -> Option<Token> {
    let digest = token.digest;
    world.read(move |tx| Ok(tx.token_by_digest(&digest)?))
}

pub(crate) fn a_token_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let mut archived = world.bot("archived");
    archived.state = BotState::Archived;
    world.store_bot(&archived);

    let bare = world.token(TokenOwner::Project);
    let mut full = world.token(TokenOwner::Bot(archived.id));
    full.name = "Schlüssel 🔑 'x'".to_owned();
    full.scopes = ScopeSet::of(&[Scope::StatsRead, Scope::BotRead]);
    full.read_only = true;
    full.expires_at = Some(at(1));
    full.revoked_at = Some(at(2));
    full.last_used_at = Some(at(3));
    let mut without_scopes = world.token(TokenOwner::Project);
    without_scopes.scopes = ScopeSet::NONE;
    for token in [bare, full, without_scopes] {
        world.store_token(&token);
        assert_eq!(by_digest(&world, &token), Some(token));
    }
}

pub(crate) fn an_unknown_digest_finds_nothing(store: Arc<dyn Store>) {
    let world = World::new(store);
    let stored = world.token(TokenOwner::Project);
    world.store_token(&stored);
    assert_eq!(by_digest(&world, &world.token(TokenOwner::Project)), None);
    let mut close = stored.clone();
    let mut bytes = *stored.digest.as_bytes();
    bytes[31] ^= 1;
    close.digest = TokenDigest::from_bytes(bytes);
    assert_eq!(by_digest(&world, &close), None);
}

/// A valid token, one without end, one that ends, one that has ended, one that was revoked.
fn of_all_validities(world: &World, owner: TokenOwner) -> [Token; 4] {
    let mut tokens = [(); 4].map(|()| world.token(owner));
    tokens[1].expires_at = Some(at(101));
    tokens[2].expires_at = Some(at(100));
    tokens[3].revoked_at = Some(at(1));
    for token in &tokens {
        world.store_token(token);
    }
    tokens
}

pub(crate) fn only_valid_tokens_of_a_bot_are_listed(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let tokens = of_all_validities(&world, TokenOwner::Bot(bot.id));
    world.store_token(&world.token(TokenOwner::Bot(neighbour.id)));
    world.store_token(&world.token(TokenOwner::Project));
    let scope = world.scope(&bot);
    let live = world.read(move |tx| Ok(tx.valid_tokens_of_bot(&scope, at(100))?));
    assert_eq!(live, tokens[..2]);
    assert!(live.iter().all(|token| token.is_valid_at(at(100))));
}

pub(crate) fn live_tokens_of_several_bots_come_in_one_list(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bots = ["a", "b", "c"].map(|name| world.stored_bot(name));
    let mut expected = Vec::new();
    for bot in &bots {
        let tokens = of_all_validities(&world, TokenOwner::Bot(bot.id));
        if bot.id != bots[1].id {
            expected.extend_from_slice(&tokens[..2]);
        }
    }
    let missing = world.bot("missing").id;
    let live = |ids: Vec<_>| {
        let claim = world.claim_on_project();
        world.read(move |tx| {
            let (_, scope) = claim.resolve(tx, Lock::None)?;
            Ok(tx.valid_tokens_of_bots(&scope, &ids, at(100))?)
        })
    };
    assert_eq!(live(vec![bots[2].id, missing, bots[0].id]), expected);
    assert_eq!(live(vec![]), []);
}

pub(crate) fn tokens_are_listed_oldest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let other = world.other_project();
    let foreign = {
        let mut token = world.token(TokenOwner::Project);
        token.project_id = other.id;
        token
    };
    world.store_token(&foreign);
    let of_project = of_all_validities(&world, TokenOwner::Project);
    let of_bot = of_all_validities(&world, TokenOwner::Bot(bot.id));
    let list = |project, bot| world.read(move |tx| Ok(tx.tokens(OPERATOR, project, bot)?));
    assert_eq!(list(world.project.id, None), [of_project, of_bot.clone()].concat());
    assert_eq!(list(world.project.id, Some(bot.id)), of_bot);
    assert_eq!(list(other.id, None), [foreign]);
    assert_eq!(list(other.id, Some(bot.id)), []);
}

pub(crate) fn a_token_is_revoked_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (mut token, other) = (world.token(TokenOwner::Project), world.token(TokenOwner::Project));
    world.store_token(&token);
    world.store_token(&other);
    let revoke = |token: &Token, offset| {
        let id = token.id;
        world.write(move |tx| Ok(tx.revoke_token(OPERATOR, id, at(offset))?))
    };
    token.revoked_at = Some(at(10));
    assert_eq!(revoke(&token, 10), Some((token.clone(), true)));
    assert_eq!(revoke(&token, 20), Some((token.clone(), false)));
    assert_eq!(by_digest(&world, &token), Some(token));
    assert_eq!(by_digest(&world, &other), Some(other));
    assert_eq!(revoke(&world.token(TokenOwner::Project), 10), None);
}

pub(crate) fn the_time_of_use_never_goes_back(store: Arc<dyn Store>) {
    let world = World::new(store);
    let tokens = [(); 3].map(|()| world.token(TokenOwner::Project));
    for token in &tokens {
        world.store_token(token);
    }
    let missing = world.token(TokenOwner::Project).id;
    let (first, second) = (tokens[0].id, tokens[1].id);
    for uses in [
        vec![(second, at(50)), (missing, at(50)), (first, at(50))],
        vec![(first, at(40)), (second, at(60))],
        vec![],
    ] {
        world.write(move |tx| Ok(tx.record_token_uses(OPERATOR, &uses)?));
    }
    let used = tokens.map(|token| by_digest(&world, &token).unwrap().last_used_at);
    assert_eq!(used, [Some(at(50)), Some(at(60)), None]);
}

pub(crate) fn a_token_needs_its_bot_in_its_project(store: Arc<dyn Store>) {
    let world = World::new(store);
    let foreign = world.bot_of(&world.other_project());
    let other_organisation = world.organisation("elsewhere");
    let stored = other_organisation.clone();
    world.write(move |tx| Ok(tx.insert_organisation(OPERATOR, &stored)?));
    let mut astray = world.token(TokenOwner::Project);
    astray.organisation_id = other_organisation.id;
    for token in [
        world.token(TokenOwner::Bot(world.bot("missing").id)),
        world.token(TokenOwner::Bot(foreign.id)),
        astray,
    ] {
        let refused = token.clone();
        assert!(world.try_write(move |tx| Ok(tx.insert_token(OPERATOR, &refused)?)).is_err());
        assert_eq!(by_digest(&world, &token), None);
    }
}

pub(crate) fn a_bot_loses_all_its_tokens_at_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let owner = TokenOwner::Bot(bot.id);
    let mut tokens = of_all_validities(&world, owner);
    let kept = of_all_validities(&world, TokenOwner::Bot(neighbour.id));
    let scope = world.scope(&bot);
    world.write(move |tx| Ok(tx.revoke_tokens_of_bot(&scope, at(50))?));
    for token in &mut tokens[..3] {
        token.revoked_at = Some(at(50));
    }
    assert_eq!(world.tokens_of(&bot), tokens);
    assert_eq!(world.tokens_of(&neighbour), kept);
    for (limit, count, left) in [(0, 0, 4), (3, 3, 1), (3, 1, 0), (3, 0, 0)] {
        let scope = world.scope(&bot);
        assert_eq!(world.write(move |tx| Ok(tx.remove_tokens_of_bot(&scope, limit)?)), count);
        assert_eq!(world.tokens_of(&bot), tokens[4 - left..]);
    }
    let other = world.other_project();
    let forged = world.forged_scope(&neighbour, &other);
    world.write(move |tx| {
        tx.revoke_tokens_of_bot(&forged, at(50))?;
        assert_eq!(tx.remove_tokens_of_bot(&forged, 9)?, 0);
        Ok(())
    });
    assert_eq!(world.tokens_of(&neighbour), kept);
}
