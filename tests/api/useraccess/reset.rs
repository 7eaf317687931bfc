//! `POST /api/external/useraccess/resetstats`

use botyard_tests::{each_database, record};
use domain::recorder::{NewHistoryItem, Record, UsedTokens};
use serde_json::{Value, json};

use super::{NOBODY, Users, at, id_of, user_id};

each_database! {
    fn the_numbers_go_back_to_0(app: &TestApp) {
        let users = Users::new(app);
        let (user, other) = (users.user("g"), users.user("other"));
        for of in [&user, &other] {
            let said = record::<NewHistoryItem>(&json!({
                "userId": of["_id"], "role": "user", "kind": "message", "supervisorEnabled": false,
                "text": "Hello", "createdAt": "2026-01-31T12:00:00.000Z",
            }));
            let used = Record::from(UsedTokens { user_id: user_id(of), tokens: 7 });
            users.tenant.record(users.bot(), [said, used]);
        }
        let before = users.by_id(&id_of(&user)).ok();
        let stats = json!({
            "messages": 1, "tokens": 7, "lastActiveAt": "2026-01-31T12:00:00.000Z", "resetAt": null,
        });
        assert_eq!(before["stats"], stats);
        // What a user does is no change of the user.
        assert_eq!(before["updatedAt"], user["updatedAt"]);

        let after = users.client.post(&at("/resetstats"), &json!({"userId": user["_id"]})).ok();
        assert_eq!(after["stats"]["resetAt"], after["updatedAt"]);
        let expected = json!({
            "messages": 0, "tokens": 0, "lastActiveAt": "2026-01-31T12:00:00.000Z",
            "resetAt": after["updatedAt"],
        });
        assert_eq!(after["stats"], expected);
        assert!(after["updatedAt"].as_str() >= before["updatedAt"].as_str());
        assert_eq!(users.by_id(&id_of(&user)).ok(), after);
        assert_eq!(users.by_id(&id_of(&other)).ok()["stats"], stats);
        let entries = users.changelog_entries();
        assert_eq!(entries[2..], [("update".to_owned(), id_of(&user), vec!["stats".to_owned()])]);
    }

    fn who_is_not_there_is_refused(app: &TestApp) {
        let users = Users::new(app);
        users.user("g");
        let before = users.tenant.snapshot();
        for nobody in [NOBODY, "", "x", "a b"] {
            let answer = users.client.post(&at("/resetstats"), &json!({"userId": nobody}));
            answer.problem(403, "user_unknown");
        }
        for (body, violation) in [
            (json!({}), ("/userId", "missing_field")),
            (json!({"userId": null}), ("/userId", "missing_field")),
            (json!({"userId": 1}), ("/userId", "wrong_type")),
            (json!({"userId": "\0"}), ("/userId", "bad_character")),
            (json!({"userId": NOBODY, "stats": {}}), ("/stats", "unknown_field")),
        ] {
            users.client.post(&at("/resetstats"), &body).has_violations(&[violation]);
        }
        for body in [Value::Null, json!([]), json!("x")] {
            assert_eq!(users.client.post(&at("/resetstats"), &body).status(), 422);
        }
        before.assert_unchanged(&users.tenant);
    }
}
