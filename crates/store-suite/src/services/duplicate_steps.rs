//! Duplicates of bots that are too large for one unit of work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::acting_store::ActingStore;
use crate::contract::skills::{all_skills, skill, store_skill};
use crate::samples::document_copies::{copies, copy};
use crate::samples::documents::{document, file_blob};
use crate::services::installation::Installation;
use crate::world::{OPERATOR, World, project_of, wait};
use domain::Limits;
use domain::bot::{Bot, BotWithTokens, TEARDOWN_BOT};
use domain::changelog::{Action, ChangelogEntry, KEPT};
use domain::error::{Busy, DomainError, Quota, StorageError};
use domain::lock::Lock;
use domain::skill::{Skill, SkillFields};
use domain::store::Store;
use domain::testing::{ResolveClaim as _, RunUnits as _};

/// Skills of a large bot, and the bytes of each: two fit into a unit.
const SKILLS: usize = 7;
const SKILL_BYTES: usize = 500 << 10;

fn large_bot(world: &World) -> Bot {
    let bot = world.stored_bot("bot");
    for number in 0..SKILLS {
        let small = skill(world, &bot, &number.to_string());
        let content = Some(number.to_string().repeat(SKILL_BYTES));
        let fields = SkillFields { content, ..small.fields };
        store_skill(world, &Skill { fields, ..small }, &bot);
    }
    bot
}

fn duplicate(
    installation: &Installation,
    store: Arc<dyn Store>,
    bot: &Bot,
) -> Result<BotWithTokens, DomainError> {
    let claim = installation.world.claim(bot);
    wait(installation.behind(store).bots.duplicate(&claim, installation.body("{}")))
}

fn fields(world: &World, bot: &Bot) -> Vec<SkillFields> {
    all_skills(world, bot).into_iter().map(|skill| skill.fields).collect()
}

/// How many bots the API finds.
fn live_bots(world: &World) -> usize {
    let claim = world.claim_on_project();
    world.read(move |tx| {
        let (_, scope) = claim.resolve(tx, Lock::None)?;
        Ok(tx.live_bots(&scope, None, 100)?.into_items().len())
    })
}

pub(crate) fn a_large_bot_is_copied_in_steps_and_shown_at_the_end(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let bot = large_bot(world);
    // Three units copy two skills each, one the last.
    let claim = world.claim_on_project();
    let unpublished = ActingStore::before(4, store, move |store| {
        let store: &dyn Store = store.as_ref();
        let found = wait(store.read(move |tx| {
            let (_, scope) = claim.resolve(tx, Lock::None)?;
            Ok((tx.live_bots(&scope, None, 100)?.into_items().len(), tx.count_bots(&scope)?))
        }));
        assert_eq!(found, Ok((1, 1)));
        Ok(())
    });
    let copy = duplicate(&installation, unpublished, &bot).unwrap().bot;
    assert_eq!(live_bots(world), 2);
    assert_eq!(fields(world, &copy), fields(world, &bot));
    assert_eq!(world.find(&copy), Some(copy.clone()));
    assert_eq!(installation.jobs(), [], "nothing is left to be removed");
    let recorded = |bot| installation.changelog_entries(bot).last().cloned().unwrap();
    assert_eq!(recorded(&bot).2, copy.id.to_string());
    assert_eq!((recorded(&copy).0, recorded(&copy).1), ("duplicate", "bot"));
}

/// Rows without long texts count, too.
pub(crate) fn a_bot_of_many_small_rows_is_copied_in_steps(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let file = file_blob(world, &bot, 1);
    let documents: Vec<_> = (0..1_000).map(|_| document(world, &file)).collect();
    let assigned: Vec<_> = documents.iter().map(|document| copy(world, &bot, document)).collect();
    let (scope, stored) = (world.scope(&bot), documents.clone());
    world.write(move |tx| {
        let project = project_of(&scope);
        stored.iter().try_for_each(|document| tx.insert_document(&project, document))?;
        Ok(tx.insert_bot_documents(&scope, &assigned)?)
    });
    let steps = Arc::<AtomicBool>::default();
    let is_further = steps.clone();
    let watched = ActingStore::before(1, store, move |_| {
        is_further.store(true, Ordering::Relaxed);
        Ok(())
    });
    let made = duplicate(&installation, watched, &bot).unwrap().bot;
    assert!(steps.load(Ordering::Relaxed), "one unit copied all");
    assert_eq!(copies(world, &made, &documents).len(), documents.len());
}

