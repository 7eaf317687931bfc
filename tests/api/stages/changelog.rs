//! What the changelog says of stages.

use botyard_tests::each_scheme;
use serde_json::json;

use super::{full, make, path};
use crate::changelog::change;
use crate::skills::changelog::{entry, latest_sorted};
use crate::skills::{NEVER, id};

each_scheme! {
    fn a_new_stage_is_an_entry_with_all_that_it_was_given(bot: &OnBot) {
        let given = full(bot);
        let made = bot.post("/stages", &given).ok();
        let given = given.as_object().unwrap().iter();
        let changes =
            given.map(|(field, value)| change(field, json!(null), value.clone())).collect();
        assert_eq!(latest_sorted(bot), entry(bot, "create", "stage", &id(&made), changes));
    }

    fn a_plain_stage_is_an_entry_with_both_names(bot: &OnBot) {
        let made = make(bot, "plain");
        let changes =
            ["title", "name"].map(|field| change(field, json!(null), made[field].clone()));
        assert_eq!(latest_sorted(bot), entry(bot, "create", "stage", &id(&made), changes.into()));
    }

    fn an_update_is_an_entry_with_what_changed(bot: &OnBot) {
        let made = bot.post("/stages", &full(bot)).ok();
        let body = json!({
            "title": made["title"], "hidden": true, "footer": null, "skills": ["a"], "enterJS": "x",
            "exitJS": made["exitJS"],
        });
        let _ = bot.put(&path(&made), &body).ok();
        let changed = ["hidden", "footer", "skills", "enterJS"];
        let changes = changed.map(|field| change(field, made[field].clone(), body[field].clone()));
        assert_eq!(latest_sorted(bot), entry(bot, "update", "stage", &id(&made), changes.into()));
    }

    fn a_delete_is_an_entry(bot: &OnBot) {
        let made = bot.post("/stages", &json!({"title": bot.text("t"), "name": "n"})).ok();
        let _ = bot.delete(&path(&made)).ok();
        let changes = vec![change("title", made["title"].clone(), json!(null))];
        assert_eq!(latest_sorted(bot), entry(bot, "delete", "stage", &id(&made), changes));
    }

    fn what_is_refused_is_no_entry(bot: &OnBot) {
        let made = make(bot, "x");
        let before = bot.get("/changelog").items();
        bot.post("/stages", &json!({})).problem(422, "missing_field");
        bot.put(&path(&made), &json!({"skills": ["a", "a"]})).problem(422, "duplicate_item");
        bot.put(&format!("/stages/{NEVER}"), &json!({"name": "y"})).problem(404, "stage_not_found");
        bot.delete(&format!("/stages/{NEVER}")).problem(404, "stage_not_found");
        assert_eq!(bot.get("/changelog").items(), before);
    }
}
