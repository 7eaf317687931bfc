//! Crawls and the skills that they are for.

use botyard_tests::each_scheme;
use serde_json::{Value, json};

use super::{CLOSED, ended, path, without_pages};
use crate::changelog::change;
use crate::skills::{LONG_AGO, age, each, id, make};

/// Crawls for these skills, all of which have ended.
#[track_caller]
fn crawls_for(bot: &botyard_tests::OnBot<'_>, skills: &[Value]) -> Vec<Value> {
    let crawls = skills.iter().enumerate().map(|(number, skill)| {
        let url = format!("{CLOSED}{number}");
        let made = bot.post("/embedding", &json!({"url": url, "skillId": skill})).ok();
        without_pages(ended(bot, &made))
    });
    crawls.collect()
}

each_scheme! {
    fn a_crawl_follows_the_new_skill_id_of_its_skill(bot: &OnBot) {
        let _ = make(bot, "old");
        let given = [json!("old"), json!("other"), json!("Old"), json!(null), json!("old")];
        let crawls = crawls_for(bot, &given);
        age(bot, "website_crawls");
        let _ = bot.put("/skills/old", &json!({"skillId": "new"})).ok();
        let after = bot.get("/embedding").items();
        let expected = [json!("new"), json!("other"), json!("Old"), json!(null), json!("new")];
        assert_eq!(each(&after, "skillId"), expected);
        let moved: Vec<_> = after.iter().map(|crawl| crawl["updatedAt"] != LONG_AGO).collect();
        assert_eq!(moved, [true, false, false, false, true]);
        // Each of them has an entry of its own.
        let entries = bot.get("/changelog").items();
        let of_crawls: Vec<_> = entries
            .iter()
            .filter(|entry| entry["resource"] == "embedding" && entry["action"] == "update")
            .collect();
        let mut changed: Vec<_> = of_crawls.iter().map(|entry| entry["resourceId"].clone()).collect();
        changed.sort_by_key(ToString::to_string);
        assert_eq!(changed, [json!(id(&crawls[0])), json!(id(&crawls[4]))]);
        for entry in of_crawls {
            assert_eq!(entry["changes"], json!([change("skillId", json!("old"), json!("new"))]));
        }
    }

    fn another_change_of_a_skill_leaves_its_crawls_alone(bot: &OnBot) {
        let _ = make(bot, "kept");
        let crawl = crawls_for(bot, &[json!("kept")]).remove(0);
        let _ = bot.put("/skills/kept", &json!({"skillId": "kept", "enabled": false})).ok();
        let _ = bot.put("/skills/kept", &json!({"name": bot.text("renamed")})).ok();
        assert_eq!(bot.get("/embedding").items(), [crawl]);
    }

    fn a_crawl_stays_as_it_is_without_its_skill(bot: &OnBot) {
        let _ = make(bot, "gone");
        let crawl = crawls_for(bot, &[json!("gone")]).remove(0);
        let _ = bot.delete("/skills/gone").ok();
        assert_eq!(without_pages(bot.get(&path(&crawl)).ok()), crawl);
        assert_eq!(bot.get("/embedding").items(), [crawl]);
    }

    fn crawls_of_other_bots_do_not_follow(bot: &OnBot) {
        let _ = make(bot, "old");
        let other = format!("{}/{}", crate::bots::BOTS, bot.tenant.new_bot("other"));
        let project = bot.tenant.as_project();
        let body = json!({"url": CLOSED, "skillId": "old"});
        let crawl = project.post(&format!("{other}/embedding"), &body).ok();
        let path = format!("{other}{}", path(&crawl));
        let before = super::ended_at(&project, &path);
        let _ = bot.put("/skills/old", &json!({"skillId": "new"})).ok();
        assert_eq!(project.get(&path).ok(), before);
    }
}