pub(crate) fn a_copy_begins_again_when_the_bot_was_changed(store: Arc<dyn Store>) {
    for units_before in 0..5 {
        // What begins again needs no other place.
        let limits = Limits { duplicates_per_project: 1, ..Limits::default() };
        let installation = Installation::with(store.clone(), limits);
        let world = &installation.world;
        let bot = large_bot(world);
        let (claim, botyard) = (world.claim(&bot), installation.botyard.clone());
        let late = installation.body(r#"{"name":"late"}"#);
        let changed = ActingStore::before(units_before, store.clone(), move |_| {
            wait(botyard.skills.create(&claim, late)).map(|_| ())
        });
        let (claim, behind) = (world.claim(&bot), installation.behind(changed));
        let copy = wait(behind.bots.duplicate(&claim, installation.body("{}"))).unwrap().bot;
        let copied = fields(world, &copy);
        assert_eq!(copied, fields(world, &bot), "changed after {units_before} units");
        assert_eq!(copied.len(), SKILLS + 1);
        // The first copy, if there is one, goes now, and leaves nothing.
        assert_eq!(installation.work(), []);
        wait(behind.bots.remove_unfinished(OPERATOR)).unwrap();
        let removed: &[_] = if units_before == 0 { &[] } else { &[TEARDOWN_BOT] };
        assert_eq!(installation.work(), removed);
        assert_eq!(installation.jobs(), []);
    }
}

/// It is read before the first unit that writes, and a long one is shared and not stored again.
pub(crate) fn a_copy_has_the_configuration_that_the_bot_was_given_meanwhile(store: Arc<dyn Store>) {
    let [long, other] = ["x", "y"].map(|text| text.repeat(100 << 10));
    for units_before in [0, 1, 4] {
        let texts: [(&str, &str); 3] = [("short", &long), (&long, "short"), (&long, &other)];
        for (before, after) in texts {
            let installation = Installation::new(store.clone());
            let world = &installation.world;
            let bot = if units_before == 0 { world.stored_bot("bot") } else { large_bot(world) };
            let (claim, botyard) = (world.claim(&bot), installation.botyard.clone());
            let update = |name: &str, text: &str| {
                installation.body(&format!(r#"{{"name":"{name}","botInstruction":"{text}"}}"#))
            };
            wait(botyard.bots.update(&claim, update("before", before))).unwrap();
            let update = update("after", after);
            let changed = ActingStore::before(units_before, store.clone(), move |_| {
                wait(botyard.bots.update(&claim, update)).map(drop)
            });
            let copy = duplicate(&installation, changed, &bot).unwrap().bot;
            assert_eq!(copy.config.name, "after (copy)");
            assert_eq!(copy.config.bot_instruction.as_deref(), Some(after));
            assert_eq!(world.find(&copy), Some(copy.clone()));
            let change = |field| {
                let (.., changes) = installation.changelog_entries(&copy).pop().unwrap();
                let named = format!(r#""field":"{field}""#);
                changes.to_string().contains(&named)
            };
            assert!(change("name") && change("botInstruction"));
        }
    }
}

/// Entries about copies push one about content out of the changelog: that changes nothing of the bot.
pub(crate) fn a_copy_goes_on_while_the_changelog_is_trimmed(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let bot = large_bot(world);
    let scope = world.scope(&bot);
    let of_content = world.entry(&scope, &[]);
    world.store_entry(&scope, &of_content);
    let about_copy = || ChangelogEntry { action: Action::Duplicate, ..world.entry(&scope, &[]) };
    let about_copies: Vec<_> = (0..KEPT).map(|_| about_copy()).collect();
    let (id, of_bot) = (bot.id, scope.clone());
    let trimmed = ActingStore::before(2, store, move |store| {
        let (scope, entries) = (project_of(&of_bot), about_copies.clone());
        wait(store.write(move |tx| Ok(tx.record_all(&scope, &entries)?)))?;
        let removed = store.write(move |tx| Ok(tx.trim_changelog(OPERATOR, id, 9)?));
        assert_eq!(wait(removed), Ok(1));
        Ok(())
    });
    let copy = duplicate(&installation, trimmed, &bot).unwrap().bot;
    assert_eq!(fields(world, &copy), fields(world, &bot));
    assert_eq!(installation.jobs(), [], "there is no other copy that is to be removed");
    assert!(!world.changelog(&scope, None, KEPT).contains(&of_content));
}

/// A process that is killed leaves the copy to the others.
pub(crate) fn a_copy_that_breaks_off_is_not_published_and_goes(store: Arc<dyn Store>) {
    let installation = Installation::new(store.clone());
    let world = &installation.world;
    let bot = large_bot(world);
    let broken = ActingStore::before(2, store, |_| Err(StorageError::Overloaded.into()));
    let answer = duplicate(&installation, broken, &bot);
    assert_eq!(answer, Err(StorageError::Overloaded.into()));
    assert_eq!(live_bots(world), 1);
    assert_eq!(installation.changelog_entries(&bot), []);
    let [job] = &installation.jobs()[..] else { panic!("{:?}", installation.jobs()) };
    let copy = domain::id::BotId::parse(&job.subject).unwrap();
    installation.wait_until(Duration::from_secs(20 * 60 - 1));
    assert_eq!(installation.work(), []);
    installation.wait_until(Duration::from_secs(20 * 60));
    assert_eq!(installation.work(), [TEARDOWN_BOT]);
    let left = world.read(move |tx| Ok(tx.deleted_bot(OPERATOR, copy)?));
    assert_eq!(left, None);
}

/// A node whose clock is far ahead removes the copy while it is being made, before any unit after the first.
pub(crate) fn a_copy_that_is_removed_meanwhile_is_not_filled(store: Arc<dyn Store>) {
    for units_before in 1..5 {
        let installation = Arc::new(Installation::new(store.clone()));
        let world = &installation.world;
        let bot = large_bot(world);
        let ahead = installation.clone();
        let removed = ActingStore::before(units_before, store.clone(), move |_| {
            ahead.wait_until(Duration::from_secs(60 * 60));
            assert_eq!(ahead.work(), [TEARDOWN_BOT]);
            ahead.wait_until(Duration::ZERO);
            Ok(())
        });
        let text = "copying a bot took so long that the copy is being removed";
        let contended = StorageError::Contended(text.to_owned());
        let answer = duplicate(&installation, removed, &bot);
        assert_eq!(answer, Err(contended.into()), "after {units_before} units");
        assert_eq!(live_bots(world), 1);
        assert_eq!(installation.jobs(), []);
    }
}

pub(crate) fn a_quota_that_was_used_up_meanwhile_holds(store: Arc<dyn Store>) {
    let limits = Limits { bots_per_project: 2, ..Limits::default() };
    let installation = Installation::with(store.clone(), limits);
    let world = &installation.world;
    let bot = large_bot(world);
    let (claim, botyard) = (world.claim_on_project(), installation.botyard.clone());
    let other = installation.body(r#"{"name":"other"}"#);
    let filled = ActingStore::before(1, store, move |_| {
        wait(botyard.bots.create(&claim, other)).map(|_| ())
    });
    let full = DomainError::QuotaExceeded(Quota::BotsPerProject(2));
    assert_eq!(duplicate(&installation, filled, &bot), Err(full));
    assert_eq!(live_bots(world), 2);
}

/// The limit holds for all processes together.
pub(crate) fn so_many_duplicates_of_a_project_are_made_at_once(store: Arc<dyn Store>) {
    let limits = Limits { duplicates_per_project: 1, ..Limits::default() };
    let installation = Installation::with(store.clone(), limits);
    let world = &installation.world;
    let bot = large_bot(world);
    let (other, claim) = (installation.botyard.clone(), world.claim(&bot));
    let request = installation.body("{}");
    let second = ActingStore::before(1, store.clone(), move |_| {
        let answer = wait(other.bots.duplicate(&claim, request));
        assert_eq!(answer, Err(DomainError::Busy(Busy::Duplicates(1))));
        Ok(())
    });
    duplicate(&installation, second, &bot).unwrap();
    duplicate(&installation, store, &bot).unwrap();
}

/// What is left of a duplicate that broke off counts until it is removed, which begins soon.
pub(crate) fn a_copy_that_breaks_off_keeps_its_slot_until_it_is_removed(store: Arc<dyn Store>) {
    let limits = Limits { duplicates_per_project: 1, ..Limits::default() };
    let installation = Installation::with(store.clone(), limits);
    let bot = large_bot(&installation.world);
    let broken = ActingStore::before(2, store, |_| Err(StorageError::Overloaded.into()));
    let botyard = installation.behind(broken);
    let claim = installation.world.claim(&bot);
    let duplicate = || wait(botyard.bots.duplicate(&claim, installation.body("{}")));
    let remove = || wait(botyard.bots.remove_unfinished(OPERATOR)).unwrap();
    let busy = Err(DomainError::Busy(Busy::Duplicates(1)));
    assert_eq!(duplicate(), Err(StorageError::Overloaded.into()));
    assert_eq!(duplicate(), busy);
    remove();
    assert_eq!(duplicate(), busy);
    assert_eq!(installation.work(), [TEARDOWN_BOT]);
    duplicate().unwrap();
    // A copy that is finished stays.
    remove();
    assert_eq!(installation.jobs(), []);
    assert_eq!(live_bots(&installation.world), 2);
}

pub(crate) fn a_copy_is_not_shown_if_its_project_has_no_room_for_it_any_more(
    store: Arc<dyn Store>,
) {
    let limit = (2 * SKILLS * SKILL_BYTES + 100_000) as u64;
    let limits = Limits { content_per_project: limit, ..Limits::default() };
    let installation = Installation::with(store.clone(), limits);
    let world = &installation.world;
    let (bot, neighbour) = (large_bot(world), world.stored_bot("neighbour"));
    let (claim, botyard) = (world.claim(&neighbour), installation.behind(store.clone()));
    let skill = format!(r#"{{"name":"a","content":"{}"}}"#, "x".repeat(200_000));
    let skill = installation.body(&skill);
    let beside = ActingStore::before(1, store, move |_| {
        wait(botyard.skills.create(&claim, skill)).map(drop)
    });
    let full = DomainError::QuotaExceeded(Quota::ContentPerProject(limit));
    assert_eq!(duplicate(&installation, beside, &bot), Err(full));
    assert_eq!(live_bots(world), 2);
}
