//! `POST /api/external/useraccess/user`

use botyard_tests::each_database;
use domain::id::UserId;
use serde_json::{Value, json};

use super::{Users, at, id_of};

const KIB: usize = 1 << 10;

each_database! {
    fn a_new_user_keeps_the_free_members_as_they_came(app: &TestApp) {
        let users = Users::new(app);
        let guest_id = users.tenant.text("Gast ä𝄞");
        let answer = users.send("POST", format!(
            "{{\"z\": 1.10, \"guestId\":\"{guest_id}\",\"a\":{{ \"y\":[],\"x\":12345678901234567890.10 }},\
             \"gone\":null,\"name\":\"N\",\"e\":1e3,\"\":-0,\"k\\u00e9\":\"\\u00e4\\/\"}}"
        ));
        let user = answer.ok();
        let (id, created) = (id_of(&user), user["createdAt"].as_str().unwrap());
        assert!(UserId::parse(&id).is_some(), "{id}");
        let expected = format!(
            "{{\"_id\":\"{id}\",\"botId\":\"{bot}\",\"guestId\":\"{guest_id}\",\
             \"z\":1.10,\"a\":{{ \"y\":[],\"x\":12345678901234567890.10 }},\"name\":\"N\",\"e\":1e3,\
             \"\":-0,\"ké\":\"\\u00e4\\/\",\
             \"stats\":{{\"messages\":0,\"tokens\":0,\"lastActiveAt\":null,\"resetAt\":null}},\
             \"createdAt\":\"{created}\",\"updatedAt\":\"{created}\"}}",
            bot = users.bot(),
        );
        assert_eq!(answer.text(), expected);
        assert_eq!(users.by_id(&id).text(), expected);
        assert_eq!(users.client.get(&at("/users")).text(), format!("[{expected}]"));
        let form = created.replace(|letter: char| letter.is_ascii_digit(), "0");
        assert_eq!(form, "0000-00-00T00:00:00.000Z");
        let fields = ["guestId", "z", "a", "name", "e", "", "ké"].map(str::to_owned);
        assert_eq!(users.changelog_entries(), [("create".to_owned(), id, fields.to_vec())]);
    }

    fn a_user_without_a_guest_id_is_refused(app: &TestApp) {
        let users = Users::new(app);
        let before = users.tenant.snapshot();
        for body in [json!({}), json!({"guestId": null}), json!({"guestId": "", "a": 1})] {
            let problem = users.create(&body).problem(403, "guest_id_missing");
            assert_eq!(problem.get("errors"), None);
        }
        // Violations of the body are reported first.
        users.create(&json!({"_id": "x"})).has_violations(&[("/_id", "reserved_field")]);
        users.create(&json!({"guestId": "", "stats": {}})).has_violations(&[("/stats", "reserved_field")]);
        before.assert_unchanged(&users.tenant);
    }

    fn a_guest_id_has_1_to_256_bytes(app: &TestApp) {
        let users = Users::new(app);
        for good in ["g", " ", "/%+?#..", "'\"\\", "\u{1}", &"ä".repeat(128), &"x".repeat(256)] {
            assert_eq!(users.create(&json!({"guestId": good})).ok()["guestId"], json!(good));
        }
        let before = users.tenant.snapshot();
        for (bad, code) in [
            (json!("x".repeat(257)), "too_long"),
            (json!("ä".repeat(129)), "too_long"),
            (json!("a\0b"), "bad_character"),
            (json!(1), "wrong_type"),
            (json!(true), "wrong_type"),
            (json!(["g"]), "wrong_type"),
            (json!({}), "wrong_type"),
        ] {
            users.create(&json!({"guestId": bad})).has_violations(&[("/guestId", code)]);
        }
        users.send("POST", r#"{"guestId":"\ud800"}"#).has_violations(&[("/guestId", "bad_character")]);
        before.assert_unchanged(&users.tenant);
    }

    fn a_guest_id_is_unique_in_its_bot_alone(app: &TestApp) {
        let users = Users::new(app);
        let first = users.user("g");
        let before = users.tenant.snapshot();
        users.create(&json!({"guestId": first["guestId"]})).problem(403, "guest_id_taken");
        before.assert_unchanged(&users.tenant);
        // Compared byte by byte.
        for other in ["G", "g ", "\u{e9}", "e\u{301}"] {
            users.user(other);
        }
        let elsewhere = users.tenant.as_bot(users.tenant.new_bot("other"));
        let _ = elsewhere.post(&at("/user"), &json!({"guestId": first["guestId"]})).ok();
        // It is free again at once when the user is gone.
        assert_eq!(users.delete(&[&id_of(&first)]).ok(), json!({"deleted": 1}));
        assert_ne!(users.user("g")["_id"], first["_id"]);
    }

    fn what_only_the_service_sets_is_refused(app: &TestApp) {
        let users = Users::new(app);
        let before = users.tenant.snapshot();
        let reserved = ["_id", "botId", "createdAt", "stats", "updatedAt", "userId"];
        for name in reserved {
            for value in [json!("x"), json!({}), Value::Null] {
                let answer = users.create(&json!({"guestId": "g", name: value, "a": 1}));
                answer.problem(422, "reserved_field");
                answer.has_violations(&[(&format!("/{name}"), "reserved_field")]);
            }
        }
        let all: Value = reserved.iter().map(|name| ((*name).to_owned(), json!(1))).collect();
        let pointers = reserved.map(|name| format!("/{name}"));
        let violations = pointers.each_ref().map(|pointer| (pointer.as_str(), "reserved_field"));
        users.create(&all).has_violations(&violations);
        before.assert_unchanged(&users.tenant);
    }

    fn all_other_names_are_free(app: &TestApp) {
        let users = Users::new(app);
        let names = [
            "__proto__", "constructor", "id", "_ID", "bot_id", "GuestId", "guest_id", "projectId",
            "guestId ", "a/b~c", "ä", " ", "fields", "messages", "removedAt", "$ref",
        ];
        let mut body = json!({"guestId": "g"});
        for (number, name) in names.iter().enumerate() {
            body[name] = json!(number);
        }
        let user = users.create(&body).ok();
        for (number, name) in names.iter().enumerate() {
            assert_eq!(user[name], json!(number), "{name}");
        }
        assert_eq!(users.by_id(&id_of(&user)).ok(), user);
    }

    fn free_members_that_are_no_valid_json_are_refused(app: &TestApp) {
        let users = Users::new(app);
        let before = users.tenant.snapshot();
        let with = |member: &str| format!(r#"{{"guestId":"g",{member}}}"#);
        let deep = |levels: usize| format!("\"a\":{}{}", "[".repeat(levels), "]".repeat(levels));
        for (member, code) in [
            (r#""a":1,"a":2"#, "duplicate_field"),
            (r#""a":{"b":{"c":1,"c":1}}"#, "duplicate_field"),
            (r#""guestId":"h""#, "duplicate_field"),
            (r#""a":"\u0000""#, "bad_character"),
            (r#""a":["\ud800"]"#, "bad_character"),
            (&deep(128), "too_deep"),
            (r#""a":01"#, "malformed_json"),
        ] {
            users.send("POST", with(member)).problem(422, code);
        }
        for body in ["", "[]", "null", "1", "{}{}"] {
            assert_eq!(users.send("POST", body).status(), 422, "{body}");
        }
        before.assert_unchanged(&users.tenant);
        assert_eq!(users.send("POST", with(&deep(127))).status(), 200);
    }

    fn free_members_take_at_most_64_kib(app: &TestApp) {
        let users = Users::new(app);
        let body = |bytes: usize| {
            let text = "x".repeat(bytes - r#"{"a":""}"#.len());
            format!(r#"{{"guestId":"g","a":"{text}"}}"#)
        };
        let before = users.tenant.snapshot();
        for bytes in [64 * KIB + 1, 70 * KIB, 1 << 20] {
            users.send("POST", body(bytes)).problem(413, "body_too_large");
        }
        before.assert_unchanged(&users.tenant);
        let user = users.send("POST", body(64 * KIB)).ok();
        assert_eq!(user["a"].as_str().unwrap().len(), 64 * KIB - 8);
        assert_eq!(users.by_id(&id_of(&user)).ok(), user);
    }
}
