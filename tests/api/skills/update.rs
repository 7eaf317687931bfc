//! `PUT {bot}/skills/{skillId}`

use botyard_tests::each_scheme;
use serde_json::{Value, json};

use super::{LONG_AGO, age, full, id, make, path};

each_scheme! {
    fn what_is_named_changes_and_nothing_else(bot: &OnBot) {
        let mut expected = bot.post("/skills", &full(bot)).ok();
        age(bot, "skills");
        for (field, value) in [
            ("name", json!(bot.text("other"))),
            ("description", json!("")),
            ("enabled", json!(true)),
            ("content", json!(bot.text("other"))),
            ("params", json!([{"b": {}}])),
            ("toolCallAnswer", json!([])),
            ("answerMode", json!("random")),
            ("skillId", json!("other")),
        ] {
            assert_ne!(expected[field], value, "{field}");
            expected[field] = value.clone();
            let updated = bot.put(&path(&id(&expected)), &json!({field: value})).ok();
            assert_ne!(updated["updatedAt"], json!(LONG_AGO), "{field}");
            expected["createdAt"] = json!(LONG_AGO);
            expected["updatedAt"] = updated["updatedAt"].clone();
            assert_eq!(updated, expected, "{field}");
            assert_eq!(bot.get("/skills").items(), [updated], "{field}");
            age(bot, "skills");
        }
    }

    fn all_fields_change_at_once(bot: &OnBot) {
        let made = make(bot, "plain");
        let given = full(bot);
        let updated = bot.put(&path("plain"), &given).ok();
        for (field, value) in given.as_object().unwrap() {
            assert_eq!(updated[field], *value, "{field}");
        }
        assert_eq!((&updated["_id"], &updated["botId"]), (&made["_id"], &made["botId"]));
        assert_eq!(bot.get(&path("full")).ok(), updated);
    }

    fn null_takes_back_what_was_set(bot: &OnBot) {
        let made = bot.post("/skills", &full(bot)).ok();
        let optional = ["description", "content", "params", "toolCallAnswer"];
        let mut body = json!({"enabled": null, "answerMode": null});
        for field in optional {
            body[field] = Value::Null;
        }
        let updated = bot.put(&path("full"), &body).ok();
        for field in optional {
            assert_eq!(updated[field], Value::Null, "{field}");
        }
        assert_eq!(
            (&updated["enabled"], &updated["answerMode"]),
            (&json!(true), &json!("sequence"))
        );
        for field in ["_id", "name", "skillId", "createdAt"] {
            assert_eq!(updated[field], made[field], "{field}");
        }
        assert_eq!(bot.get(&path("full")).ok(), updated);
    }

    fn each_null_stands_for_itself(bot: &OnBot) {
        let mut expected = bot.post("/skills", &full(bot)).ok();
        for (field, value) in [
            ("description", json!(null)),
            ("enabled", json!(true)),
            ("content", json!(null)),
            ("params", json!(null)),
            ("toolCallAnswer", json!(null)),
            ("answerMode", json!("sequence")),
        ] {
            let updated = bot.put(&path("full"), &json!({field: null})).ok();
            expected[field] = value;
            expected["updatedAt"] = updated["updatedAt"].clone();
            assert_eq!(updated, expected, "{field}");
        }
    }

    fn names_can_not_be_unset(bot: &OnBot) {
        let _ = make(bot, "x");
        let before = bot.tenant.snapshot();
        let answer = bot.put(&path("x"), &json!({"name": null, "skillId": null, "content": "y"}));
        answer.has_violations(&[("/name", "null"), ("/skillId", "null")]);
        answer.problem(422, "null");
        before.assert_unchanged(&bot.tenant);
    }

    fn an_update_of_nothing_is_refused(bot: &OnBot) {
        let _ = make(bot, "x");
        let before = bot.tenant.snapshot();
        bot.put(&path("x"), &json!({})).has_violations(&[("", "no_fields")]);
        bot.put_bytes(&path("x"), "").has_violations(&[("", "malformed_json")]);
        before.assert_unchanged(&bot.tenant);
    }

    fn what_changes_nothing_leaves_no_trace(bot: &OnBot) {
        let given = full(bot);
        let made = bot.post("/skills", &given).ok();
        age(bot, "skills");
        let before = bot.tenant.snapshot();
        let mut expected = made;
        expected["createdAt"] = json!(LONG_AGO);
        expected["updatedAt"] = json!(LONG_AGO);
        assert_eq!(bot.put(&path("full"), &given).ok(), expected);
        for (field, value) in given.as_object().unwrap() {
            assert_eq!(bot.put(&path("full"), &json!({field: value})).ok(), expected, "{field}");
        }
        let padded = format!(" {}\n", given["name"].as_str().unwrap());
        assert_eq!(bot.put(&path("full"), &json!({"name": padded})).ok(), expected);
        before.assert_unchanged(&bot.tenant);
    }

    fn defaults_that_are_asked_for_leave_no_trace_either(bot: &OnBot) {
        let made = make(bot, "x");
        let before = bot.tenant.snapshot();
        for body in [
            json!({"enabled": null, "answerMode": null, "content": null, "params": null}),
            json!({"enabled": true, "answerMode": "sequence", "description": null}),
        ] {
            assert_eq!(bot.put(&path("x"), &body).ok(), made);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn an_update_follows_either_id(bot: &OnBot) {
        let made = make(bot, "x");
        for address in ["x", &id(&made), "%78"] {
            let text = bot.text(address);
            let updated = bot.put(&path(address), &json!({"content": text})).ok();
            assert_eq!((&updated["_id"], &updated["content"]), (&made["_id"], &json!(text)));
        }
        assert_eq!(bot.get("/skills").items().len(), 1);
    }

    fn a_body_is_checked_before_the_skill_is_looked_for(bot: &OnBot) {
        let _ = make(bot, "x");
        let before = bot.tenant.snapshot();
        bot.put(&path("nobody"), &json!({"colour": 1})).has_violations(&[("/colour", "unknown_field")]);
        bot.put(&path("nobody"), &json!({})).has_violations(&[("", "no_fields")]);
        // And the skill before what others have.
        let taken = json!({"name": bot.text("x"), "skillId": "x"});
        bot.put(&path("nobody"), &taken).problem(404, "skill_not_found");
        before.assert_unchanged(&bot.tenant);
    }

    fn other_skills_stay_as_they_are(bot: &OnBot) {
        let (one, other) = (make(bot, "one"), make(bot, "other"));
        let _ = bot.put(&path("one"), &json!({"skillId": "two", "content": bot.text("x")})).ok();
        assert_eq!(bot.get(&path("other")).ok(), other);
        let _ = bot.delete(&path(&id(&one))).ok();
        assert_eq!(bot.get("/skills").items(), [other]);
    }

    fn a_delete_names_what_went(bot: &OnBot) {
        let [one, two] = ["one", "two"].map(|skill_id| make(bot, skill_id));
        let done = |made: &Value| json!({"deleted": true, "_id": made["_id"]});
        assert_eq!(bot.delete(&path("one")).ok(), done(&one));
        assert_eq!(bot.delete(&path(&id(&two))).ok(), done(&two));
        assert_eq!(bot.get("/skills").text(), "[]");
        for address in ["one", "two", &id(&one), &id(&two)] {
            bot.delete(&path(address)).problem(404, "skill_not_found");
            bot.get(&path(address)).problem(404, "skill_not_found");
        }
    }
}
