//! Bots.

use std::sync::Arc;

use crate::world::{OPERATOR, World, at};
use domain::access::{BotClaim, TokenOwner};
use domain::bot::{
    ActiveDocSearchType, Bot, BotConfig, BotKind, BotState, BotSummary, BotUnlessLarge,
    ChatMsgSourceOption, ReasoningEffort, SpeechRecognitionMode, TextVerbosity,
};
use domain::changelog::ChangelogFilter;
use domain::id::BotId;
use domain::json::{JsonObject, Number};
use domain::lock::Lock;
use domain::store::{Repositories, Store};
use domain::testing::ResolveClaim as _;

const KINDS: [BotKind; 3] = [BotKind::Regular, BotKind::Demo, BotKind::Template];
const STATES: [BotState; 3] = [BotState::Active, BotState::Archived, BotState::Trashed];

/// A configuration with a value of every type, some of them at their limits.
fn full_config() -> BotConfig {
    let object = |text| JsonObject::parse(text).unwrap();
    BotConfig {
        name: "Zoë 🤖 \"quoted\" \\ 'single' \u{202e}\u{7f}".to_owned(),
        custom_js: Some("ß".repeat(512 * 1024)),
        custom_css: Some("x".repeat(1024 * 1024)),
        bot_instruction: Some(String::new()),
        help_urls: Some("line one\r\nline two\ttab".to_owned()),
        bot_password: Some("geheim".to_owned()),
        temperature: Some(Number(0.1)),
        seconds_to_wait_for_thread_deleting: Some(0),
        delete_guests_after_days: Some(u64::MAX),
        tag_list: Some(vec!["b".to_owned(), "a".to_owned(), String::new(), "b".to_owned()]),
        stop_words: Some(Vec::new()),
        word_replacements: Some(vec![object(r#"{"z":1,"a":{"deep":[null]}}"#)]),
        compliance_text: Some(object(
            r#"{ "spelling" : 1.50, "big":123456789012345678901234567890 }"#,
        )),
        storageaccess_text: Some(object("{}")),
        model_source: Some("hosted".to_owned()),
        reasoning_effort: Some(ReasoningEffort::Xhigh),
        text_verbosity: Some(TextVerbosity::Low),
        chat_msg_source_option: Some(ChatMsgSourceOption::Linking),
        speech_recognition_mode: Some(SpeechRecognitionMode::Auto),
        active_doc_search_type: Some(ActiveDocSearchType::Combined),
        is_public: Some(true),
        websearch: Some(false),
        ..BotConfig::default()
    }
}

pub(crate) fn a_bot_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let mut full = world.bot("");
    full.config = full_config();
    let bare = world.bot("bare");
    for bot in [full, bare] {
        world.store_bot(&bot);
        assert_eq!(world.summary(&bot), Some(bot.summary()));
        let claim = world.claim(&bot);
        for lock in [Lock::None, Lock::Shared, Lock::Exclusive] {
            let claim = claim.clone();
            let found = world.write(move |tx| Ok(tx.live_bot(&claim, lock)?));
            assert_eq!(found, Some(bot.clone()), "{lock:?}");
        }
        assert_eq!(world.read(move |tx| Ok(tx.live_bot(&claim, Lock::None)?)), Some(bot));
    }
}

pub(crate) fn a_large_configuration_is_read_only_on_demand(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (mut long, short) = (world.bot("long"), world.stored_bot("short"));
    long.config = full_config();
    world.store_bot(&long);
    for lock in [Lock::None, Lock::Shared, Lock::Exclusive] {
        let found = |bot: &Bot| {
            let claim = world.claim(bot);
            world.write(move |tx| Ok(tx.live_bot_unless_large(&claim, lock)?))
        };
        assert_eq!(found(&short), Some(BotUnlessLarge::Small(Box::new(short.clone()))), "{lock:?}");
        assert!(matches!(found(&long), Some(BotUnlessLarge::Large(_))), "{lock:?}");
        assert_eq!(found(&world.bot("missing")), None, "{lock:?}");
    }
    // Whatever is stored, and whenever, it is not the same any more.
    let now = |claim: BotClaim| {
        world.read(move |tx| Ok(tx.live_bot_unless_large(&claim, Lock::None)?)).unwrap()
    };
    let first = now(world.claim(&long));
    assert_eq!(now(world.claim(&long)), first);
    let (scope, config) = (world.scope(&long), long.config.clone());
    world.write(move |tx| {
        Ok(tx.update_bot(&scope, &config.name, (&config, None), long.updated_at)?)
    });
    let second = now(world.claim(&long));
    assert_ne!(second, first);
    let scope = world.scope(&long);
    world.write(move |tx| Ok(tx.set_bot_state(&scope, BotState::Active, at(2))?));
    assert_ne!(now(world.claim(&long)), second);
    let scope = world.scope(&long);
    world.write(move |tx| Ok(tx.set_bot_state(&scope, BotState::Archived, at(1))?));
    let claim = world.claim(&long);
    assert!(world.read(move |tx| Ok(tx.live_bot_unless_large(&claim, Lock::None)?.is_none())));
}

/// One bot of each kind in each state, stored, oldest first.
fn all_sorts(world: &World) -> Vec<Bot> {
    let mut bots = Vec::new();
    for kind in KINDS {
        for state in STATES {
            let mut bot = world.bot("sort");
            (bot.kind, bot.state) = (kind, state);
            world.store_bot(&bot);
            bots.push(bot);
        }
    }
    bots
}

pub(crate) fn a_bot_comes_back_in_every_state_and_kind(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bots = all_sorts(&world);
    for bot in &bots {
        assert_eq!(world.summary(bot), Some(bot.summary()));
    }
    let project = world.project.id;
    let bots: Vec<_> = bots.iter().map(Bot::summary).collect();
    assert_eq!(world.read(move |tx| Ok(tx.bots_in_any_state(OPERATOR, project)?)), bots);
    assert_eq!(world.summary(&world.bot("missing")), None);
}

pub(crate) fn only_active_regular_bots_are_live(store: Arc<dyn Store>) {
    let world = World::new(store);
    let mut live = Vec::new();
    for bot in all_sorts(&world) {
        let claim = world.claim(&bot);
        for lock in [Lock::None, Lock::Shared, Lock::Exclusive] {
            let claim = claim.clone();
            let found = world.write(move |tx| {
                Ok([tx.live_bot(&claim, lock)?.is_some(), tx.has_live_bot(&claim, lock)?])
            });
            assert_eq!(found, [bot.is_live(); 2], "{:?} {:?}", bot.kind, bot.state);
        }
        if bot.is_live() {
            live.push(bot);
        }
    }
    let claim = world.claim_on_project();
    let (listed, counted) = world.read(move |tx| {
        let (_, scope) = claim.resolve(tx, Lock::None)?;
        Ok((tx.live_bots(&scope, None, 100)?.into_items(), tx.count_bots(&scope)?))
    });
    assert_eq!((listed, counted), (live, 9));
}

pub(crate) fn live_bots_are_paged_oldest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    world.bot_of(&world.other_project());
    let bots: Vec<_> = ["c", "a", "d", "b", "e"].map(|name| world.stored_bot(name)).into();
    let page = |after: Option<BotId>, limit| {
        let claim = world.claim_on_project();
        world.read(move |tx| {
            let (_, scope) = claim.resolve(tx, Lock::None)?;
            Ok(tx.live_bots(&scope, after, limit)?.into_items())
        })
    };
    assert_eq!(page(None, 100), bots);
    assert_eq!(page(None, 5), bots);
    assert_eq!(page(None, 2), bots[..2]);
    assert_eq!(page(Some(bots[1].id), 2), bots[2..4]);
    assert_eq!(page(Some(bots[3].id), 2), bots[4..]);
    assert_eq!(page(Some(bots[4].id), 2), []);
    // A cursor need not stand for a bot of this project, or for any that still is.
    assert_eq!(page(Some(BotId::from_uuid(uuid::Uuid::nil())), 1), bots[..1]);
    assert_eq!(page(Some(BotId::from_uuid(uuid::Uuid::max())), 1), []);
}

pub(crate) fn an_update_changes_one_bot_only(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (mut bot, neighbour) = (world.stored_bot("before"), world.stored_bot("neighbour"));
    bot.config = full_config();
    bot.updated_at = at(77);
    let (scope, changed) = (world.scope(&bot), bot.config.clone());
    world.write(move |tx| Ok(tx.update_bot(&scope, "before", (&changed, None), at(77))?));
    assert_eq!(world.find(&bot), Some(bot.clone()));
    bot.config.active_doc_search_count = Some(7);
    let (scope, changed) = (world.scope(&bot), bot.config.clone());
    world.write(move |tx| Ok(tx.update_bot(&scope, &changed.name, (&changed, None), at(77))?));
    assert_eq!(world.find(&bot), Some(bot.clone()));
    for (time, state) in [(78, BotState::Archived), (79, BotState::Trashed)] {
        let scope = world.scope(&bot);
        world.write(move |tx| Ok(tx.set_bot_state(&scope, state, at(time))?));
        let expected = BotSummary { state, updated_at: at(time), ..bot.summary() };
        assert_eq!((world.summary(&bot), world.find(&bot)), (Some(expected), None));
    }
    let scope = world.scope(&bot);
    world.write(move |tx| Ok(tx.set_bot_state(&scope, BotState::Active, at(77))?));
    assert_eq!(world.find(&bot), Some(bot));
    assert_eq!(world.find(&neighbour), Some(neighbour));
}

pub(crate) fn a_deleted_bot_is_found_only_by_its_teardown(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (mut bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let (id, project) = (bot.id, world.project.id);
    let deleted = move |tx: &mut dyn Repositories| Ok(tx.deleted_bot(OPERATOR, id)?);
    assert_eq!(world.write(deleted), None);

    bot.state = BotState::Deleted;
    bot.updated_at = at(77);
    let scope = world.scope(&bot);
    world.write(move |tx| Ok(tx.set_bot_state(&scope, BotState::Deleted, at(77))?));
    assert_eq!(world.write(deleted), Some(bot.summary()));
    let claim = world.claim(&bot);
    for lock in [Lock::None, Lock::Shared, Lock::Exclusive] {
        let claim = claim.clone();
        let found = world.write(move |tx| {
            Ok((tx.live_bot(&claim, lock)?, tx.bot_in_any_state(OPERATOR, id, lock)?))
        });
        assert_eq!(found, (None, None));
    }
    let claim = world.claim_on_project();
    let (live, count, all, trashed) = world.read(move |tx| {
        let (_, scope) = claim.resolve(tx, Lock::None)?;
        let trashed = tx.bots_trashed_before(OPERATOR, at(1_000), 1_000)?;
        let all = tx.bots_in_any_state(OPERATOR, project)?;
        Ok((tx.live_bots(&scope, None, 10)?.into_items(), tx.count_bots(&scope)?, all, trashed))
    });
    let others = vec![neighbour.summary()];
    assert_eq!((live, count, all), (vec![neighbour], 1, others));
    assert!(!trashed.contains(&bot.id));

    // It can't be brought back.
    let (scope, back) = (world.scope(&bot), bot.config.clone());
    assert!(
        world
            .try_write(move |tx| Ok(tx.update_bot(&scope, &back.name, (&back, None), at(78))?))
            .is_err()
    );
    let scope = world.scope(&bot);
    let back = BotState::Active;
    assert!(world.try_write(move |tx| Ok(tx.set_bot_state(&scope, back, at(78))?)).is_err());
    assert_eq!(world.write(deleted), Some(bot.summary()));
    for is_there in [true, false] {
        let scope = world.scope(&bot);
        let removed = world.try_write(move |tx| Ok(tx.remove_deleted_bot(&scope)?));
        assert_eq!(removed.is_ok(), is_there);
        assert_eq!(world.write(deleted), None);
    }
}

pub(crate) fn bots_of_another_project_are_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let other = world.other_project();
    let foreign = world.bot_of(&other);
    let token = {
        let mut token = world.token(TokenOwner::Bot(foreign.id));
        token.project_id = other.id;
        token
    };
    world.store_token(&token);
    world.store_entry(&world.scope(&foreign), &world.entry(&world.scope(&foreign), &[]));

    // Everything below says: this bot, but in my project.
    let forged = world.forged_scope(&foreign, &world.project);
    let mut claimed = foreign.clone();
    claimed.project_id = world.project.id;
    let claim = world.claim(&claimed);
    for lock in [Lock::None, Lock::Shared, Lock::Exclusive] {
        let claim = claim.clone();
        let found =
            world.write(move |tx| Ok((tx.live_bot(&claim, lock)?, tx.has_live_bot(&claim, lock)?)));
        assert_eq!(found, (None, false));
    }
    let scope = forged.clone();
    let (tokens, entries) = world.read(move |tx| {
        Ok((
            tx.valid_tokens_of_bot(&scope, at(0))?,
            tx.changelog(&scope, ChangelogFilter::default(), None, 10)?.into_items(),
        ))
    });
    assert_eq!((tokens, entries), (Vec::new(), Vec::new()));
    let (claim, id) = (world.claim_on_project(), foreign.id);
    let tokens = world.read(move |tx| {
        let (_, scope) = claim.resolve(tx, Lock::None)?;
        Ok(tx.valid_tokens_of_bots(&scope, &[id], at(0))?)
    });
    assert_eq!(tokens, []);

    let (scope, mut changed) = (forged.clone(), foreign.clone());
    changed.config.name = "stolen".to_owned();
    assert!(
        world
            .try_write(move |tx| Ok(tx.update_bot(&scope, "", (&changed.config, None), at(1))?))
            .is_err()
    );
    let (scope, state) = (forged.clone(), BotState::Trashed);
    assert!(world.try_write(move |tx| Ok(tx.set_bot_state(&scope, state, at(1))?)).is_err());
    let scope = forged.clone();
    assert!(world.try_write(move |tx| Ok(tx.remove_deleted_bot(&scope)?)).is_err());
    let entry = world.entry(&forged, &[]);
    let scope = forged.clone();
    assert!(world.try_write(move |tx| Ok(tx.record(&scope, &entry, None)?)).is_err());

    assert_eq!(world.find(&foreign), Some(foreign.clone()));
    assert_eq!(world.tokens_of(&foreign), [token]);
    assert_eq!(world.changelog(&world.scope(&foreign), None, 10).len(), 1);
}

pub(crate) fn a_bot_needs_its_own_project(store: Arc<dyn Store>) {
    let world = World::new(store);
    let mut bot = world.bot("astray");
    bot.project_id = world.other_project().id;
    let (claim, astray) = (world.claim_on_project(), bot.clone());
    let refused = world.try_write(move |tx| {
        let (_, scope) = claim.resolve(tx, Lock::Exclusive)?;
        Ok(tx.insert_bot(&scope, &astray, None)?)
    });
    assert!(refused.is_err());
    assert_eq!(world.summary(&bot), None);
}

pub(crate) fn trash_is_found_by_its_age(store: Arc<dyn Store>) {
    let world = World::new(store);
    let mut old = Vec::new();
    for (age, state) in [
        (-30_i64, BotState::Trashed),
        (-20, BotState::Archived),
        (-10, BotState::Active),
        (-5, BotState::Trashed),
        (0, BotState::Trashed),
        (5, BotState::Trashed),
    ] {
        let mut bot = world.bot("trash");
        // Long ago, so that the bots of other cases are younger.
        bot.updated_at = domain::clock::Timestamp::from_millis(1_000_000 + age);
        bot.state = state;
        world.store_bot(&bot);
        if state == BotState::Trashed && age < 0 {
            old.push(bot.id);
        }
    }
    let limit_time = domain::clock::Timestamp::from_millis(1_000_000);
    let find = move |limit| {
        move |tx: &mut dyn Repositories| Ok(tx.bots_trashed_before(OPERATOR, limit_time, limit)?)
    };
    assert_eq!(world.read(find(1_000)), old);
    assert_eq!(world.read(find(1)).len(), 1);
}
