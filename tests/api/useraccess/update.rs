//! `PUT /api/external/useraccess/user`

use botyard_tests::each_database;
use serde_json::{Value, json};

use super::{NOBODY, Users, id_of};

const KIB: usize = 1 << 10;

/// The free members, as they are written.
fn free_members(text: &str) -> String {
    let (_, rest) = text.split_once("\"guestId\":\"g\",").unwrap();
    rest.split_once("\"stats\":").unwrap().0.to_owned()
}

each_database! {
    fn members_are_replaced_removed_and_added_at_the_top_level(app: &TestApp) {
        let users = Users::new(app);
        let body = r#"{"guestId":"g","a":{"x":1,"y":2},"b":2,"c":1.50,"d":[1]}"#;
        let id = id_of(&users.send("POST", body).ok());
        let answer = users.send("PUT", format!(
            r#"{{"e":1e2,"b":null,"userId":"{id}","a":{{"z": 3}},"none":null,"d":[],"f":"\u00e4"}}"#
        ));
        assert_eq!(answer.status(), 200, "{answer}");
        let expected = r#""a":{"z": 3},"c":1.50,"d":[],"e":1e2,"f":"\u00e4","#;
        assert_eq!(free_members(&answer.text()), expected);
        assert_eq!(users.by_id(&id).text(), answer.text());
        let changed = ["e", "b", "a", "d", "f"].map(str::to_owned).to_vec();
        assert_eq!(users.changelog_entries()[1], ("update".to_owned(), id, changed));
    }

    fn a_user_is_named_by_either_member(app: &TestApp) {
        let users = Users::new(app);
        let id = id_of(&users.user("g"));
        for (number, address) in [
            json!({"_id": id}),
            json!({"userId": id}),
            json!({"_id": id, "userId": id}),
            json!({"_id": null, "userId": id}),
        ]
        .into_iter()
        .enumerate()
        {
            let mut body = address;
            body["number"] = json!(number);
            assert_eq!(users.update(&body).ok()["number"], json!(number));
        }
        let other = id_of(&users.user("other"));
        let before = users.tenant.snapshot();
        let answer = users.update(&json!({"_id": id, "userId": other, "a": 1}));
        answer.has_violations(&[("/userId", "contradiction")]);
        users.update(&json!({"_id": id})).has_violations(&[("", "no_fields")]);
        users.update(&json!({"_id": id, "userId": id})).has_violations(&[("", "no_fields")]);
        users.update(&json!({})).has_violations(&[("", "no_fields")]);
        users.update(&json!({"_id": 1, "userId": [], "a": 1}))
            .has_violations(&[("/_id", "wrong_type"), ("/userId", "wrong_type")]);
        before.assert_unchanged(&users.tenant);
    }

    fn who_is_not_there_is_refused(app: &TestApp) {
        let users = Users::new(app);
        users.user("g");
        let before = users.tenant.snapshot();
        for nobody in [NOBODY, "", "x", "00000000-0000-0000-0000-000000000000"] {
            users.update(&json!({"_id": nobody, "a": 1})).problem(403, "user_unknown");
            users.update(&json!({"userId": nobody, "guestId": ""})).problem(403, "user_unknown");
        }
        users.update(&json!({"a": 1})).problem(403, "user_missing");
        users.update(&json!({"_id": null, "userId": null, "a": 1})).problem(403, "user_missing");
        // Violations of the body are reported first.
        let answer = users.update(&json!({"_id": NOBODY, "stats": {}}));
        answer.has_violations(&[("/stats", "reserved_field")]);
        before.assert_unchanged(&users.tenant);
    }

    fn a_guest_id_changes_like_everything_else(app: &TestApp) {
        let users = Users::new(app);
        let (user, other) = (users.user("g"), users.user("other"));
        let id = id_of(&user);
        let renamed = users.tenant.text("renamed");
        let after = users.update(&json!({"_id": id, "guestId": renamed})).ok();
        assert_eq!((&after["guestId"], &after["_id"]), (&json!(renamed), &json!(id)));
        // The old one is free, and the new one is the user's own.
        let _ = users.user("g");
        let _ = users.update(&json!({"_id": id, "guestId": renamed, "a": 1})).ok();
        let before = users.tenant.snapshot();
        for (bad, code) in [(json!(""), "guest_id_missing"), (other["guestId"].clone(), "guest_id_taken")] {
            users.update(&json!({"_id": id, "guestId": bad, "a": 2})).problem(403, code);
        }
        for (bad, code) in [
            (Value::Null, "null"),
            (json!("x".repeat(257)), "too_long"),
            (json!("\0"), "bad_character"),
            (json!(1), "wrong_type"),
        ] {
            let answer = users.update(&json!({"_id": id, "guestId": bad, "a": 2}));
            answer.has_violations(&[("/guestId", code)]);
        }
        before.assert_unchanged(&users.tenant);
    }

    fn what_only_the_service_sets_is_refused(app: &TestApp) {
        let users = Users::new(app);
        let user = users.user("g");
        let before = users.tenant.snapshot();
        let reserved = ["botId", "createdAt", "stats", "updatedAt"];
        for name in reserved {
            // Not even what it is already.
            for value in [json!("x"), user[name].clone(), Value::Null] {
                let answer = users.update(&json!({"_id": user["_id"], name: value, "a": 2}));
                answer.problem(422, "reserved_field");
                answer.has_violations(&[(&format!("/{name}"), "reserved_field")]);
            }
        }
        before.assert_unchanged(&users.tenant);
    }

    fn an_update_that_changes_nothing_leaves_no_trace(app: &TestApp) {
        let users = Users::new(app);
        let id = id_of(&users.send("POST", r#"{"guestId":"g","a":1.0,"b":{"x":[]}}"#).ok());
        let before = users.tenant.snapshot();
        for same in [r#""a":1.0"#, r#""guestId":"g""#, r#""none":null"#, r#""b":{"x":[]}"#] {
            let _ = users.send("PUT", format!(r#"{{"_id":"{id}",{same}}}"#)).ok();
        }
        before.assert_unchanged(&users.tenant);
        // Numbers are kept as they are written, so another spelling is another value.
        let answer = users.send("PUT", format!(r#"{{"_id":"{id}","a":1.00}}"#));
        assert!(answer.text().contains(r#""a":1.00,"#), "{answer}");
    }

    fn the_time_of_change_moves_and_the_time_of_making_stays(app: &TestApp) {
        let users = Users::new(app);
        let before = users.user("g");
        // Times are in milliseconds, and a change may be faster.
        let moved = (0..1_000).any(|number| {
            let after = users.update(&json!({"_id": before["_id"], "number": number})).ok();
            assert_eq!(after["createdAt"], before["createdAt"]);
            assert!(after["updatedAt"].as_str() >= before["updatedAt"].as_str());
            after["updatedAt"] != before["updatedAt"]
        });
        assert!(moved);
    }

    fn free_members_do_not_grow_beyond_64_kib(app: &TestApp) {
        let users = Users::new(app);
        let id = id_of(&users.user("g"));
        let text = |bytes: usize| json!("x".repeat(bytes));
        let _ = users.update(&json!({"_id": id, "a": text(40 * KIB)})).ok();
        let before = users.tenant.snapshot();
        users.update(&json!({"_id": id, "b": text(40 * KIB)})).has_violations(&[("", "too_long")]);
        let rest = 64 * KIB - 40 * KIB - r#"{"a":"","b":""}"#.len();
        users.update(&json!({"_id": id, "b": text(rest + 1)})).has_violations(&[("", "too_long")]);
        for bytes in [64 * KIB, 70 * KIB, 1 << 20] {
            users.update(&json!({"_id": id, "b": text(bytes)})).problem(413, "body_too_large");
        }
        before.assert_unchanged(&users.tenant);
        let _ = users.update(&json!({"_id": id, "b": text(rest)})).ok();
        // What goes in the same update makes room.
        let after = users.update(&json!({"_id": id, "a": null, "b": text(50 * KIB)})).ok();
        assert_eq!((&after["a"], &after["b"]), (&Value::Null, &text(50 * KIB)));
    }
}
