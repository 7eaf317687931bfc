//! History, and what a supervisor reads of it.

use std::sync::Arc;

use crate::contract::users::{
    all_users, delete, deleted, remove_deleted, stored_user, supervised_users,
};
use crate::world::{World, at, in_pages, together};
use domain::access::BotScope;
use domain::bot::Bot;
use domain::clock::TimeCursor;
use domain::history::{HistoryItem, HistoryKind, Role, SupervisorChat};
use domain::id::{HistoryItemId, UserId};
use domain::store::Store;
use domain::user::User;

/// An item of a chat, not stored.
pub(crate) fn item(world: &World, user: &User, time: i64) -> HistoryItem {
    HistoryItem {
        id: HistoryItemId::from_uuid(world.id()),
        bot_id: user.bot_id,
        user_id: user.id,
        role: Role::User,
        kind: HistoryKind::Message,
        supervisor_enabled: true,
        text: "Hello".to_owned(),
        created_at: at(time),
    }
}

/// Items that are no part of a chat: of the wrong kind, or not for supervisors.
fn hidden_items(world: &World, user: &User, time: i64) -> [HistoryItem; 3] {
    let item = || item(world, user, time);
    [
        HistoryItem { kind: HistoryKind::SocketEvent, ..item() },
        HistoryItem { supervisor_enabled: false, ..item() },
        HistoryItem { kind: HistoryKind::SocketEvent, supervisor_enabled: false, ..item() },
    ]
}

pub(crate) fn store_item(world: &World, item: &HistoryItem, bot: &Bot) {
    let (scope, item) = (world.scope(bot), item.clone());
    world.write(move |tx| Ok(tx.insert_history_item(&scope, &item)?));
}

fn items(
    world: &World,
    scope: &BotScope,
    user: UserId,
    after: Option<&HistoryItem>,
    limit: u32,
) -> Vec<HistoryItem> {
    let scope = scope.clone();
    let after = after.map(|item| TimeCursor { at: item.created_at, id: item.id });
    world.read(move |tx| Ok(tx.chat_items(&scope, user, after, limit)?.into_items()))
}

pub(crate) fn all_items(world: &World, bot: &Bot, user: &User) -> Vec<HistoryItem> {
    items(world, &world.scope(bot), user.id, None, 10_000)
}

/// What supervisors may read of all users of a bot.
pub(crate) fn all_history(world: &World, bot: &Bot) -> Vec<HistoryItem> {
    all_users(world, bot).iter().flat_map(|user| all_items(world, bot, user)).collect()
}

fn chats(
    world: &World,
    scope: &BotScope,
    after: Option<&SupervisorChat>,
    limit: u32,
) -> Vec<SupervisorChat> {
    let scope = scope.clone();
    let after = after.map(|chat| TimeCursor { at: chat.last_at.unwrap(), id: chat.user_id });
    world.read(move |tx| Ok(tx.chats(&scope, after, limit)?))
}

fn chat(world: &World, scope: &BotScope, user: UserId) -> Option<SupervisorChat> {
    let scope = scope.clone();
    world.read(move |tx| Ok(tx.chat(&scope, user)?))
}

fn remove_of_user(world: &World, scope: &BotScope, user: UserId, limit: u32) -> u32 {
    let scope = scope.clone();
    world.write(move |tx| Ok(tx.remove_history_of_user(&scope, user, limit)?.0))
}

/// How many items of any kind a user has; they are gone then.
fn clear(world: &World, bot: &Bot, user: &User) -> u32 {
    remove_of_user(world, &world.scope(bot), user.id, 10_000)
}

pub(crate) fn an_item_comes_back_as_it_was(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let user = stored_user(&world, &bot, "guest");
    let roles = [Role::User, Role::Assistant, Role::Supervisor, Role::System];
    let long = "ß\r\n\u{202e}\u{7f}🤖".repeat(80_000);
    let texts = ["", "Hello", "{\"a\":1}", long.as_str()];
    let stored: Vec<_> = roles
        .into_iter()
        .zip(texts)
        .map(|(role, text)| HistoryItem { role, text: text.to_owned(), ..item(&world, &user, 1) })
        .collect();
    for item in &stored {
        store_item(&world, item, &bot);
    }
    assert_eq!(all_items(&world, &bot, &user), stored);
}

