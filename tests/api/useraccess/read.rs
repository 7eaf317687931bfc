//! `GET /api/external/useraccess/user/byId/{userId}` and `…/byGuestId/{guestId}`

use botyard_tests::each_database;
use serde_json::{Value, json};

use super::{NOBODY, Users, at, id_of};
use crate::keyval::encoded;

each_database! {
    fn a_user_is_found_by_either_id(app: &TestApp) {
        let users = Users::new(app);
        let guests = [
            "plain", "a/b", "%", "%2F", "a+b", "a b", "?x=1#y", "..", ".", "ä𝄞", "'\"\\", "\u{1}\n",
            "null", "usersinorg", &"ä".repeat(128),
        ];
        for guest_id in guests {
            let user = users.create(&json!({"guestId": guest_id})).ok();
            let by_guest = users.client.get(&at(&format!("/user/byGuestId/{}", encoded(guest_id))));
            assert_eq!(by_guest.ok(), user, "{guest_id}");
            assert_eq!(users.by_id(&id_of(&user)).ok(), user, "{guest_id}");
        }
    }

    fn an_unknown_user_is_null(app: &TestApp) {
        let users = Users::new(app);
        let user = users.user("g");
        let gone = id_of(&users.user("gone"));
        assert_eq!(users.delete(&[&gone]).ok(), json!({"deleted": 1}));
        let own = id_of(&user);
        let upper = own.to_uppercase();
        let nil = "00000000-0000-0000-0000-000000000000";
        let with_nul = format!("{own}%00");
        for id in [NOBODY, &gone, &upper, nil, &with_nul, "x", "%00", "%20", "%2E", &"x".repeat(2_000)] {
            let answer = users.by_id(id);
            assert_eq!((answer.status(), answer.text().as_str()), (200, "null"), "{answer}");
        }
        let guest = encoded(user["guestId"].as_str().unwrap());
        let gone = encoded(&users.tenant.text("gone"));
        let with_nul = format!("{guest}%00");
        for guest_id in [
            "nobody", &gone, "%00", &with_nul, "a%00b", &"x".repeat(257), &"x".repeat(4_000), &own,
        ] {
            let answer = users.client.get(&at(&format!("/user/byGuestId/{guest_id}")));
            assert_eq!((answer.status(), answer.text().as_str()), (200, "null"), "{answer}");
        }
    }

    fn what_is_no_path_of_a_user_is_not_found(app: &TestApp) {
        let users = Users::new(app);
        for rel in ["/user/byId", "/user/byId/", "/user/byGuestId/", "/user/byId/a/b", "/user/x", "/"] {
            users.client.get(&at(rel)).problem(404, "unknown_path");
        }
        let long = format!("/user/byGuestId/{}", "x".repeat(4_097));
        users.client.get(&at(&long)).problem(414, "uri_too_long");
        for rel in ["/user/byId/x?a=1", "/user/byGuestId/x?limit=1"] {
            assert_eq!(users.client.get(&at(rel)).status(), 422);
        }
        assert_eq!(users.client.get(&at("/user/byId/x")).ok(), Value::Null);
    }
}
