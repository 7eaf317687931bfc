//! What a changed skill does to the documents that are for it.

use botyard_tests::each_database;
use serde_json::{Value, json};

use super::{assign, get, project, text_form, upload};
use crate::changelog::change;
use crate::skills::changelog::{entry, latest_sorted};
use crate::skills::{id, make, path};

each_database! {
    fn a_new_skill_id_takes_the_place_of_the_old_one_in_copies(app: &TestApp) {
        let bot = project(app);
        let _ = make(&bot, "old");
        let other = bot.tenant.new_bot("other").to_string();
        let [on_skill, on_none] = ["old", "older"].map(|skill| {
            id(&upload(&bot, &text_form("a.txt", "Words").text("skillId", skill)))
        });
        let both = [on_skill.as_str(), on_none.as_str()];
        let own = bot.id().to_string();
        let before = assign(&bot.client, &own, &both);
        let of_other = assign(&bot.client, &other, &both);
        let _ = bot.put(&path("old"), &json!({"skillId": "new"})).ok();
        let after = assign(&bot.client, &own, &both);
        assert_eq!((&after[0]["skillId"], &after[1]), (&json!("new"), &before[1]));
        assert!(after[0]["updatedAt"].as_str() >= before[0]["updatedAt"].as_str());
        // Neither the document nor the copies of other bots have to do with this bot's skill.
        assert_eq!(get(&bot.client, &on_skill)["skillId"], json!("old"));
        assert_eq!(assign(&bot.client, &other, &both), of_other);
        let changes = vec![change("skillId", json!("old"), json!("new"))];
        let entries = bot.get("/changelog").items();
        let recorded = entries.iter().find(|entry| entry["resource"] == json!("document"));
        let recorded = recorded.unwrap_or_else(|| panic!("no entry of the copy in {entries:?}"));
        let mut expected =
            entry(&bot, "update", "document", recorded["resourceId"].as_str().unwrap(), changes);
        for member in ["_id", "at"] {
            expected[member] = recorded[member].clone();
        }
        assert_eq!(*recorded, expected);
    }

    fn a_deleted_skill_leaves_its_documents_alone(app: &TestApp) {
        let bot = project(app);
        let _ = make(&bot, "s");
        let document = id(&upload(&bot, &text_form("a.txt", "Words").text("skillId", "s")));
        let own = bot.id().to_string();
        let before = assign(&bot.client, &own, &[&document]);
        let _ = bot.delete(&path("s")).ok();
        assert_eq!(assign(&bot.client, &own, &[&document]), before);
        assert_eq!(latest_sorted(&bot)["resource"], json!("skill"));
        assert_ne!(get(&bot.client, &document)["skillId"], Value::Null);
    }
}
