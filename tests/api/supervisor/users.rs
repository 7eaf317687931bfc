//! `GET /api/external/supervisor/users`

use botyard_tests::each_database;
use serde_json::{Value, json};

use super::{Supervised, USERS, guests};

each_database! {
    fn users_are_listed_of_whom_a_supervisor_may_read_anything(app: &TestApp) {
        let on = Supervised::new(app);
        assert_eq!(on.client.get(USERS).text(), "[]");
        let names = ["talks", "silent", "hides", "taps", "answered"];
        let [talks, _, hides, taps, answered] = names.map(|guest_id| on.user(guest_id));
        on.tenant.record(on.bot(), [
            on.item(answered, 9, &json!({"role": "assistant"})),
            on.item(taps, 8, &json!({"kind": "socketEvent"})),
            on.item(hides, 7, &json!({"supervisorEnabled": false})),
            on.item(talks, 6, &json!({})),
        ]);
        let listed = on.client.get(USERS).items();
        // In the order in which they came, not in that of what they said.
        assert_eq!(guests(&listed, &on.tenant), ["talks", "taps", "answered"]);
    }

    fn a_user_is_shown_whole(app: &TestApp) {
        let on = Supervised::new(app);
        let user = on.user("g");
        on.says(user, [1, 2]);
        let listed = on.client.get(USERS).items();
        let path = format!("/api/external/useraccess/user/byId/{user}");
        assert_eq!(listed, [on.client.get(&path).ok()]);
        let stats = json!({
            "messages": 2,
            "tokens": 0,
            "lastActiveAt": super::time(2),
            "resetAt": null,
        });
        assert_eq!(listed[0]["stats"], stats);
        assert_eq!(listed[0]["name"], json!(on.tenant.text("A name")));
    }

    fn a_user_who_goes_is_not_listed(app: &TestApp) {
        let on = Supervised::new(app);
        let [a, b] = ["a", "b"].map(|guest_id| on.user(guest_id));
        on.says(a, [1]);
        on.says(b, [1]);
        on.tenant.delete_user(on.bot(), a);
        assert_eq!(guests(&on.client.get(USERS).items(), &on.tenant), ["b"]);
        on.tenant.delete_user(on.bot(), b);
        assert_eq!(on.client.get(USERS).items(), Vec::<Value>::new());
    }
}
