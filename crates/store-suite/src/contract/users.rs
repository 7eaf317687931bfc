//! Users.

use std::sync::Arc;

use crate::world::{OPERATOR, World, at, in_pages, together};
use domain::access::BotScope;
use domain::bot::{Bot, BotKind, BotState};
use domain::clock::{TimeCursor, Timestamp};
use domain::free_fields::FreeFields;
use domain::id::{BotId, UserId};
use domain::lock::Lock;
use domain::store::Store;
use domain::user::{BotOfOrganisation, User, UserStats};

/// A user with nothing but a guestId, not stored.
pub(crate) fn user(world: &World, bot: &Bot, guest_id: &str) -> User {
    User {
        id: UserId::from_uuid(world.id()),
        bot_id: bot.id,
        guest_id: guest_id.to_owned(),
        fields: FreeFields::default(),
        stats: UserStats::default(),
        created_at: at(1),
        updated_at: at(2),
    }
}

/// A user with a value in every field, not stored.
fn full_user(world: &World, bot: &Bot, guest_id: &str) -> User {
    let fields = r#"{"b":1.10,"a":{"z":[],"y":123456789012345678901234567890},"":"ä\n\"🤖"}"#;
    let stats = UserStats {
        messages: 3,
        tokens: (1 << 53) - 1,
        last_active_at: Some(at(-4)),
        reset_at: Some(at(-5)),
    };
    User { fields: serde_json::from_str(fields).unwrap(), stats, ..user(world, bot, guest_id) }
}

/// A user, stored.
pub(crate) fn stored_user(world: &World, bot: &Bot, guest_id: &str) -> User {
    let user = user(world, bot, guest_id);
    assert!(store_user(world, &user, bot));
    user
}

pub(crate) fn store_user(world: &World, user: &User, bot: &Bot) -> bool {
    let (scope, user) = (world.scope(bot), user.clone());
    world.write(move |tx| Ok(tx.insert_user(&scope, &user)?))
}

pub(crate) fn all_users(world: &World, bot: &Bot) -> Vec<User> {
    page(world, &world.scope(bot), false, None, 10_000)
}

/// Those of whom a supervisor may read something.
pub(crate) fn supervised_users(world: &World, bot: &Bot) -> Vec<UserId> {
    let users = page(world, &world.scope(bot), true, None, 10_000);
    users.into_iter().map(|user| user.id).collect()
}

fn page(
    world: &World,
    scope: &BotScope,
    supervised: bool,
    after: Option<&User>,
    limit: u32,
) -> Vec<User> {
    let scope = scope.clone();
    let after = after.map(|user| TimeCursor { at: user.created_at, id: user.id });
    world.read(move |tx| Ok(tx.users(&scope, supervised, after, limit)?.into_items()))
}

pub(crate) fn find(world: &World, scope: &BotScope, id: UserId) -> Option<User> {
    let scope = scope.clone();
    world.read(move |tx| Ok(tx.user(&scope, id, Lock::None)?))
}

pub(crate) fn find_guest(world: &World, scope: &BotScope, guest_id: &str) -> Option<User> {
    let (scope, guest_id) = (scope.clone(), guest_id.to_owned());
    world.read(move |tx| Ok(tx.user_of_guest(&scope, &guest_id)?))
}

/// Deletes users; returns who was there.
pub(crate) fn delete(
    world: &World,
    scope: &BotScope,
    ids: &[UserId],
    now: Timestamp,
) -> Vec<UserId> {
    let (scope, ids) = (scope.clone(), ids.to_vec());
    let deleted = world.write(move |tx| Ok(tx.delete_users(&scope, &ids, now)?));
    assert!(deleted.is_sorted() && deleted.iter().all(|(_, guest_id)| !guest_id.is_empty()));
    deleted.into_iter().map(|(id, _)| id).collect()
}

pub(crate) fn deleted(world: &World, scope: &BotScope) -> Option<(UserId, Timestamp)> {
    let scope = scope.clone();
    world.read(move |tx| Ok(tx.deleted_user(&scope)?))
}

/// Whether a deleted user could be removed.
pub(crate) fn remove_deleted(world: &World, scope: &BotScope, id: UserId) -> bool {
    let scope = scope.clone();
    world.try_write(move |tx| Ok(tx.remove_deleted_user(&scope, id)?)).is_ok()
}

pub(crate) fn update(world: &World, scope: &BotScope, user: &User) -> bool {
    let (scope, user) = (scope.clone(), user.clone());
    world.try_write(move |tx| Ok(tx.update_user(&scope, &user)?)).is_ok()
}

