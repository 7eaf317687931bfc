//! Many who want the same at the same time.

use botyard_tests::{at_once, each_database};
use serde_json::json;

use super::{Users, at, id_of};

each_database! {
    fn one_guest_id_is_given_to_one_user(app: &TestApp) {
        let users = Users::new(app);
        for round in 0..5 {
            let guest_id = users.tenant.text(&round.to_string());
            let answers = at_once(10, |_| users.create(&json!({"guestId": guest_id})));
            let (made, refused): (Vec<_>, Vec<_>) =
                answers.into_iter().partition(|answer| answer.status() == 200);
            assert_eq!((made.len(), refused.len()), (1, 9));
            for answer in refused {
                answer.problem(403, "guest_id_taken");
            }
        }
        assert_eq!(users.all().len(), 5);
        assert_eq!(users.changelog_entries().len(), 5);
    }

    fn one_guest_id_is_given_to_one_of_many_users(app: &TestApp) {
        let users = Users::new(app);
        let ids: Vec<_> = (0..8).map(|number| id_of(&users.user(&number.to_string()))).collect();
        let guest_id = users.tenant.text("wanted");
        let answers =
            at_once(8, |number| users.update(&json!({"_id": ids[number], "guestId": guest_id})));
        let (made, refused): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.status() == 200);
        assert_eq!((made.len(), refused.len()), (1, 7));
        for answer in refused {
            answer.problem(403, "guest_id_taken");
        }
        let bearers = users.all().into_iter().filter(|user| user["guestId"] == json!(guest_id));
        assert_eq!(bearers.count(), 1);
    }

    fn updates_of_different_members_at_once_are_all_kept(app: &TestApp) {
        let users = Users::new(app);
        let id = id_of(&users.user("g"));
        at_once(10, |number| {
            let name = format!("member-{number}");
            users.update(&json!({"_id": id, name: number})).ok()
        });
        let user = users.by_id(&id).ok();
        for number in 0..10 {
            assert_eq!(user[format!("member-{number}")], json!(number));
        }
    }

    fn a_user_deleted_at_once_is_counted_once(app: &TestApp) {
        let users = Users::new(app);
        let ids: Vec<_> = (0..20).map(|number| id_of(&users.user(&number.to_string()))).collect();
        let ids: Vec<_> = ids.iter().map(String::as_str).collect();
        let deleted = at_once(6, |number| {
            // A change at the same time succeeds, or is refused because the user is gone.
            let changed = users.update(&json!({"_id": ids[number], "a": 1}));
            assert!(matches!(changed.status(), 200 | 403), "{changed}");
            users.delete(&ids).ok()["deleted"].as_u64().unwrap()
        });
        assert_eq!(deleted.iter().sum::<u64>(), 20);
        assert_eq!(users.client.get(&at("/users")).text(), "[]");
    }
}
