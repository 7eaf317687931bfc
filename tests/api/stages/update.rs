//! `PUT {bot}/stages/{stageId}`

use botyard_tests::each_scheme;
use serde_json::{Value, json};

use super::{OPTIONAL, full, make, path};
use crate::skills::{LONG_AGO, age};

each_scheme! {
    fn what_is_named_changes_and_nothing_else(bot: &OnBot) {
        let mut expected = bot.post("/stages", &full(bot)).ok();
        for (field, value) in [
            ("title", json!(bot.text("other"))),
            ("name", json!(bot.text("other"))),
            ("hidden", json!(true)),
            ("footer", json!(false)),
            ("forceSkills", json!(true)),
            ("skills", json!(["a"])),
            ("skills", json!([])),
            ("enterJS", json!("")),
            ("exitJS", json!(bot.text("other"))),
            ("preConditionJS", json!("return true")),
        ] {
            age(bot, "stages");
            assert_ne!(expected[field], value, "{field}");
            expected[field] = value.clone();
            let updated = bot.put(&path(&expected), &json!({field: value})).ok();
            assert_ne!(updated["updatedAt"], json!(LONG_AGO), "{field}");
            expected["createdAt"] = json!(LONG_AGO);
            expected["updatedAt"] = updated["updatedAt"].clone();
            assert_eq!(updated, expected, "{field}");
            assert_eq!(bot.get("/stages").items(), [updated], "{field}");
        }
    }

    fn all_fields_change_at_once(bot: &OnBot) {
        let made = make(bot, "plain");
        let given = full(bot);
        let updated = bot.put(&path(&made), &given).ok();
        for (field, value) in given.as_object().unwrap() {
            assert_eq!(updated[field], *value, "{field}");
        }
        assert_eq!((&updated["_id"], &updated["botId"]), (&made["_id"], &made["botId"]));
        assert_eq!(bot.get(&path(&made)).ok(), updated);
    }

    fn null_takes_back_what_was_set(bot: &OnBot) {
        let mut expected = bot.post("/stages", &full(bot)).ok();
        for field in OPTIONAL {
            let updated = bot.put(&path(&expected), &json!({field: null})).ok();
            expected[field] = Value::Null;
            expected["updatedAt"] = updated["updatedAt"].clone();
            assert_eq!(updated, expected, "{field}");
            assert_eq!(bot.get(&path(&expected)).ok(), expected, "{field}");
        }
    }

    fn names_can_not_be_unset(bot: &OnBot) {
        let made = make(bot, "x");
        let before = bot.tenant.snapshot();
        let body = json!({"title": null, "name": null, "skills": null});
        bot.put(&path(&made), &body).has_violations(&[("/title", "null"), ("/name", "null")]);
        bot.put(&path(&made), &json!({"title": null})).problem(422, "null");
        before.assert_unchanged(&bot.tenant);
    }

    fn a_new_name_does_not_change_the_title(bot: &OnBot) {
        let made = bot.post("/stages", &json!({"title": "t"})).ok();
        let updated = bot.put(&path(&made), &json!({"name": " n "})).ok();
        assert_eq!((&updated["title"], &updated["name"]), (&json!("t"), &json!("n")));
        let updated = bot.put(&path(&made), &json!({"title": "t2"})).ok();
        assert_eq!((&updated["title"], &updated["name"]), (&json!("t2"), &json!("n")));
    }

    fn an_update_of_nothing_is_refused(bot: &OnBot) {
        let made = make(bot, "x");
        let before = bot.tenant.snapshot();
        bot.put(&path(&made), &json!({})).has_violations(&[("", "no_fields")]);
        bot.put_bytes(&path(&made), "").has_violations(&[("", "malformed_json")]);
        before.assert_unchanged(&bot.tenant);
    }

    fn what_changes_nothing_leaves_no_trace(bot: &OnBot) {
        let given = full(bot);
        let made = bot.post("/stages", &given).ok();
        let plain = make(bot, "plain");
        age(bot, "stages");
        let before = bot.tenant.snapshot();
        let mut expected = made;
        expected["createdAt"] = json!(LONG_AGO);
        expected["updatedAt"] = json!(LONG_AGO);
        assert_eq!(bot.put(&path(&expected), &given).ok(), expected);
        for (field, value) in given.as_object().unwrap() {
            let answer = bot.put(&path(&expected), &json!({field: value}));
            assert_eq!(answer.ok(), expected, "{field}");
        }
        let nulls: Value =
            OPTIONAL.iter().map(|field| ((*field).to_owned(), json!(null))).collect();
        assert_eq!(bot.put(&path(&plain), &nulls).ok()["updatedAt"], json!(LONG_AGO));
        before.assert_unchanged(&bot.tenant);
    }

    fn the_order_of_skills_is_a_change(bot: &OnBot) {
        let made = bot.post("/stages", &json!({"name": "n", "skills": ["a", "b"]})).ok();
        age(bot, "stages");
        let updated = bot.put(&path(&made), &json!({"skills": ["b", "a"]})).ok();
        assert_eq!(updated["skills"], json!(["b", "a"]));
        assert_ne!(updated["updatedAt"], json!(LONG_AGO));
    }

    fn other_stages_stay_as_they_are(bot: &OnBot) {
        let [one, other] = ["one", "other"].map(|name| make(bot, name));
        let _ = bot.put(&path(&one), &full(bot)).ok();
        assert_eq!(bot.get(&path(&other)).ok(), other);
    }
}
