//! Changelogs.

use std::slice;
use std::sync::Arc;

use crate::world::{OPERATOR, World, at, in_pages, project_of};
use domain::access::{Actor, BotScope, Scheme};
use domain::bot::Bot;
use domain::changelog::{
    Action, ChangedResource, ChangelogEntry, ChangelogFilter, FieldChange, KEPT,
};
use domain::clock::TimeRange;
use domain::id::TokenId;
use domain::store::Store;
use domain::testing::bot_scope;

/// The right to a bot, held by a token.
fn scope_of_token(world: &World, bot: &Bot, scheme: Scheme) -> BotScope {
    let actor = Actor {
        token_id: TokenId::from_uuid(bot.id.uuid()),
        name: "Schlüssel 🔑".to_owned(),
        scheme,
    };
    bot_scope(world.organisation.id, bot, Some(actor))
}

pub(crate) fn an_entry_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let changes = [
        FieldChange::new("name", &"alt", &"näu \"\\ 🤖\n"),
        FieldChange::new("temperature", &None::<f64>, &Some(1.5)),
        FieldChange::new("customJs", &"x".repeat(3_000), &vec![0; 5_000]),
    ];
    let mut made = vec![world.entry(&world.scope(&bot), &[])];
    for scheme in [Scheme::Bot, Scheme::Project] {
        made.push(world.entry(&scope_of_token(&world, &bot, scheme), &changes));
    }
    for (action, resource) in
        [(Action::Unassign, ChangedResource::User), (Action::Duplicate, ChangedResource::Document)]
    {
        let mut entry = world.entry(&world.scope(&bot), &changes);
        entry.action = action;
        entry.resource = resource;
        entry.resource_id = "any text, as long as it is one: ü".to_owned();
        made.push(entry);
    }
    for entry in &made {
        world.store_entry(&world.scope(&bot), entry);
    }
    made.reverse();
    assert_eq!(world.changelog(&world.scope(&bot), None, 10), made);
}

pub(crate) fn entries_are_paged_newest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let scope = world.scope(&world.stored_bot("bot"));
    let mut made: Vec<_> = (0..5).map(|_| world.entry(&scope, &[])).collect();
    // They sort by identifier, not by the order in which they are stored.
    for index in [3, 0, 4, 2, 1] {
        world.store_entry(&scope, &made[index]);
    }
    made.reverse();
    let page = |before: Option<&ChangelogEntry>, limit| {
        world.changelog(&scope, before.map(|entry| entry.id), limit)
    };
    assert_eq!(page(None, 2), made[..2]);
    assert_eq!(page(Some(&made[1]), 2), made[2..4]);
    assert_eq!(page(Some(&made[3]), 2), made[4..]);
    assert_eq!(page(Some(&made[4]), 2), []);
    assert_eq!(page(None, u32::MAX), made);
    assert_eq!(page(None, 0), []);
}

pub(crate) fn changelogs_are_kept_apart(store: Arc<dyn Store>) {
    let world = World::new(store);
    let scopes = ["a", "b"].map(|name| world.scope(&world.stored_bot(name)));
    let entries = scopes.clone().map(|scope| world.entry(&scope, &[]));
    for (scope, entry) in scopes.iter().zip(&entries) {
        world.store_entry(scope, entry);
    }
    for (scope, entry) in scopes.iter().zip(&entries) {
        assert_eq!(world.changelog(scope, None, 10), std::slice::from_ref(entry));
    }
    // A bot's changelog takes entries of that bot only.
    let (scope, entry) = (scopes[0].clone(), world.entry(&scopes[1], &[]));
    assert!(world.try_write(move |tx| Ok(tx.record(&scope, &entry, None)?)).is_err());
    assert_eq!(world.changelog(&scopes[0], None, 10).len(), 1);
}

