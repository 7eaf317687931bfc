//! `PUT {bot}/embedding/{scrapeId}`

use botyard_tests::each_scheme;
use serde_json::{Value, json};

use super::{ended, full, make, path, without_pages};
use crate::skills::{LONG_AGO, age};

each_scheme! {
    fn what_is_named_changes_and_nothing_else(bot: &OnBot) {
        let made = bot.post("/embedding", &full(bot)).ok();
        let mut expected = without_pages(ended(bot, &made));
        for (field, value) in [
            ("name", json!(bot.text("other"))),
            ("description", json!(bot.text("other"))),
            ("description", json!("")),
            ("skillId", json!("other")),
            ("active", json!(false)),
            ("active", json!(true)),
        ] {
            age(bot, "website_crawls");
            assert_ne!(expected[field], value, "{field}");
            expected[field] = value.clone();
            let updated = bot.put(&path(&expected), &json!({field: value})).ok();
            assert_ne!(updated["updatedAt"], json!(LONG_AGO), "{field}");
            expected["createdAt"] = json!(LONG_AGO);
            expected["updatedAt"] = updated["updatedAt"].clone();
            assert_eq!(updated, expected, "{field}");
            assert_eq!(without_pages(bot.get(&path(&expected)).ok()), updated, "{field}");
            assert_eq!(bot.get("/embedding").items(), [updated], "{field}");
        }
    }

    fn all_fields_change_at_once(bot: &OnBot) {
        let made = make(bot, "plain");
        let given = json!({
            "name": " new ", "description": bot.text("new"), "skillId": "new", "active": false,
        });
        let updated = bot.put(&path(&made), &given).ok();
        let mut expected = made;
        for field in ["description", "skillId", "active"] {
            expected[field] = given[field].clone();
        }
        expected["name"] = json!("new");
        expected["updatedAt"] = updated["updatedAt"].clone();
        assert_eq!(updated, expected);
    }

    fn null_takes_back_what_was_set(bot: &OnBot) {
        let made = bot.post("/embedding", &full(bot)).ok();
        let mut expected = without_pages(ended(bot, &made));
        for field in ["description", "skillId"] {
            let updated = bot.put(&path(&expected), &json!({field: null})).ok();
            expected[field] = Value::Null;
            expected["updatedAt"] = updated["updatedAt"].clone();
            assert_eq!(updated, expected, "{field}");
        }
    }

    fn an_update_of_nothing_is_refused(bot: &OnBot) {
        let made = make(bot, "x");
        let before = bot.tenant.snapshot();
        bot.put(&path(&made), &json!({})).has_violations(&[("", "no_fields")]);
        bot.put_bytes(&path(&made), "").has_violations(&[("", "malformed_json")]);
        before.assert_unchanged(&bot.tenant);
    }

    fn what_changes_nothing_leaves_no_trace(bot: &OnBot) {
        let made = make(bot, "x");
        age(bot, "website_crawls");
        let before = bot.tenant.snapshot();
        let same = json!({
            "name": made["name"], "description": null, "skillId": null, "active": true,
        });
        let updated = bot.put(&path(&made), &same).ok();
        assert_eq!(updated["updatedAt"], json!(LONG_AGO));
        before.assert_unchanged(&bot.tenant);
    }

    fn other_crawls_stay_as_they_are(bot: &OnBot) {
        let [one, other] = ["one", "other"].map(|name| make(bot, name));
        let _ = bot.put(&path(&one), &json!({"active": false, "skillId": "x"})).ok();
        assert_eq!(without_pages(bot.get(&path(&other)).ok()), other);
    }
}
