//! What the changelog says of skills.

use botyard_tests::{OnBot, each_scheme};
use serde_json::{Value, json};

use super::{full, id, make, path};
use crate::changelog::{actor, change, latest};

/// The latest entry, its changes sorted by field.
#[track_caller]
pub fn latest_sorted(bot: &OnBot<'_>) -> Value {
    let mut entry = latest(bot);
    let changes = entry["changes"].as_array_mut().unwrap();
    changes.sort_by_key(|change| change["field"].to_string());
    entry
}

/// An entry like the latest one: what is not said here is as it must be.
pub fn entry(
    bot: &OnBot<'_>,
    action: &str,
    resource: &str,
    id: &str,
    mut changes: Vec<Value>,
) -> Value {
    changes.sort_by_key(|change| change["field"].to_string());
    let latest = latest(bot);
    json!({
        "_id": latest["_id"],
        "botId": bot.id().to_string(),
        "at": latest["at"],
        "actor": actor(bot),
        "action": action,
        "resource": resource,
        "resourceId": id,
        "changes": changes,
    })
}

each_scheme! {
    fn a_new_skill_is_an_entry_with_all_that_it_was_given(bot: &OnBot) {
        let given = full(bot);
        let made = bot.post("/skills", &given).ok();
        let given = given.as_object().unwrap().iter();
        let changes =
            given.map(|(field, value)| change(field, json!(null), value.clone())).collect();
        assert_eq!(latest_sorted(bot), entry(bot, "create", "skill", &id(&made), changes));
        assert!(latest(bot)["at"].as_str() >= made["createdAt"].as_str());
    }

    fn a_plain_skill_is_an_entry_with_what_it_has_by_itself(bot: &OnBot) {
        let made = bot.post("/skills", &json!({"name": bot.text("plain")})).ok();
        let fields = ["name", "skillId", "enabled", "answerMode"];
        let changes = fields.map(|field| change(field, json!(null), made[field].clone()));
        assert_eq!(latest_sorted(bot), entry(bot, "create", "skill", &id(&made), changes.into()));
    }

    fn an_update_is_an_entry_with_what_changed(bot: &OnBot) {
        let made = bot.post("/skills", &full(bot)).ok();
        let body = json!({
            "name": made["name"], "enabled": true, "content": null, "params": [{"n": 1}],
            "answerMode": "random", "toolCallAnswer": made["toolCallAnswer"],
        });
        let _ = bot.put(&path("full"), &body).ok();
        let changed = ["enabled", "content", "params", "answerMode"];
        let changes = changed.map(|field| change(field, made[field].clone(), body[field].clone()));
        assert_eq!(latest_sorted(bot), entry(bot, "update", "skill", &id(&made), changes.into()));
    }

    fn a_delete_is_an_entry(bot: &OnBot) {
        let made = make(bot, "x");
        let _ = bot.delete(&path("x")).ok();
        let changes = vec![change("name", made["name"].clone(), json!(null))];
        assert_eq!(latest_sorted(bot), entry(bot, "delete", "skill", &id(&made), changes));
    }

    fn long_values_are_cut(bot: &OnBot) {
        let _ = make(bot, "x");
        let content = "ö".repeat(2_001);
        let _ = bot.put(&path("x"), &json!({"content": content})).ok();
        let cut = latest(bot)["changes"][0]["to"].as_str().unwrap().to_owned();
        assert!(cut.starts_with(&"ö".repeat(2_000)) && cut.contains("2001"), "{cut}");
        assert_eq!(bot.get(&path("x")).ok()["content"], json!(content));
        let _ = bot.put(&path("x"), &json!({"content": null})).ok();
    }

    fn what_is_refused_is_no_entry(bot: &OnBot) {
        let _ = make(bot, "x");
        let before = bot.get("/changelog").items();
        bot.post("/skills", &json!({"name": "y", "skillId": "x"})).problem(409, "taken");
        bot.post("/skills", &json!({})).problem(422, "missing_field");
        bot.put(&path("x"), &json!({})).problem(422, "no_fields");
        bot.put(&path("y"), &json!({"name": "y"})).problem(404, "skill_not_found");
        bot.delete(&path("y")).problem(404, "skill_not_found");
        assert_eq!(bot.get("/changelog").items(), before);
    }
}
