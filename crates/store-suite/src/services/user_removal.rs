//! What is removed with a deleted user, and by what.

use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::contract::feedback::{all_feedback, feedback};
use crate::contract::history::item;
use crate::contract::keyval::all_entries;
use crate::contract::usage::{all_usage, usage};
use crate::contract::users::{all_users, deleted};
use crate::intercepted_store::InterceptedStore;
use crate::services::installation::Installation;
use crate::services::user_service::{create, delete, ids_of};
use crate::world::{OPERATOR, World, at, together, wait};
use domain::bot::{Bot, DeleteMode, TEARDOWN_BOT};
use domain::error::StorageError;
use domain::feedback::Feedback;
use domain::history::HistoryItem;
use domain::id::{KeyvalEntryId, UserId};
use domain::job::{Job, Queue, StepOutcome};
use domain::json::Json;
use domain::keyval::{Entry, EntryAddress, KeyvalScope};
use domain::lock::{Lock, Mode};
use domain::store::Store;
use domain::testing::ResolveClaim as _;
use domain::user::{REMOVE_USERS, User};

/// How many items and entries a user gets: more than three batches take.
const ITEMS: usize = 450;
const ENTRIES: usize = 230;

/// Stores entries of an owner under these keys, with a user's `_id` as their userId.
fn put_entries(world: &World, scope: KeyvalScope, user: UserId, time: i64, keys: &[String]) {
    let entry = |key: &String| Entry {
        id: KeyvalEntryId::from_uuid(world.id()),
        address: EntryAddress {
            user_id: user.to_string(),
            entry_type: "type".to_owned(),
            key: key.clone(),
        },
        value: Json::of(&1),
        created_at: at(time),
        updated_at: at(time),
        accessed_at: at(time),
    };
    let entries: Vec<_> = keys.iter().map(entry).collect();
    world.write(move |tx| {
        Ok(entries.iter().try_for_each(|entry| tx.put_entry(&scope, entry.clone()).map(|_| ()))?)
    });
}

/// The keys under a user's `_id`.
fn keys(world: &World, scope: KeyvalScope, user: UserId) -> Vec<String> {
    let entries = all_entries(world, scope).into_iter();
    let own = entries.filter(|entry| entry.address.user_id == user.to_string());
    own.map(|entry| entry.address.key).collect()
}

/// Gives a user history, entries, permanent ones among them, and feedback.
fn populate(world: &World, bot: &Bot, user: &User) {
    let items: Vec<HistoryItem> =
        (0..ITEMS).map(|_| HistoryItem { bot_id: bot.id, ..item(world, user, 1) }).collect();
    let said = Feedback { user_id: Some(user.id.to_string()), ..feedback(world, bot, 1) };
    let scope = world.scope(bot);
    let used = usage(world, bot, "2026-01-31", "model");
    world.write(move |tx| {
        items.iter().try_for_each(|item| tx.insert_history_item(&scope, item))?;
        tx.add_usage(&scope, &used)?;
        Ok(tx.insert_feedback(&scope, &said)?)
    });
    let mark = |number: usize| if number.is_multiple_of(2) { "" } else { "!" };
    let keys: Vec<_> = (0..ENTRIES).map(|number| format!("{}{number}", mark(number))).collect();
    put_entries(world, (&world.scope(bot)).into(), user.id, 0, &keys);
}

/// A store that runs so many writing units and fails from there on.
fn broken_off(store: Arc<dyn Store>, units: usize) -> Arc<dyn Store> {
    let left = AtomicUsize::new(units);
    let goes_on = |left: usize| left.checked_sub(1);
    InterceptedStore::of(store, move |mode, _, unit| {
        let spent = mode == Mode::Write
            && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, goes_on).is_err();
        if spent { Err(StorageError::Overloaded.into()) } else { Ok(unit) }
    })
}

/// A delete that got no further than so many units.
fn break_off(installation: &Installation, bot: &Bot, users: &[&User], units: usize) {
    let store = installation.world.store.clone();
    let botyard = installation.behind(broken_off(store, units));
    let request = installation.body(&ids_of(users));
    let answer = wait(botyard.users.delete(&installation.world.claim(bot), request));
    // They are deleted all the same.
    assert_eq!(answer, Ok(users.len() as u64));
}

