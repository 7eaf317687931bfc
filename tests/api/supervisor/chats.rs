//! `GET /api/external/supervisor/chats`

use botyard_tests::each_database;
use domain::recorder::UsedTokens;
use serde_json::json;

use super::{CHATS, Supervised, guests, texts, time};

each_database! {
    fn a_bot_without_chats_has_an_empty_list(app: &TestApp) {
        let on = Supervised::new(app);
        let _ = on.user("silent");
        for query in ["", "?limit=1", "?limit=1000"] {
            let answer = on.client.get(&format!("{CHATS}{query}"));
            assert_eq!((answer.text().as_str(), answer.next_page()), ("[]", None));
        }
    }

    fn a_chat_has_the_items_of_its_user_oldest_first(app: &TestApp) {
        let on = Supervised::new(app);
        let user = on.user("g");
        let roles = ["assistant", "user", "system", "supervisor"];
        let said = |at: u8| {
            let role = json!({"role": roles[usize::from(at)]});
            on.item(user, u32::from(at) + 1, &role)
        };
        on.tenant.record(on.bot(), [3, 2, 1, 0].map(said));
        let chats = on.chats();
        let ids: Vec<_> = (0..4).map(|at| chats[0]["items"][at]["_id"].clone()).collect();
        assert!(ids.iter().all(|id| id.as_str().is_some_and(|id| id.len() == 36)), "{ids:?}");
        let item = |at: usize, second: u32| json!({
            "_id": ids[at],
            "role": roles[at],
            "text": on.tenant.text(&second.to_string()),
            "createdAt": time(second),
        });
        let expected = json!([{
            "userId": user.to_string(),
            "guestId": on.tenant.text("g"),
            "lastAt": time(4),
            "items": [item(0, 1), item(1, 2), item(2, 3), item(3, 4)],
        }]);
        assert_eq!(json!(chats), expected);
        // In that order on the wire as well.
        let text = on.client.get(CHATS).text();
        let places = ["\"userId\"", "\"guestId\"", "\"lastAt\"", "\"items\""];
        assert!(places.map(|name| text.find(name).unwrap()).is_sorted(), "{text}");
    }

    fn chats_are_listed_latest_first(app: &TestApp) {
        let on = Supervised::new(app);
        let [a, b, c] = ["a", "b", "c"].map(|guest_id| on.user(guest_id));
        on.says(b, [2, 50]);
        on.says(a, [60, 1]);
        on.says(c, [55]);
        assert_eq!(guests(&on.chats(), &on.tenant), ["a", "c", "b"]);
        on.says(b, [61]);
        let chats = on.chats();
        assert_eq!(guests(&chats, &on.tenant), ["b", "a", "c"]);
        assert_eq!(texts(&chats[0], &on.tenant), ["2", "50", "61"]);
        assert_eq!(texts(&chats[1], &on.tenant), ["1", "60"]);
    }

    fn items_of_one_time_keep_the_order_in_which_they_came(app: &TestApp) {
        let on = Supervised::new(app);
        let user = on.user("g");
        let named = |name: u32| {
            let text = on.tenant.text(&name.to_string());
            on.item(user, 7, &json!({"text": text}))
        };
        on.tenant.record(on.bot(), (0..30).map(named));
        on.tenant.record(on.bot(), (30..60).map(named));
        let expected: Vec<_> = (0..60).map(|name| name.to_string()).collect();
        assert_eq!(texts(&on.chats()[0], &on.tenant), expected);
    }

    fn what_no_supervisor_may_read_is_not_there(app: &TestApp) {
        let on = Supervised::new(app);
        let [talks, hides, taps] = ["talks", "hides", "taps"].map(|guest_id| on.user(guest_id));
        on.says(talks, [10]);
        let event = json!({"kind": "socketEvent"});
        let private = json!({"supervisorEnabled": false});
        on.tenant.record(on.bot(), [
            on.item(talks, 5, &event),
            on.item(talks, 20, &event),
            on.item(talks, 25, &private),
            on.item(hides, 30, &private),
            on.item(hides, 31, &json!({"supervisorEnabled": null})),
            on.item(taps, 40, &event),
        ]);
        let chats = on.chats();
        assert_eq!(guests(&chats, &on.tenant), ["talks"]);
        assert_eq!(texts(&chats[0], &on.tenant), ["10"]);
        assert_eq!(chats[0]["lastAt"], json!(time(10)));
        for user in [hides, taps] {
            let chat = on.chat(user).ok();
            assert_eq!((&chat["lastAt"], &chat["items"]), (&json!(null), &json!([])));
        }
    }

    fn a_message_that_came_late_is_sorted_in(app: &TestApp) {
        let on = Supervised::new(app);
        let [a, b] = ["a", "b"].map(|guest_id| on.user(guest_id));
        on.says(a, [10]);
        on.says(b, [20]);
        on.says(a, [5]);
        let chats = on.chats();
        assert_eq!(guests(&chats, &on.tenant), ["b", "a"]);
        assert_eq!(texts(&chats[1], &on.tenant), ["5", "10"]);
    }

    fn a_user_who_goes_takes_the_chat_along(app: &TestApp) {
        let on = Supervised::new(app);
        let [a, b] = ["a", "b"].map(|guest_id| on.user(guest_id));
        on.says(a, [10]);
        on.says(b, [20]);
        on.tenant.delete_user(on.bot(), b);
        assert_eq!(guests(&on.chats(), &on.tenant), ["a"]);
        on.chat(b).problem(404, "user_not_found");
        // The next user with this guestId begins with an empty chat.
        let again = on.user("b");
        assert_eq!(on.chat(again).ok()["items"], json!([]));
    }

    fn a_user_who_only_costs_has_no_chat(app: &TestApp) {
        let on = Supervised::new(app);
        let user_id = on.user("g");
        on.tenant.record(on.bot(), [UsedTokens { user_id, tokens: 3 }.into()]);
        assert_eq!(on.chats(), Vec::<serde_json::Value>::new());
    }
}
