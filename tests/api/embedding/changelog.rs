//! What the changelog says of crawls.

use botyard_tests::each_scheme;
use serde_json::json;

use super::{CLOSED, ended, full, make, path};
use crate::changelog::change;
use crate::skills::changelog::{entry, latest_sorted};
use crate::skills::{NEVER, id};

each_scheme! {
    fn a_new_crawl_is_an_entry_with_all_that_it_was_given(bot: &OnBot) {
        let given = full(bot);
        let made = bot.post("/embedding", &given).ok();
        let fields = ["url", "depth", "skillId", "description", "name", "active"];
        let changes = fields.map(|field| change(field, json!(null), made[field].clone()));
        let expected = entry(bot, "create", "embedding", &id(&made), changes.into());
        assert_eq!(latest_sorted(bot), expected);
        // Its own progress is no entry.
        let _ = ended(bot, &made);
        assert_eq!(latest_sorted(bot), expected);
    }

    fn a_plain_crawl_is_an_entry_with_what_it_has_by_itself(bot: &OnBot) {
        let made = bot.post("/embedding", &json!({"url": CLOSED})).ok();
        let fields = ["url", "depth", "name", "active"];
        let changes = fields.map(|field| change(field, json!(null), made[field].clone()));
        let expected = entry(bot, "create", "embedding", &id(&made), changes.into());
        assert_eq!(latest_sorted(bot), expected);
    }

    fn an_update_is_an_entry_with_what_changed(bot: &OnBot) {
        let made = bot.post("/embedding", &full(bot)).ok();
        let body = json!({
            "name": made["name"], "description": null, "skillId": "other", "active": false,
        });
        let _ = bot.put(&path(&made), &body).ok();
        let changed = ["description", "skillId", "active"];
        let changes = changed.map(|field| change(field, made[field].clone(), body[field].clone()));
        let expected = entry(bot, "update", "embedding", &id(&made), changes.into());
        assert_eq!(latest_sorted(bot), expected);
    }

    fn a_delete_is_an_entry(bot: &OnBot) {
        let made = make(bot, "x");
        let _ = bot.delete(&path(&made)).ok();
        let changes = vec![change("name", made["name"].clone(), json!(null))];
        assert_eq!(latest_sorted(bot), entry(bot, "delete", "embedding", &id(&made), changes));
    }

    fn what_is_refused_is_no_entry(bot: &OnBot) {
        let made = make(bot, "x");
        let before = bot.get("/changelog").items();
        bot.post("/embedding", &json!({})).problem(422, "missing_field");
        bot.put(&path(&made), &json!({"url": CLOSED})).problem(422, "unknown_field");
        let never = format!("/embedding/{NEVER}");
        bot.put(&never, &json!({"name": "y"})).problem(404, "website_crawl_not_found");
        bot.delete(&never).problem(404, "website_crawl_not_found");
        assert_eq!(bot.get("/changelog").items(), before);
    }
}
