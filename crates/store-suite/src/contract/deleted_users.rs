//! Users who were deleted, until their rows are removed.

use std::slice;
use std::sync::Arc;

use crate::contract::users::{
    all_users, delete, deleted, find, find_guest, remove_deleted, stored_user, update, user,
};
use crate::world::{World, at, together};
use domain::id::UserId;
use domain::store::Store;
use domain::user::User;

pub(crate) fn a_deleted_user_is_not_there(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    let (gone, stays) = (stored_user(&world, &bot, "gone"), stored_user(&world, &bot, "stays"));
    assert_eq!(deleted(&world, &scope), None);
    assert!(!remove_deleted(&world, &scope, gone.id), "only who is deleted is removed");
    assert_eq!(delete(&world, &scope, &[gone.id], at(7)), [gone.id]);

    assert_eq!(find(&world, &scope, gone.id), None);
    assert_eq!(find_guest(&world, &scope, "gone"), None);
    assert_eq!(all_users(&world, &bot), slice::from_ref(&stays));
    assert!(!update(&world, &scope, &gone));
    assert_eq!(deleted(&world, &scope), Some((gone.id, at(7))));
    // Nor is one deleted again, at another time.
    assert_eq!(delete(&world, &scope, &[gone.id], at(8)), []);
    assert_eq!(deleted(&world, &scope), Some((gone.id, at(7))));

    // The guestId is free, again and again.
    let second = stored_user(&world, &bot, "gone");
    assert_eq!(find_guest(&world, &scope, "gone"), Some(second.clone()));
    assert_eq!(delete(&world, &scope, &[second.id], at(9)), [second.id]);
    assert!(update(&world, &scope, &User { guest_id: "gone".to_owned(), ..stays.clone() }));

    for _ in 0..2 {
        let (id, _) = deleted(&world, &scope).unwrap();
        assert!(remove_deleted(&world, &scope, id));
        assert!(!remove_deleted(&world, &scope, id));
    }
    assert_eq!(deleted(&world, &scope), None);
    assert_eq!(find_guest(&world, &scope, "gone").map(|user| user.id), Some(stays.id));
}

pub(crate) fn many_users_are_deleted_at_once(store: Arc<dyn Store>) {
    let world = World::new(store);
    let (bot, neighbour) = (world.stored_bot("bot"), world.stored_bot("neighbour"));
    let scope = world.scope(&bot);
    let users: Vec<_> = (0..1_010).map(|number| user(&world, &bot, &number.to_string())).collect();
    let (of_bot, stored) = (scope.clone(), users.clone());
    world.write(move |tx| {
        Ok(stored.iter().try_for_each(|user| tx.insert_user(&of_bot, user).map(|_| ()))?)
    });
    let foreign = stored_user(&world, &neighbour, "1");
    let mut ids: Vec<_> = users[..998].iter().map(|user| user.id).collect();
    let expected = ids.clone();
    ids.extend([foreign.id, UserId::from_uuid(world.id())]);
    assert_eq!(delete(&world, &scope, &ids, at(7)), expected);
    assert_eq!(all_users(&world, &bot), users[998..]);
    assert_eq!(all_users(&world, &neighbour), [foreign]);
    // Each is deleted by one only, and named once.
    let ids = [users[1_000].id, users[1_000].id, users[1_001].id];
    let deleted = together(4, |_| delete(&world, &scope, &ids, at(8)));
    assert_eq!(deleted.concat(), [users[1_000].id, users[1_001].id]);
    assert_eq!(delete(&world, &scope, &[], at(9)), []);
}

/// A unit that wants the guestId while it is being freed gets it or does not, but no unit fails.
pub(crate) fn a_guest_id_is_freed_beside_others_who_want_it(store: Arc<dyn Store>) {
    let world = World::new(store);
    let bot = world.stored_bot("bot");
    let scope = world.scope(&bot);
    stored_user(&world, &bot, "wanted");
    let stored = together(4, |number| {
        let mut stored = 0;
        for _ in 0..10 {
            if number == 0 {
                let ids: Vec<_> = all_users(&world, &bot).iter().map(|user| user.id).collect();
                delete(&world, &scope, &ids, at(7));
            } else {
                let (scope, user) = (scope.clone(), user(&world, &bot, "wanted"));
                let insert = world.write(move |tx| Ok(tx.insert_user(&scope, &user)?));
                stored += usize::from(insert);
            }
        }
        stored
    });
    assert!(all_users(&world, &bot).len() <= 1);
    let mut count = all_users(&world, &bot).len();
    while let Some((id, _)) = deleted(&world, &scope) {
        assert!(remove_deleted(&world, &scope, id));
        count += 1;
    }
    assert_eq!(count, 1 + stored.into_iter().sum::<usize>());
}