pub(crate) fn a_user_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    let (full, bare) = (full_user(&world, &bot, "Zoë 🤖"), user(&world, &bot, "bare"));
    for stored in [&full, &bare] {
        assert!(store_user(&world, stored, &bot));
        assert_eq!(find(&world, &scope, stored.id).as_ref(), Some(stored));
        assert_eq!(find_guest(&world, &scope, &stored.guest_id).as_ref(), Some(stored));
    }
    for lock in [Lock::None, Lock::Shared, Lock::Exclusive] {
        let (scope, id) = (scope.clone(), full.id);
        let found = world.write(move |tx| Ok(tx.user(&scope, id, lock)?));
        assert_eq!(found.as_ref(), Some(&full));
    }
    // All fields change that can, and all that can be unset are.
    let emptied = User { id: full.id, updated_at: at(9), ..user(&world, &bot, "emptied") };
    let filled = User { id: bare.id, ..full.clone() };
    for changed in [&emptied, &filled] {
        assert!(update(&world, &scope, &User { created_at: at(99), ..changed.clone() }));
    }
    assert_eq!(all_users(&world, &bot), [emptied, filled]);
}

pub(crate) fn users_are_paged_by_time_then_identifier(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let mut users: Vec<_> = (0..9).map(|number| user(&world, &bot, &number.to_string())).collect();
    for (user, time) in users.iter_mut().zip([3, 1, 2, 2, 2, 3, 1, -1, 2]) {
        user.created_at = at(time);
    }
    for index in [4, 0, 8, 2, 6, 1, 7, 3, 5] {
        assert!(store_user(&world, &users[index], &bot));
    }
    stored_user(&world, &neighbour, "1");
    users.sort_by_key(|user| (user.created_at, user.id));
    assert_eq!(all_users(&world, &bot), users);
    let scope = world.scope(&bot);
    let page = |after: Option<&_>, limit| page(&world, &scope, false, after, limit);
    for size in 1..=9 {
        assert_eq!(in_pages(size, page), users, "pages of {size}");
    }
    // A place in a list need not be that of a user who is still there.
    let gone = User { created_at: at(2), ..user(&world, &bot, "gone") };
    let later: Vec<_> = users.iter().filter(|user| user.created_at > at(2)).cloned().collect();
    assert_eq!(page(Some(&gone), 100), later);
}

pub(crate) fn guest_ids_are_compared_byte_by_byte(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let longest = "g".repeat(256);
    let guests = ["ada", "Ada", "ada ", "\u{e9}", "e\u{301}", "ß", "ss", "'\"\\%_", &longest];
    let users = guests.map(|guest_id| stored_user(&world, &bot, guest_id));
    let scope = world.scope(&bot);
    for stored in users {
        assert_eq!(find_guest(&world, &scope, &stored.guest_id), Some(stored));
    }
    for unknown in ["ADA", "", " ada", "SS", "%"] {
        assert_eq!(find_guest(&world, &scope, unknown), None);
    }
}

pub(crate) fn a_guest_id_is_given_once_in_a_bot(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let first = stored_user(&world, &bot, "guest");
    assert!(!store_user(&world, &full_user(&world, &bot, "guest"), &bot));
    assert_eq!(all_users(&world, &bot), [first]);
    stored_user(&world, &neighbour, "guest");
    stored_user(&world, &world.bot_of(&world.other_project()), "guest");
    // One that is in use does not spoil the rest of the unit.
    let (scope, again) = (world.scope(&bot), user(&world, &bot, "guest"));
    let next = user(&world, &bot, "next");
    let stored = world
        .write(move |tx| Ok((tx.insert_user(&scope, &again)?, tx.insert_user(&scope, &next)?)));
    assert_eq!(stored, (false, true));
    assert_eq!(all_users(&world, &bot).len(), 2);
}

pub(crate) fn a_guest_id_given_at_once_is_given_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    for round in 0..8 {
        let guest_id = format!("guest {round}");
        let stored = together(6, |_| {
            let (scope, user) = (scope.clone(), user(&world, &bot, &guest_id));
            let id = user.id;
            let stored = world.write(move |tx| Ok(tx.insert_user(&scope, &user)?));
            stored.then_some(id)
        });
        let stored: Vec<_> = stored.into_iter().flatten().collect();
        let found = find_guest(&world, &scope, &guest_id).map(|user| user.id);
        assert_eq!(stored, Vec::from_iter(found));
    }
    assert_eq!(all_users(&world, &bot).len(), 8);
}

