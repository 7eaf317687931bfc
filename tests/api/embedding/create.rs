//! `POST {bot}/embedding`

use botyard_tests::{OnBot, each_scheme};
use domain::id::CrawlId;
use serde_json::{Value, json};

use super::{CLOSED, ended, full, path, without_pages, without_progress};
use crate::skills::id;

/// The whole answer to a new crawl that was given this.
fn expected(bot: &OnBot<'_>, given: &Value, made: &Value) -> Value {
    let or = |field: &str, default: Value| given.get(field).cloned().unwrap_or(default);
    json!({
        "_id": made["_id"],
        "botId": bot.id().to_string(),
        "url": given["url"],
        "depth": or("depth", json!(1)),
        "skillId": or("skillId", Value::Null),
        "description": or("description", Value::Null),
        "name": or("name", json!("10.0.0.1")),
        "active": true,
        "status": "queued",
        "error": null,
        "pagesScraped": 0,
        "pagesFailed": 0,
        "startedAt": null,
        "finishedAt": null,
        "createdAt": made["createdAt"],
        "updatedAt": made["createdAt"],
    })
}

each_scheme! {
    fn a_crawl_is_made_with_every_field(bot: &OnBot) {
        let given = full(bot);
        let made = bot.post("/embedding", &given).ok();
        assert_eq!(made, expected(bot, &given, &made));
        let after = ended(bot, &made);
        assert_eq!(without_progress(without_pages(after.clone())), without_progress(made));
        assert_eq!(bot.get("/embedding").items(), [without_pages(after)]);
    }

    fn an_address_is_enough(bot: &OnBot) {
        let made = bot.post("/embedding", &json!({"url": CLOSED})).ok();
        assert_eq!(made, expected(bot, &json!({"url": CLOSED}), &made));
    }

    fn null_is_the_same_as_left_out(bot: &OnBot) {
        let nulls = json!({
            "url": CLOSED, "depth": null, "skillId": null, "description": null, "name": null,
        });
        let made = bot.post("/embedding", &nulls).ok();
        assert_eq!(made, expected(bot, &json!({"url": CLOSED}), &made));
    }

    fn texts_are_kept_as_they_are(bot: &OnBot) {
        let given = json!({
            "url": CLOSED, "depth": 0, "name": " a  b ", "description": "", "skillId": " x/y ",
        });
        let made = bot.post("/embedding", &given).ok();
        // But for the blanks around a name.
        let given = json!({
            "url": CLOSED, "depth": 0, "name": "a  b", "description": "", "skillId": " x/y ",
        });
        assert_eq!(made, expected(bot, &given, &made));
    }

    fn the_bounds_can_be_reached(bot: &OnBot) {
        let given = json!({
            "url": format!("{CLOSED}{}", "x".repeat(2_048 - CLOSED.len())),
            "depth": 10,
            "name": "𝄞".repeat(200),
            "description": "𝄞".repeat(10_000),
            "skillId": "𝄞".repeat(128),
        });
        let made = bot.post("/embedding", &given).ok();
        assert_eq!(made, expected(bot, &given, &made));
    }

    fn a_new_crawl_has_a_uuid_and_the_time(bot: &OnBot) {
        let made = bot.post("/embedding", &json!({"url": CLOSED})).ok();
        let id = id(&made);
        assert!(CrawlId::parse(&id).is_some() && &id[14..15] == "7", "{id}");
        let form = made["createdAt"]
            .as_str()
            .unwrap()
            .replace(|letter: char| letter.is_ascii_digit(), "0");
        assert_eq!(form, "0000-00-00T00:00:00.000Z");
    }

    fn both_schemes_see_the_same_crawl(bot: &OnBot) {
        let made = bot.post("/embedding", &full(bot)).ok();
        let made = ended(bot, &made);
        let by_bot = format!("/api/external/bot{}", path(&made));
        let by_project = format!("{}/{}{}", crate::bots::BOTS, bot.id(), path(&made));
        assert_eq!(bot.tenant.as_bot(bot.id()).get(&by_bot).ok(), made);
        assert_eq!(bot.tenant.as_project().get(&by_project).ok(), made);
    }
}