pub(crate) fn many_entries_are_recorded_at_once_or_none(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bots = ["a", "b", "c"].map(|name| world.stored_bot(name));
    let abroad = world.bot_of(&world.other_project());
    let long = FieldChange::new("customJs", &"x".repeat(1_900), &"\"ü\n".repeat(400));
    let mut made = Vec::new();
    // More than one statement takes, by different actors.
    for number in 0..300 {
        for bot in &bots {
            let scope = match number % 3 {
                0 => world.scope(bot),
                1 => scope_of_token(&world, bot, Scheme::Bot),
                _ => scope_of_token(&world, bot, Scheme::Project),
            };
            let changes = if number % 2 == 0 { slice::from_ref(&long) } else { &[] };
            made.push(world.entry(&scope, changes));
        }
    }
    let record = |entries: &[ChangelogEntry]| {
        let (scope, entries) = (project_of(&world.scope(&bots[0])), entries.to_vec());
        world.try_write(move |tx| Ok(tx.record_all(&scope, &entries)?))
    };
    let foreign = world.entry(&world.scope(&abroad), &[]);
    let missing = world.entry(&world.scope(&world.bot("missing")), &[]);
    for stray in [foreign, missing, made[0].clone()] {
        assert!(record(&[&made[..], &[stray]].concat()).is_err());
    }
    record(&[]).unwrap();
    assert!(bots.iter().all(|bot| world.changelog(&world.scope(bot), None, 10).is_empty()));
    record(&made).unwrap();
    for bot in &bots {
        let of_bot = made.iter().rev().filter(|entry| entry.bot_id == bot.id);
        assert!(world.changelog(&world.scope(bot), None, u32::MAX).iter().eq(of_bot));
    }
    assert_eq!(world.changelog(&world.scope(&abroad), None, 10), []);
}

pub(crate) fn only_the_latest_entries_are_shown_and_kept(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let (scope, neighbour) = (world.scope(&bot), world.scope(&world.stored_bot("neighbour")));
    world.store_entry(&neighbour, &world.entry(&neighbour, &[]));
    let kept = usize::try_from(KEPT).unwrap();
    let made: Vec<_> = (0..kept + 5).map(|_| world.entry(&scope, &[])).collect();
    let trim = |limit| {
        let id = bot.id;
        world.write(move |tx| Ok(tx.trim_changelog(OPERATOR, id, limit)?))
    };
    let store_all = |entries: &[ChangelogEntry]| {
        let (scope, entries) = (scope.clone(), entries.to_vec());
        world.write(move |tx| {
            Ok(entries.iter().try_for_each(|entry| tx.record(&scope, entry, None))?)
        });
    };
    store_all(&made[..kept]);
    assert_eq!(trim(10), 0);
    assert_eq!(world.changelog(&scope, Some(made[1].id), 10), made[..1]);
    store_all(&made[kept..]);

    // Five too many: they are not returned, whether they are still there or not.
    let newest_first: Vec<_> = made.iter().rev().take(kept).cloned().collect();
    let check = || {
        assert_eq!(world.changelog(&scope, None, u32::MAX), newest_first);
        assert_eq!(
            world.changelog(&scope, Some(made[7].id), 10),
            [made[6].clone(), made[5].clone()]
        );
        assert_eq!(world.changelog(&scope, Some(made[5].id), 10), []);
        assert_eq!(world.changelog(&scope, Some(made[3].id), 10), []);
    };
    check();
    let overgrown = || world.read(|tx| Ok(tx.overgrown_changelogs(OPERATOR)?));
    assert_eq!(overgrown(), [bot.id]);
    assert_eq!(trim(3), 3);
    check();
    assert_eq!(trim(3), 2);
    assert_eq!(trim(3), 0);
    assert_eq!(overgrown(), []);
    check();
    assert_eq!(world.changelog(&neighbour, None, 10).len(), 1);
    let missing = world.bot("missing").id;
    assert_eq!(world.write(move |tx| Ok(tx.trim_changelog(OPERATOR, missing, 3)?)), 0);
}

/// However many entries there are about users, those about other things stay, and the other way round.
pub(crate) fn entries_about_users_are_counted_apart(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    let kept = usize::try_from(KEPT).unwrap();
    let about_bot: Vec<_> = (0..3).map(|_| world.entry(&scope, &[])).collect();
    let about_user =
        || ChangelogEntry { resource: ChangedResource::User, ..world.entry(&scope, &[]) };
    let about_users: Vec<_> = (0..kept + 2).map(|_| about_user()).collect();
    let made = [about_bot.clone(), about_users.clone()].concat();
    let (of_bot, stored) = (project_of(&scope), made.clone());
    world.write(move |tx| Ok(tx.record_all(&of_bot, &stored)?));

    let expected: Vec<_> =
        about_users[2..].iter().rev().chain(about_bot.iter().rev()).cloned().collect();
    let check = || {
        let mut found = world.changelog(&scope, None, 1_000);
        while let Some(last) = found.last().map(|entry| entry.id) {
            let page = world.changelog(&scope, Some(last), 1_000);
            if page.is_empty() {
                break;
            }
            found.extend(page);
        }
        assert!(found == expected, "{} of {} are shown", found.len(), expected.len());
    };
    let overgrown = || world.read(|tx| Ok(tx.overgrown_changelogs(OPERATOR)?));
    let trim = || world.write(move |tx| Ok(tx.trim_changelog(OPERATOR, bot.id, 10)?));
    check();
    let filter = ChangelogFilter { resource: Some(ChangedResource::User), ..Default::default() };
    let count = |filter| {
        let scope = scope.clone();
        world.read(move |tx| Ok(tx.count_changelog(&scope, filter)?))
    };
    assert_eq!((count(filter), count(Default::default())), (KEPT, KEPT + 3));
    assert_eq!(overgrown(), [bot.id]);
    assert_eq!((trim(), trim()), (2, 0));
    assert_eq!(overgrown(), []);
    check();
}