pub(crate) fn users_of_another_bot_are_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let (mine, gone) = (stored_user(&world, &bot, "mine"), stored_user(&world, &bot, "gone"));
    delete(&world, &world.scope(&bot), &[gone.id], at(7));
    // The neighbour, and this very bot as if it lay in another project.
    for foreign in [world.scope(&neighbour), world.forged_scope(&bot, &world.other_project())] {
        assert_eq!(find(&world, &foreign, mine.id), None);
        assert_eq!(find_guest(&world, &foreign, "mine"), None);
        assert_eq!(page(&world, &foreign, false, None, 9), []);
        let renamed = User { guest_id: "theirs".to_owned(), ..mine.clone() };
        let of_neighbour = User { bot_id: foreign.bot_id(), ..renamed.clone() };
        assert!(!update(&world, &foreign, &renamed) && !update(&world, &foreign, &of_neighbour));
        assert_eq!(delete(&world, &foreign, &[mine.id], at(8)), []);
        assert_eq!(deleted(&world, &foreign), None);
        assert!(!remove_deleted(&world, &foreign, gone.id));
        let removed = world.write(move |tx| Ok(tx.remove_users(&foreign, 9)?));
        assert_eq!(removed, 0);
    }
    let (scope, foreign) = (world.scope(&bot), user(&world, &neighbour, "foreign"));
    assert!(world.try_write(move |tx| Ok(tx.insert_user(&scope, &foreign)?)).is_err());
    // Nor does a bot have users in a project that is not its own.
    let (forged, lost) =
        (world.forged_scope(&bot, &world.other_project()), user(&world, &bot, "lost"));
    assert!(world.try_write(move |tx| Ok(tx.insert_user(&forged, &lost)?)).is_err());
    assert_eq!(all_users(&world, &bot), [mine]);
    assert_eq!(deleted(&world, &world.scope(&bot)), Some((gone.id, at(7))));
}

pub(crate) fn users_are_removed_bit_by_bit(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let scope = world.scope(&bot);
    let users: Vec<_> =
        (0..5).map(|number| stored_user(&world, &bot, &number.to_string())).collect();
    let of_neighbour = stored_user(&world, &neighbour, "1");
    delete(&world, &scope, &[users[0].id, users[4].id], at(7));
    for (left, removed) in [(3, 2), (1, 2), (0, 1), (0, 0)] {
        let scope = scope.clone();
        assert_eq!(world.write(move |tx| Ok(tx.remove_users(&scope, 2)?)), removed);
        let deleted = usize::from(deleted(&world, &world.scope(&bot)).is_some());
        assert_eq!(all_users(&world, &bot).len() + deleted, left);
    }
    assert_eq!(all_users(&world, &neighbour), [of_neighbour]);
}

pub(crate) fn the_bots_of_an_organisation_are_its_live_ones(store: Arc<dyn Store>) {
    let world = World::new(store);
    let name = "Zoë 🤖 \"quoted\" \\ 'single' \u{202e}\u{7f}\t\u{1}";
    let other = world.other_project();
    let stranger = world.organisation("Stranger");
    let abroad = world.project(&stranger, "Abroad");
    let (stored, project) = (stranger.clone(), abroad.clone());
    world.write(move |tx| {
        tx.insert_organisation(OPERATOR, &stored)?;
        Ok(tx.insert_project(OPERATOR, &project)?)
    });
    let mut expected = Vec::new();
    let mut live = |bot: Bot| {
        expected.push(BotOfOrganisation {
            id: bot.id,
            name: bot.config.name,
            project_id: bot.project_id,
        });
    };
    // The projects take turns, so that neither has its bots in a row.
    for _ in 0..3 {
        live(world.stored_bot(name));
        live(world.bot_of(&other));
        for state in [BotState::Archived, BotState::Trashed, BotState::Deleted] {
            world.store_bot(&Bot { state, ..world.bot("not active") });
        }
        for kind in [BotKind::Demo, BotKind::Template] {
            world.store_bot(&Bot { kind, ..world.bot("not regular") });
        }
        world.bot_of(&abroad);
    }
    let page = |organisation, after: Option<BotId>, limit| {
        world.read(move |tx| Ok(tx.bots_of_organisation(organisation, after, limit)?))
    };
    let own = world.organisation.id;
    assert_eq!(page(own, None, 100), expected);
    assert_eq!(page(own, None, 2), expected[..2]);
    assert_eq!(page(own, Some(expected[1].id), 3), expected[2..5]);
    assert_eq!(page(own, Some(expected[5].id), 3), []);
    assert_eq!(page(stranger.id, None, 100).len(), 3);
    assert_eq!(page(world.organisation("nobody").id, None, 100), []);
}
