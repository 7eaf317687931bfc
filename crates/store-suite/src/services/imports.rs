//! Files of records: stored a unit of work at a time, each line once.

use std::sync::Arc;
use std::time::Duration;

use crate::contract::history::all_items;
use crate::contract::keyval::all_entries;
use crate::contract::usage::all_usage;
use crate::contract::users::{all_users, delete, stored_user};
use crate::services::installation::Installation;
use crate::world::{at, project_of, wait};
use domain::access::OwnerClaim;
use domain::blob::Sha256;
use domain::bot::Bot;
use domain::error::{DomainError, Resource};
use domain::import::{Import, ImportKind, ImportPosition, ImportRun, Imported};
use domain::input::InputSettings;
use domain::keyval::KeyvalScope;
use domain::store::Store;
use domain::user::UserRefusal;

/// How many lines one unit of work stores.
const AT_ONCE: usize = 500;

/// A file of these lines.
fn file(kind: ImportKind, lines: impl IntoIterator<Item = String>) -> Imported {
    let mut file = Import::new(kind, &InputSettings::default());
    for (number, line) in (1..).zip(lines) {
        file.line(number, line.as_bytes());
    }
    file.finish().unwrap()
}

/// A file of usage, a request a line.
fn usage(lines: usize) -> Imported {
    let line = r#"{"day":"2026-01-31","kind":"chatCompletion","model":"m","requests":1}"#;
    file(ImportKind::Usage, (0..lines).map(|_| line.to_owned()))
}