pub(crate) fn a_chat_has_messages_for_supervisors_only(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    let guests = ["enters", "secret", "leaves", "silent", "all"];
    let users = guests.map(|guest_id| stored_user(&world, &bot, guest_id));
    let shown_to_supervisor = |user: &User| {
        let last_at = chat(&world, &scope, user.id).unwrap().last_at;
        (supervised_users(&world, &bot).contains(&user.id), last_at)
    };
    // What a supervisor may not read, or is no message, makes no chat. But a supervisor may see
    // whose it is if it is theirs to read at all.
    for (index, supervised) in [(0, true), (1, false), (2, false)] {
        let [event, secret, neither] = hidden_items(&world, &users[index], 5);
        store_item(&world, [event, secret, neither].get(index).unwrap(), &bot);
        assert_eq!(shown_to_supervisor(&users[index]), (supervised, None), "{}", guests[index]);
        assert_eq!(all_items(&world, &bot, &users[index]), []);
    }
    assert_eq!(shown_to_supervisor(&users[3]), (false, None));
    assert_eq!(chats(&world, &scope, None, 9), []);

    let message = item(&world, &users[4], 3);
    store_item(&world, &message, &bot);
    for item in hidden_items(&world, &users[4], 9) {
        store_item(&world, &item, &bot);
    }
    assert_eq!(shown_to_supervisor(&users[4]), (true, Some(at(3))));
    assert_eq!(supervised_users(&world, &bot), [users[0].id, users[4].id]);
    let expected =
        SupervisorChat { user_id: users[4].id, guest_id: "all".to_owned(), last_at: Some(at(3)) };
    assert_eq!(chat(&world, &scope, users[4].id).as_ref(), Some(&expected));
    assert_eq!(chats(&world, &scope, None, 9), [expected]);
    assert_eq!(all_items(&world, &bot, &users[4]), [message]);
    assert_eq!(chat(&world, &scope, UserId::from_uuid(world.id())), None);
    assert_eq!(users.map(|user| clear(&world, &bot, &user)), [1, 1, 1, 0, 4]);
}

pub(crate) fn items_are_paged_oldest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let (user, other) = (stored_user(&world, &bot, "user"), stored_user(&world, &bot, "other"));
    let mut stored: Vec<_> =
        [3, 1, 2, 2, 2, 3, 1, -1, 2].map(|time| item(&world, &user, time)).to_vec();
    for index in [4, 0, 8, 2, 6, 1, 7, 3, 5] {
        store_item(&world, &stored[index], &bot);
        for between in hidden_items(&world, &user, 2) {
            store_item(&world, &between, &bot);
        }
    }
    store_item(&world, &item(&world, &other, 2), &bot);
    stored.sort_by_key(|item| (item.created_at, item.id));
    assert_eq!(all_items(&world, &bot, &user), stored);
    let scope = world.scope(&bot);
    let page = |after: Option<&_>, limit| items(&world, &scope, user.id, after, limit);
    for size in 1..=9 {
        assert_eq!(in_pages(size, page), stored, "pages of {size}");
    }
}

pub(crate) fn chats_are_paged_latest_first(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let scope = world.scope(&bot);
    let mut expected = Vec::new();
    for (number, time) in [3, 1, 2, 2, 2, 3, 1, -1, 2].into_iter().enumerate() {
        let user = stored_user(&world, &bot, &number.to_string());
        store_item(&world, &item(&world, &user, time), &bot);
        store_item(&world, &item(&world, &user, -7), &bot);
        let (user_id, guest_id) = (user.id, user.guest_id);
        expected.push(SupervisorChat { user_id, guest_id, last_at: Some(at(time)) });
    }
    let of_neighbour = stored_user(&world, &neighbour, "1");
    store_item(&world, &item(&world, &of_neighbour, 2), &neighbour);
    stored_user(&world, &bot, "silent");
    expected.sort_by_key(|chat| (chat.last_at, chat.user_id));
    expected.reverse();
    assert_eq!(chats(&world, &scope, None, 100), expected);
    let page = |after: Option<&_>, limit| chats(&world, &scope, after, limit);
    for size in 1..=9 {
        assert_eq!(in_pages(size, page), expected, "pages of {size}");
    }
}

pub(crate) fn an_older_item_does_not_make_a_chat_older(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let user = stored_user(&world, &bot, "guest");
    let last_at = || chat(&world, &world.scope(&bot), user.id).unwrap().last_at;
    for (time, latest) in [(5, 5), (2, 5), (5, 5), (-9, 5), (6, 6), (5, 6)] {
        store_item(&world, &item(&world, &user, time), &bot);
        assert_eq!(last_at(), Some(at(latest)));
    }
    // Nor does it when many come at once.
    together(6, |number| {
        for round in 0..5 {
            let time = 100 - i64::try_from(number * 5 + round).unwrap();
            store_item(&world, &item(&world, &user, time), &bot);
        }
    });
    assert_eq!(last_at(), Some(at(100)));
    assert_eq!(all_items(&world, &bot, &user).len(), 36);
}