fn claim_job(installation: &Installation) -> Job {
    wait(installation.botyard.jobs.claim(OPERATOR, Queue::Maintenance)).unwrap().unwrap()
}

fn step(installation: &Installation, job: &Job) -> StepOutcome {
    wait(installation.botyard.jobs.step(OPERATOR, job)).unwrap()
}

pub(crate) fn what_a_deleted_user_had_goes_along(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let (of_bot, of_neighbour) =
        (KeyvalScope::from(&world.scope(&bot)), KeyvalScope::from(&world.scope(&neighbour)));
    let of_project = world.read({
        let claim = world.claim_on_project();
        move |tx| Ok(KeyvalScope::from(&claim.resolve(tx, Lock::None)?.1))
    });
    let gone = create(&installation, &bot, r#"{"guestId":"gone"}"#).unwrap();
    let stays = create(&installation, &bot, r#"{"guestId":"stays"}"#).unwrap();
    for user in [&gone, &stays] {
        populate(world, &bot, user);
    }
    // What others keep under the same userId is theirs.
    let kept = ["kept".to_owned()];
    for scope in [of_neighbour, of_project] {
        put_entries(world, scope, gone.id, 1, &kept);
    }
    installation.wait_until(Duration::from_secs(1));
    assert_eq!(delete(&installation, &bot, &[&gone, &gone]), Ok(1));

    assert_eq!(all_users(world, &bot), slice::from_ref(&stays));
    assert_eq!(deleted(world, &world.scope(&bot)), None);
    assert_eq!(keys(world, of_bot, gone.id), [""; 0]);
    for scope in [of_neighbour, of_project] {
        assert_eq!(keys(world, scope, gone.id), kept);
    }
    assert_eq!(keys(world, of_bot, stays.id).len(), ENTRIES);
    let (scope, user) = (world.scope(&bot), stays.id);
    let items = world.read(move |tx| Ok(tx.chat_items(&scope, user, None, 10_000)?.into_items()));
    assert_eq!(items.len(), ITEMS);
    assert_eq!((all_feedback(world, &bot).len(), all_usage(world, &bot).len()), (2, 1));

    // The job that the deletion added finds nothing to do, and leaves alone what was written later.
    assert_eq!(installation.work(), []);
    put_entries(world, of_bot, gone.id, 2_000, &kept);
    installation.wait_until(Duration::from_secs(61));
    assert_eq!(installation.work(), [REMOVE_USERS]);
    assert_eq!(installation.jobs(), []);
    assert_eq!(keys(world, of_bot, gone.id), kept);
    assert_eq!(delete(&installation, &bot, &[&gone]), Ok(0));
    assert_eq!(keys(world, of_bot, gone.id), kept);
}

pub(crate) fn a_job_ends_what_a_broken_off_delete_left(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let (scope, of_bot) = (world.scope(&bot), KeyvalScope::from(&world.scope(&bot)));
    let user = create(&installation, &bot, r#"{"guestId":"g"}"#).unwrap();
    populate(world, &bot, &user);
    // The user is deleted, and a batch of the history is gone.
    break_off(&installation, &bot, &[&user], 2);
    assert_eq!(all_users(world, &bot), []);
    assert_eq!(deleted(world, &scope), Some((user.id, at(0))));
    let again = create(&installation, &bot, r#"{"guestId":"g"}"#).unwrap();
    put_entries(world, of_bot, user.id, 50_000, &["later".to_owned()]);
    let [job] = &installation.jobs()[..] else { panic!("{:?}", installation.jobs()) };
    assert_eq!((&job.kind, &job.subject), (&REMOVE_USERS, &bot.id.to_string()));
    assert_eq!((job.run_at, job.project_id), (at(60_000), Some(bot.project_id)));
    assert_eq!(installation.work(), []);

    installation.wait_until(Duration::from_secs(60));
    let first = claim_job(&installation);
    assert_eq!(step(&installation, &first), StepOutcome::Continue);
    installation.wait_until(Duration::from_secs(120));
    let second = claim_job(&installation);
    assert_eq!((second.id, second.attempt), (first.id, first.attempt + 1));
    let before = keys(world, of_bot, user.id).len();
    // The first worker wakes up and believes that it still has the job.
    assert_eq!(step(&installation, &first), StepOutcome::LeaseLost);
    assert_eq!(keys(world, of_bot, user.id).len(), before);
    // Of 450 items and 230 entries two batches are gone, and the user goes with the last one.
    assert_eq!(step(&installation, &second), StepOutcome::Continue);
    assert_eq!(keys(world, of_bot, user.id).len(), ENTRIES - 150 + 1);
    assert_eq!(deleted(world, &scope), Some((user.id, at(0))));
    assert_eq!(step(&installation, &second), StepOutcome::Done);
    assert_eq!(
        (deleted(world, &scope), keys(world, of_bot, user.id)),
        (None, vec!["later".into()])
    );
    // Doing it again changes nothing.
    assert_eq!(step(&installation, &second), StepOutcome::Done);
    wait(installation.botyard.jobs.finish(OPERATOR, &second)).unwrap();
    assert_eq!(installation.jobs(), []);
    assert_eq!(all_users(world, &bot), [again]);
}

pub(crate) fn many_users_go_in_bounded_batches(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    let bot = world.stored_bot("bot");
    let names = 0..500;
    let users: Vec<_> = names
        .map(|number| create(&installation, &bot, &format!(r#"{{"guestId":"{number}"}}"#)).unwrap())
        .collect();
    let all: Vec<_> = users.iter().collect();
    break_off(&installation, &bot, &all, 1);
    installation.wait_until(Duration::from_secs(60));
    let job = claim_job(&installation);
    let steps: Vec<_> = (0..3).map(|_| step(&installation, &job)).collect();
    assert_eq!(steps, [StepOutcome::Continue, StepOutcome::Continue, StepOutcome::Done]);
    assert_eq!(deleted(world, &world.scope(&bot)), None);
    // Deletions of the same users at the same time count each user once.
    let users: Vec<_> = (0..40)
        .map(|number| create(&installation, &bot, &format!(r#"{{"guestId":"{number}"}}"#)).unwrap())
        .collect();
    let all: Vec<_> = users.iter().collect();
    let counts = together(4, |_| delete(&installation, &bot, &all).unwrap());
    assert_eq!(counts.iter().sum::<u64>(), 40);
    assert_eq!((all_users(world, &bot), deleted(world, &world.scope(&bot))), (Vec::new(), None));
    let deletes =
        installation.changelog_entries(&bot).into_iter().filter(|entry| entry.0 == "delete");
    assert_eq!(deletes.count(), 540);
}

pub(crate) fn users_go_whatever_becomes_of_their_bot(store: Arc<dyn Store>) {
    let installation = Installation::new(store);
    let world = &installation.world;
    for mode in [DeleteMode::Archive, DeleteMode::Trash, DeleteMode::Delete] {
        let bot = world.stored_bot("bot");
        let user = create(&installation, &bot, r#"{"guestId":"g"}"#).unwrap();
        populate(world, &bot, &user);
        break_off(&installation, &bot, &[&user], 1);
        wait(installation.botyard.bots.delete(&world.claim(&bot), mode)).unwrap();
        installation.wait_until(Duration::from_secs(60));
        let mut expected = vec![REMOVE_USERS];
        if mode == DeleteMode::Delete {
            expected.insert(0, TEARDOWN_BOT);
        }
        let mut done = installation.work();
        done.sort_by_key(|kind| kind.as_str() == "remove_users");
        assert_eq!(done, expected, "{mode:?}");
        let scope = world.scope(&bot);
        assert_eq!(deleted(world, &scope), None, "{mode:?}");
        assert_eq!(keys(world, (&scope).into(), user.id), [""; 0]);
        installation.wait_until(Duration::ZERO);
    }
}
