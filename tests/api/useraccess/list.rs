//! `GET /api/external/useraccess/users`

use botyard_tests::each_database;
use serde_json::{Value, json};

use super::{Users, at, id_of};

each_database! {
    fn a_bot_begins_without_users(app: &TestApp) {
        let users = Users::new(app);
        assert_eq!(users.client.get(&at("/users")).text(), "[]");
        assert_eq!(users.client.get(&at("/users?limit=1")).text(), "[]");
    }

    fn users_are_listed_oldest_first_as_a_read_shows_them(app: &TestApp) {
        let users = Users::new(app);
        let made: Vec<_> = (0..4).map(|number| users.user(&number.to_string())).collect();
        // Who is changed does not move, and who is gone is not there.
        let _ = users.update(&json!({"_id": made[0]["_id"], "guestId": "changed"})).ok();
        assert_eq!(users.delete(&[&id_of(&made[2])]).ok(), json!({"deleted": 1}));
        let expected: Vec<Value> =
            [0, 1, 3].iter().map(|at| users.by_id(&id_of(&made[*at])).ok()).collect();
        assert_eq!(users.all(), expected);
    }

    fn pages_together_are_the_whole_list(app: &TestApp) {
        let users = Users::new(app);
        let whole: Vec<_> = (0..5).map(|number| users.user(&number.to_string())).collect();
        for (limit, expected) in
            [(1, vec![1; 5]), (2, vec![2, 2, 1]), (4, vec![4, 1]), (5, vec![5]), (1000, vec![5])]
        {
            let collected = users.client.collect_pages(&at(&format!("/users?limit={limit}")));
            assert_eq!(collected, (whole.clone(), expected), "limit {limit}");
        }
        // The place in the list stays when the user goes.
        let next = users.client.get(&at("/users?limit=2")).next_page().unwrap();
        assert_eq!(users.delete(&[&id_of(&whole[1])]).ok(), json!({"deleted": 1}));
        assert_eq!(users.client.get(&next).items(), whole[2..4].to_vec());
        let cursor = next.split_once("cursor=").unwrap().1;
        let rest = users.client.get(&at(&format!("/users?cursor={cursor}")));
        assert_eq!((rest.next_page(), rest.items()), (None, whole[2..].to_vec()));
    }

    fn many_users_are_streamed_whole(app: &TestApp) {
        let users = Users::new(app);
        let padding = "x".repeat(10_000);
        let made: Vec<_> = (0..60)
            .map(|number| {
                let body = json!({"guestId": number.to_string(), "padding": padding});
                id_of(&users.create(&body).ok())
            })
            .collect();
        assert_eq!(users.all().iter().map(id_of).collect::<Vec<_>>(), made);
    }

    fn a_wrong_query_is_refused(app: &TestApp) {
        let users = Users::new(app);
        for (query, pointer) in [
            ("limit=0", "/limit"),
            ("limit=1001", "/limit"),
            ("cursor=x", "/cursor"),
            ("cursor=", "/cursor"),
            ("cursor=0190c7a0-1111-7222-8333-444455556666", "/cursor"),
            ("cursor=x.0190c7a0-1111-7222-8333-444455556666", "/cursor"),
            ("guestId=g", "/guestId"),
        ] {
            let answer = users.client.get(&at(&format!("/users?{query}")));
            answer.has_violations(&[(pointer, "bad_query")]);
        }
    }
}