pub(crate) fn a_change_of_a_user_keeps_the_chat(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    let user = stored_user(&world, &bot, "before");
    store_item(&world, &item(&world, &user, 5), &bot);
    let renamed = User { guest_id: "after".to_owned(), ..user.clone() };
    let of_bot = scope.clone();
    world.write(move |tx| Ok(tx.update_user(&of_bot, &renamed)?));
    let expected =
        SupervisorChat { user_id: user.id, guest_id: "after".to_owned(), last_at: Some(at(5)) };
    assert_eq!(chats(&world, &scope, None, 9), [expected]);
    assert_eq!(supervised_users(&world, &bot), [user.id]);
}

pub(crate) fn history_of_a_deleted_user_is_removed_bit_by_bit(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    let (gone, stays) = (stored_user(&world, &bot, "gone"), stored_user(&world, &bot, "stays"));
    for user in [&gone, &stays] {
        store_item(&world, &item(&world, user, 1), &bot);
        for item in hidden_items(&world, user, 2) {
            store_item(&world, &item, &bot);
        }
        store_item(&world, &item(&world, user, 3), &bot);
    }
    assert_eq!(delete(&world, &scope, &[gone.id], at(7)), [gone.id]);
    assert_eq!(all_items(&world, &bot, &gone), []);
    assert_eq!(chat(&world, &scope, gone.id), None);
    assert_eq!(supervised_users(&world, &bot), [stays.id]);
    let left: Vec<_> = chats(&world, &scope, None, 9).iter().map(|chat| chat.user_id).collect();
    assert_eq!(left, [stays.id]);
    // The guestId's next user has nothing of it.
    let next = stored_user(&world, &bot, "gone");
    assert_eq!(chat(&world, &scope, next.id).unwrap().last_at, None);

    assert!(!remove_deleted(&world, &scope, gone.id), "there is history left");
    for removed in [2, 2, 1, 0] {
        assert_eq!(deleted(&world, &scope), Some((gone.id, at(7))));
        assert_eq!(remove_of_user(&world, &scope, gone.id, 2), removed);
    }
    assert!(remove_deleted(&world, &scope, gone.id));
    assert_eq!(all_items(&world, &bot, &stays).len(), 2);
    assert_eq!(clear(&world, &bot, &stays), 5);
}

pub(crate) fn history_of_another_bot_is_out_of_reach(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let user = stored_user(&world, &bot, "guest");
    store_item(&world, &item(&world, &user, 1), &bot);
    // The neighbour, and this very bot as if it lay in another project.
    for foreign in [world.scope(&neighbour), world.forged_scope(&bot, &world.other_project())] {
        assert_eq!(items(&world, &foreign, user.id, None, 9), []);
        assert_eq!(chats(&world, &foreign, None, 9), []);
        assert_eq!(chat(&world, &foreign, user.id), None);
        assert_eq!(remove_of_user(&world, &foreign, user.id, 9), 0);
        let mine = item(&world, &user, 2);
        let theirs = HistoryItem { bot_id: foreign.bot_id(), ..mine.clone() };
        for item in [mine, theirs] {
            let (scope, removal) = (foreign.clone(), foreign.clone());
            let inserted = world.try_write(move |tx| Ok(tx.insert_history_item(&scope, &item)?));
            assert!(inserted.is_err());
            assert_eq!(world.write(move |tx| Ok(tx.remove_history(&removal, 9)?)), 0);
        }
    }
    // Nor can an item be stored for a user who does not exist.
    let (scope, lost) = (world.scope(&bot), item(&world, &user, 3));
    let lost = HistoryItem { user_id: UserId::from_uuid(world.id()), ..lost };
    assert!(world.try_write(move |tx| Ok(tx.insert_history_item(&scope, &lost)?)).is_err());
    assert_eq!(all_items(&world, &bot, &user).len(), 1);
    assert_eq!(chat(&world, &world.scope(&bot), user.id).unwrap().last_at, Some(at(1)));
}

pub(crate) fn history_is_removed_bit_by_bit(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let (user, of_neighbour) =
        (stored_user(&world, &bot, "guest"), stored_user(&world, &neighbour, "guest"));
    store_item(&world, &item(&world, &of_neighbour, 1), &neighbour);
    for item in hidden_items(&world, &user, 1) {
        store_item(&world, &item, &bot);
    }
    for time in [4, 5] {
        store_item(&world, &item(&world, &user, time), &bot);
    }
    for removed in [2, 2, 1, 0] {
        let scope = world.scope(&bot);
        assert_eq!(world.write(move |tx| Ok(tx.remove_history(&scope, 2)?)), removed);
    }
    assert_eq!(all_items(&world, &bot, &user), []);
    assert_eq!(all_items(&world, &neighbour, &of_neighbour).len(), 1);
}