pub(crate) fn a_changelog_is_removed_bit_by_bit(store: Arc<dyn Store>) {
    let world = World::new(store);
    let scopes = ["a", "b"].map(|name| world.scope(&world.stored_bot(name)));
    let mut entries = Vec::new();
    for scope in &scopes {
        for _ in 0..5 {
            let entry = world.entry(scope, &[]);
            world.store_entry(scope, &entry);
            entries.insert(0, entry);
        }
    }
    let (kept, removed) = entries.split_at(5);
    for (limit, count, left) in [(3, 3, 2), (3, 2, 0), (3, 0, 0)] {
        let scope = scopes[0].clone();
        assert_eq!(world.write(move |tx| Ok(tx.remove_changelog(&scope, limit)?)), count);
        assert_eq!(world.changelog(&scopes[0], None, 10), removed[..left]);
        assert_eq!(world.changelog(&scopes[1], None, 10), kept);
    }
}

pub(crate) fn entries_are_found_by_what_they_say(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    let resources = [ChangedResource::User, ChangedResource::Skill, ChangedResource::Stage];
    let actions = [Action::Create, Action::Delete];
    let mut made: Vec<_> = (0..12)
        .map(|number| {
            let mut entry = world.entry(&scope, &[]);
            entry.resource = resources[number % 3];
            entry.action = actions[number % 2];
            entry.at = at(i64::try_from(number).unwrap() / 2);
            world.store_entry(&scope, &entry);
            entry
        })
        .collect();
    let neighbour = world.scope(&world.stored_bot("neighbour"));
    world.store_entry(&neighbour, &world.entry(&neighbour, &[]));
    made.reverse();
    let found = |filter, before: Option<&ChangelogEntry>, limit| {
        let (scope, before) = (scope.clone(), before.map(|entry| entry.id));
        world.read(move |tx| Ok(tx.changelog(&scope, filter, before, limit)?.into_items()))
    };
    for resource in [None, Some(resources[0]), Some(resources[1]), Some(ChangedResource::Fusion)] {
        for action in [None, Some(Action::Create), Some(Action::Archive)] {
            for (from, to) in [(None, None), (Some(2), None), (None, Some(3)), (Some(2), Some(2))] {
                let times = TimeRange { from: from.map(at), to: to.map(at) };
                let filter = ChangelogFilter { resource, action, times };
                let mut wanted = made.clone();
                wanted.retain(|entry| {
                    resource.is_none_or(|resource| entry.resource == resource)
                        && action.is_none_or(|action| entry.action == action)
                        && times.from.is_none_or(|from| entry.at >= from)
                        && times.to.is_none_or(|to| entry.at <= to)
                });
                assert_eq!(found(filter, None, 99), wanted, "{filter:?}");
                let paged = in_pages(2, |before, limit| found(filter, before, limit));
                assert_eq!(paged, wanted, "{filter:?}");
                // It is known which page is the last.
                let (all, of_bot) = (u32::try_from(wanted.len()).unwrap(), scope.clone());
                let is_last = |limit| {
                    let scope = of_bot.clone();
                    world.read(move |tx| Ok(tx.changelog(&scope, filter, None, limit)?.is_last()))
                };
                assert!(is_last(all + 1), "{filter:?}");
                assert!(all == 0 || !is_last(all), "{filter:?}");
                let scope = scope.clone();
                let count = world.read(move |tx| Ok(tx.count_changelog(&scope, filter)?));
                assert_eq!(count as usize, wanted.len(), "{filter:?}");
            }
        }
    }
}