/// A file of users with these guestIds.
fn users<'a>(guests: impl IntoIterator<Item = &'a str>) -> Imported {
    let lines = guests.into_iter().map(|guest| format!(r#"{{"guestId":"{guest}"}}"#));
    file(ImportKind::Users, lines)
}

/// Begins an import and checks the file.
fn begin(on: &Installation, bot: &Bot, file: Imported) -> Result<ImportRun, DomainError> {
    let run = wait(on.botyard.imports.begin(OwnerClaim::Bot(on.world.claim(bot)), file))?;
    wait(run.check()).map(|()| run)
}

/// Stores all that is left; returns how many lines were stored after each unit of work.
fn finish(run: &mut ImportRun) -> Vec<usize> {
    let mut stored = Vec::new();
    while !run.is_complete() {
        wait(run.store_next()).unwrap();
        stored.push(run.stored());
    }
    stored
}

/// How many requests the bot's only row of usage has.
fn requests(on: &Installation, bot: &Bot) -> u64 {
    all_usage(&on.world, bot).iter().map(|usage| usage.amounts.requests).sum()
}

pub(crate) fn a_long_file_goes_on_where_it_stopped(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let (bot, other) = (on.world.stored_bot("bot"), on.world.stored_bot("other"));
    let mut run = begin(&on, &bot, usage(1_200)).unwrap();
    assert_eq!((run.stored(), requests(&on, &bot)), (0, 0));
    for stored in [AT_ONCE, 2 * AT_ONCE] {
        wait(run.store_next()).unwrap();
        assert_eq!((run.stored(), requests(&on, &bot)), (stored, stored as u64));
    }
    drop(run);
    // Another file, and the same one for another bot, have nothing to do with it.
    assert_eq!(begin(&on, &bot, usage(1_201)).unwrap().stored(), 0);
    assert_eq!(begin(&on, &other, usage(1_200)).unwrap().stored(), 0);
    let mut run = begin(&on, &bot, usage(1_200)).unwrap();
    assert_eq!(run.stored(), 2 * AT_ONCE);
    assert_eq!(finish(&mut run), [1_200]);
    assert_eq!(requests(&on, &bot), 1_200);
}

pub(crate) fn what_adds_up_is_stored_once(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let bot = on.world.stored_bot("bot");
    for (lines, total) in [(1, 1), (600, 601)] {
        assert_eq!(begin(&on, &bot, usage(lines)).unwrap().completed_at(), None);
        finish(&mut begin(&on, &bot, usage(lines)).unwrap());
        let again = begin(&on, &bot, usage(lines)).unwrap();
        assert_eq!((again.is_complete(), again.completed_at()), (true, Some(at(0))));
        assert_eq!(requests(&on, &bot), total);
    }
    // Unless that is wanted, or a month has passed.
    let mut again = begin(&on, &bot, usage(600)).unwrap();
    again.start_again();
    // Nothing is forgotten before the first unit of work.
    assert!(begin(&on, &bot, usage(600)).unwrap().is_complete());
    assert_eq!((again.stored(), finish(&mut again)), (0, vec![500, 600]));
    assert_eq!(requests(&on, &bot), 1_201);
    on.wait_until(Duration::from_secs(31 * 24 * 60 * 60));
    assert_eq!(finish(&mut begin(&on, &bot, usage(1)).unwrap()), [1]);
    assert_eq!(requests(&on, &bot), 1_202);
    // A part of a file is never forgotten, and goes on whether or not it shall be stored again.
    let mut run = begin(&on, &bot, usage(700)).unwrap();
    wait(run.store_next()).unwrap();
    on.wait_until(Duration::from_secs(99 * 24 * 60 * 60));
    let mut run = begin(&on, &bot, usage(700)).unwrap();
    run.start_again();
    assert_eq!((run.stored(), finish(&mut run)), (AT_ONCE, vec![700]));
    assert_eq!(requests(&on, &bot), 1_902);
}

pub(crate) fn what_replaces_begins_anew(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let bot = on.world.stored_bot("bot");
    let entries = |value| {
        let line = |key| format!(r#"{{"userId":"u","type":"t","key":"{key:04}","value":{value}}}"#);
        file(ImportKind::Keyval, (0..700).map(line))
    };
    let values = || {
        let scope = KeyvalScope::from(&on.world.scope(&bot));
        let mut values: Vec<_> = all_entries(&on.world, scope)
            .into_iter()
            .map(|entry| entry.value.as_str().to_owned())
            .collect();
        values.dedup();
        values
    };
    let mut interrupted = begin(&on, &bot, entries(1)).unwrap();
    wait(interrupted.store_next()).unwrap();
    for value in [2, 1, 1] {
        let mut run = begin(&on, &bot, entries(value)).unwrap();
        assert_eq!((run.stored(), finish(&mut run)), (0, vec![AT_ONCE, 700]));
        assert_eq!(values(), [value.to_string()]);
    }
}

pub(crate) fn many_that_are_imported_are_counted(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let bot = on.world.stored_bot("bot");
    let guests: Vec<_> = (0..501).map(|number| format!("g{number}")).collect();
    finish(&mut begin(&on, &bot, users(guests.iter().map(String::as_str))).unwrap());
    let counted = |count| {
        let changes = format!(r#"[{{"field":"count","from":null,"to":{count}}}]"#);
        ("create", "user", bot.id.to_string(), changes)
    };
    assert_eq!(on.changelog_entries(&bot), [counted(500), counted(1)]);
}

pub(crate) fn nothing_of_a_long_file_is_stored_before_all_was_checked(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let (world, bot) = (&on.world, on.world.stored_bot("bot"));
    let user = stored_user(world, &bot, "taken");
    let guests: Vec<_> = (0..1_200).map(|number| format!("g{number}")).collect();
    let mut guests: Vec<_> = guests.iter().map(String::as_str).collect();
    (guests[700], guests[1_100], guests[1_199]) = ("taken", "g3", "taken");
    let taken = DomainError::UserRefused(UserRefusal::GuestIdTaken);
    let repeated = DomainError::UserRefused(UserRefusal::GuestIdRepeated);
    let expected = vec![(700, taken.clone()), (1_100, repeated), (1_199, taken)];
    let begun = begin(&on, &bot, users(guests));
    assert_eq!(begun.err(), Some(DomainError::RecordsRefused(expected)));
    assert_eq!(all_users(world, &bot), std::slice::from_ref(&user));

    let nobody = world.id();
    let lines = (0..1_200).map(|number| {
        let of = if number == 999 { nobody } else { user.id.uuid() };
        format!(r#"{{"userId":"{of}","role":"user","kind":"message","text":"{number}"}}"#)
    });
    let begun = begin(&on, &bot, file(ImportKind::History, lines));
    let expected = vec![(999, DomainError::NotFound(Resource::User))];
    assert_eq!(begun.err(), Some(DomainError::RecordsRefused(expected)));
    assert_eq!(all_items(world, &bot, &user), []);
}

pub(crate) fn what_changed_since_the_check_is_refused(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let (world, bot) = (&on.world, on.world.stored_bot("bot"));
    let guests: Vec<_> = (0..1_200).map(|number| format!("g{number}")).collect();
    let guests = || users(guests.iter().map(String::as_str));
    let mut run = begin(&on, &bot, guests()).unwrap();
    wait(run.store_next()).unwrap();
    let user = stored_user(world, &bot, "g600");
    let taken = DomainError::UserRefused(UserRefusal::GuestIdTaken);
    let refused = DomainError::RecordsRefused(vec![(600, taken)]);
    assert_eq!(wait(run.store_next()), Err(refused.clone()));
    assert_eq!((run.stored(), all_users(world, &bot).len()), (AT_ONCE, AT_ONCE + 1));
    assert_eq!(begin(&on, &bot, guests()).err(), Some(refused));
    // Once that is mended, the rest follows.
    assert_eq!(delete(world, &world.scope(&bot), &[user.id], at(3)), [user.id]);
    assert_eq!(finish(&mut begin(&on, &bot, guests()).unwrap()), [1_000, 1_200]);
    assert_eq!(all_users(world, &bot).len(), 1_200);
}

pub(crate) fn only_one_process_stores_a_file(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let bot = on.world.stored_bot("bot");
    let mut runs = [(); 3].map(|()| begin(&on, &bot, usage(1_200)).unwrap());
    let other =
        Err(DomainError::Refused("another process has gone on with the same file".to_owned()));
    let [first, second, third] = &mut runs;
    wait(first.store_next()).unwrap();
    assert_eq!(wait(second.store_next()), other);
    assert_eq!(finish(first), [1_000, 1_200]);
    // Nor one that began before, and goes on when all is stored.
    assert_eq!((third.stored(), wait(third.store_next())), (0, other.clone()));
    assert_eq!(requests(&on, &bot), 1_200);
    let [mut late, mut last] = [(); 2].map(|()| begin(&on, &bot, usage(1_100)).unwrap());
    wait(late.store_next()).unwrap();
    let mut resumed = begin(&on, &bot, usage(1_100)).unwrap();
    assert_eq!((resumed.stored(), finish(&mut late)), (AT_ONCE, vec![1_000, 1_100]));
    for run in [&mut last, &mut resumed] {
        assert_eq!(wait(run.store_next()), other);
    }
    assert_eq!(requests(&on, &bot), 2_300);
}

pub(crate) fn large_lines_are_stored_a_few_at_once(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let bot = on.world.stored_bot("bot");
    let line = |(key, length)| {
        let value = "x".repeat(length);
        format!(r#"{{"userId":"u","type":"t","key":"{key}","value":"{value}"}}"#)
    };
    let lines = [("a", 400_000), ("b", 400_000), ("c", 400_000), ("d", 1_048_500), ("e", 1)];
    let lines = lines.map(line);
    let mut run = begin(&on, &bot, file(ImportKind::Keyval, lines)).unwrap();
    assert_eq!(finish(&mut run), [2, 3, 4, 5]);
    let entries = all_entries(&on.world, KeyvalScope::from(&on.world.scope(&bot)));
    assert_eq!(entries.len(), 5);
}

pub(crate) fn entries_are_imported_for_a_project(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let bot = on.world.stored_bot("bot");
    let line = |key| format!(r#"{{"userId":"u","type":"t","key":"!{key}","value":{key}}}"#);
    let entries = || file(ImportKind::Keyval, (0..700).map(line));
    let claim = || OwnerClaim::Project(on.world.claim_on_project());
    let begin = |file| wait(on.botyard.imports.begin(claim(), file));
    let mut run = begin(entries()).unwrap();
    assert_eq!(finish(&mut run), [AT_ONCE, 700]);
    let scope = project_of(&on.world.scope(&bot));
    assert_eq!(all_entries(&on.world, KeyvalScope::from(&scope)).len(), 700);
    let only = "only key-value entries are for a project".to_owned();
    assert_eq!(begin(usage(1)).err(), Some(DomainError::Refused(only)));
}

pub(crate) fn what_is_known_of_an_import_goes_with_the_bot(store: Arc<dyn Store>) {
    let on = Installation::new(store);
    let (bot, other) = (on.world.stored_bot("bot"), on.world.stored_bot("other"));
    let files = [(b"a", &bot), (b"b", &other)].map(|(name, bot)| (Sha256::of(name), bot));
    for (sha256, bot) in files {
        let scope = on.world.scope(bot);
        let position = ImportPosition { sha256, records: 5, is_complete: true, updated_at: at(0) };
        assert!(on.world.write(move |tx| Ok(tx.advance_import(&scope, 0, position)?)));
    }
    let gone = on.world.scope(&bot);
    on.world.write(move |tx| Ok(tx.remove_deleted_bot(&gone).map(drop)?));
    let left = files.map(|(sha256, bot)| {
        let scope = on.world.scope(bot);
        let position = on.world.read(move |tx| Ok(tx.import_position(&scope, sha256)?));
        position.map(|position| position.records)
    });
    assert_eq!(left, [None, Some(5)]);
}
