//! Configurations of megabytes, which are stored and removed in several units of work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::acting_store::ActingStore;
use crate::services::installation::Installation;
use crate::world::{OPERATOR, World, project_of, together, wait};
use domain::Limits;
use domain::access::Claim as _;
use domain::bot::{Bot, BotConfig, DeleteMode, REMOVE_CONFIG, TEARDOWN_BOT};
use domain::entity_tag::Tagged as _;
use domain::error::{Busy, DomainError, Quota, StorageError};
use domain::id::ConfigId;
use domain::precondition::Precondition;
use domain::store::Store;
use domain::testing::RunUnits as _;

/// Long texts of a configuration; one has at most 1 MiB.
const FIELDS: [&str; 4] = ["customJs", "customCss", "botInstruction", "summarizePrompt"];
/// As many units store a configuration before the one that gives it to a bot.
const PARTS: usize = 4;

/// A body that makes a configuration long. Its characters have three bytes each, so that parts do not end where they
/// are full.
fn long(letter: &str) -> String {
    let text = letter.repeat((1 << 20) / letter.len() - 100);
    let fields = FIELDS.map(|field| format!(r#""{field}":"{text}""#));
    format!(r#"{{"name":"{}",{}}}"#, letter, fields.join(","))
}

/// The first text of a bot that the API finds.
fn text(world: &World, bot: &Bot) -> Option<String> {
    world.find(bot)?.config.custom_js
}

fn is_there(world: &World, bot: &Bot, config: &str) -> bool {
    let (scope, id) = (project_of(&world.scope(bot)), ConfigId::parse(config).unwrap());
    world.try_write(move |tx| Ok(tx.append_to_config(&scope, id, "x")?)).is_ok()
}

pub(crate) fn a_large_configuration_is_stored_in_steps(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    for letter in ["€", "ü"] {
        let before = world.find(&bot).unwrap();
        // That the bot is found short or long, the steps, and then the unit that gives it to the bot.
        let (seen, found) = (Arc::<AtomicBool>::default(), world.claim(&bot));
        let (of_act, expected) = (seen.clone(), before.config.custom_js.clone());
        let watched = ActingStore::before(1 + PARTS, store.clone(), move |store| {
            let read = store.read(move |tx| Ok(tx.live_bot(&found, domain::lock::Lock::None)?));
            assert_eq!(wait(read).unwrap().unwrap().config.custom_js, expected);
            of_act.store(true, Ordering::Relaxed);
            Ok(())
        });
        let update = installation.body(&long(letter));
        let updated = wait(installation.behind(watched).bots.update(&claim, update)).unwrap();
        assert!(seen.load(Ordering::Relaxed), "fewer units stored it");
        assert_eq!(world.find(&bot), Some(updated.bot.clone()));
        assert_eq!(updated.bot.config.name, letter);
        assert!(updated.bot.config.bot_instruction.unwrap().starts_with(letter));
        // What was stored before goes, and nothing else is left to be done.
        let removed: &[_] = if before.config.custom_js.is_none() { &[] } else { &[REMOVE_CONFIG] };
        assert_eq!(installation.work(), removed);
        assert_eq!(installation.jobs(), []);
    }

    let project = world.claim_on_project();
    let created = ActingStore::before(PARTS, store, |_| Err(StorageError::Overloaded.into()));
    let behind = installation.behind(created);
    let create = || wait(behind.bots.create(&project, installation.body(&long("€"))));
    assert_eq!(create().map(drop), Err(StorageError::Overloaded.into()));
    let created = create().unwrap().bot;
    assert_eq!(world.find(&created), Some(created));
}

pub(crate) fn a_large_configuration_that_no_bot_gets_is_removed(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    for units_before in 2..=1 + PARTS {
        let broken = ActingStore::before(units_before, store.clone(), |_| {
            Err(StorageError::Overloaded.into())
        });
        let behind = installation.behind(broken);
        let update = behind.bots.update(&claim, installation.body(&long("€")));
        assert_eq!(wait(update).map(drop), Err::<_, DomainError>(StorageError::Overloaded.into()));
        assert_eq!(text(world, &bot), None);
        let [job] = &installation.jobs()[..] else { panic!("{:?}", installation.jobs()) };
        assert!(is_there(world, &bot, &job.subject));
        // Its own process has it removed at once, others when it can't be finished any more.
        assert_eq!(installation.work(), []);
        wait(behind.bots.remove_unfinished(OPERATOR)).unwrap();
        assert_eq!(installation.work(), [REMOVE_CONFIG]);
        assert_eq!(installation.jobs(), []);
        assert!(!is_there(world, &bot, &job.subject));
    }
}

/// A removal that has begun is not stopped any more.
pub(crate) fn a_configuration_that_is_being_removed_is_given_to_no_bot(store: Arc<dyn Store>) {
    let installation = Arc::new(Installation::new(store.clone()));
    let bot = installation.world.stored_bot("bot");
    let claim = installation.world.claim(&bot);
    for units_before in [3, 1 + PARTS] {
        let of_act = installation.clone();
        let late = ActingStore::before(units_before, store.clone(), move |_| {
            of_act.wait_until(std::time::Duration::from_secs(60 * 60 * units_before as u64));
            assert_eq!(of_act.work(), [REMOVE_CONFIG]);
            Ok(())
        });
        let update = installation.body(&long("€"));
        let update = wait(installation.behind(late).bots.update(&claim, update));
        assert!(
            matches!(update, Err(DomainError::Storage(StorageError::Contended(_)))),
            "{update:?}"
        );
        assert_eq!(text(&installation.world, &bot), None);
        assert_eq!(installation.jobs(), []);
    }
}

pub(crate) fn a_large_configuration_stays_as_long_as_a_bot_has_it(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let (world, bots) = (&installation.world, &installation.botyard.bots);
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    wait(bots.update(&claim, installation.body(&long("€")))).unwrap();
    let copy = wait(bots.duplicate(&claim, installation.body("{}"))).unwrap().bot;
    wait(bots.update(&claim, installation.body(r#"{"customJs":"short"}"#))).unwrap();
    assert_eq!(installation.work(), []);
    assert_eq!(world.find(&copy), Some(copy.clone()));
    wait(bots.delete(&world.claim(&copy), DeleteMode::Delete)).unwrap();
    assert_eq!(installation.work(), [TEARDOWN_BOT, REMOVE_CONFIG]);
    assert_eq!(text(world, &bot).as_deref(), Some("short"));
    assert_eq!(installation.jobs(), []);
}

/// A change that is refused stores nothing before.
pub(crate) fn nothing_is_stored_in_vain(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    let update =
        |body: &str| wait(installation.botyard.bots.update(&claim, installation.body(body)));
    let old = Precondition::Matches(vec![update(&long("€")).unwrap().entity_tag()]);
    update(r#"{"temperature":0.5}"#).unwrap();
    let _ = installation.work();
    let stored = Arc::<AtomicBool>::default();
    let of_act = stored.clone();
    // The first unit finds that the bot is long.
    let watched = ActingStore::perhaps_before(1, store, move |_| {
        of_act.store(true, Ordering::Relaxed);
        Ok(())
    });
    let (behind, conditional) = (installation.behind(watched), claim.clone().only_if(old));
    let refused = behind.bots.update(&conditional, installation.body(r#"{"temperature":1}"#));
    let refused = wait(refused).map(drop);
    assert!(matches!(refused, Err(DomainError::PreconditionFailed(Some(_)))), "{refused:?}");
    assert!(!stored.load(Ordering::Relaxed));

    // So many that are being stored or removed are enough.
    let scope = project_of(&world.scope(&bot));
    let ids: Vec<_> = (0..16).map(|_| ConfigId::from_uuid(world.id())).collect();
    let begun = ids.clone();
    world.write(move |tx| Ok(begun.iter().try_for_each(|id| tx.insert_config(&scope, *id))?));
    let update = || update(r#"{"temperature":1}"#).map(drop);
    assert_eq!(update(), Err(DomainError::Busy(Busy::Configurations(16))));
    let scope = project_of(&world.scope(&bot));
    world.write(move |tx| Ok(tx.remove_unused_config(&scope, ids[0], 1)?));
    assert_eq!(update(), Ok(()));
}

pub(crate) fn large_configurations_of_a_project_have_a_quota(store: Arc<dyn Store>) {
    const LIMIT: u64 = 10 << 20;
    let limits = Limits { content_per_project: LIMIT, ..Limits::default() };
    let installation = Installation::with(store, limits);
    let world = &installation.world;
    let bots = ["a", "b", "c", "d"].map(|name| world.stored_bot(name));
    let change = |bot: &Bot, body: &str| {
        let update = installation.body(body);
        wait(installation.botyard.bots.update(&world.claim(bot), update)).map(drop)
    };
    let exceeded = Err(DomainError::QuotaExceeded(Quota::ConfigurationsPerProject(LIMIT)));
    // Each has 4 MiB.
    assert_eq!(change(&bots[0], &long("€")), Ok(()));
    assert_eq!(change(&bots[1], &long("€")), Ok(()));
    assert_eq!(change(&bots[2], &long("€")), exceeded);
    assert_eq!(world.find(&bots[2]), Some(bots[2].clone()));
    // A copy shares it, until it is changed.
    let copy =
        wait(installation.botyard.bots.duplicate(&world.claim(&bots[0]), installation.body("{}")));
    let copy = copy.unwrap().bot;
    assert_eq!(change(&copy, r#"{"temperature":1}"#), exceeded);
    assert_eq!(change(&bots[3], r#"{"temperature":1}"#), Ok(()));
    // Less is always possible.
    let shorter = FIELDS.map(|field| format!(r#""{field}":null"#)).join(",");
    assert_eq!(change(&bots[1], &format!("{{{shorter}}}")), Ok(()));
    installation.work();
    assert_eq!(change(&copy, r#"{"temperature":1}"#), Ok(()));
}

pub(crate) fn changes_of_a_large_configuration_at_once_all_hold(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let claim = world.claim(&bot);
    let bots = &installation.botyard.bots;
    wait(bots.update(&claim, installation.body(&long("€")))).unwrap();
    let others = ["customChatCss", "customVoiceCss", "customAvatarCss", "helpUrls"];
    for answer in together(others.len(), |number| {
        let body = format!(r#"{{"{}":"changed"}}"#, others[number]);
        wait(bots.update(&claim, installation.body(&body))).map(drop)
    }) {
        assert_eq!(answer, Ok(()));
    }
    let BotConfig { custom_chat_css, custom_voice_css, custom_avatar_css, help_urls, .. } =
        world.find(&bot).unwrap().config;
    for text in [custom_chat_css, custom_voice_css, custom_avatar_css, help_urls] {
        assert_eq!(text.as_deref(), Some("changed"));
    }
    let _ = installation.work();
    assert_eq!(installation.jobs(), []);
}
