//! What is left of the documents of a bot that was deleted for good: all but its copies of them.

use botyard_tests::waiting::until;
use botyard_tests::{OnBot, TestApp, each_database};
use domain::bot::DeleteMode;
use serde_json::json;

use super::{
    FILES, assign, chunks, download_at, get, project, settled, text_form, upload_plain, upload_text,
};
use crate::fusion::files::stored;
use crate::skills::id;

/// Waits until nothing in the database speaks of a bot any more.
#[track_caller]
fn is_gone(app: &TestApp, bot: &str) {
    let jobs = format!("SELECT COUNT(*) AS value FROM jobs WHERE subject = '{bot}'");
    until("the job of the deleted bot is done", || app.sql().number(&jobs) == 0);
    let copies = format!("SELECT COUNT(*) AS value FROM bot_documents WHERE bot_id = '{bot}'");
    assert_eq!(app.sql().number(&copies), 0);
}

/// Uploads through the bot; returns the `_id` of the project's document.
#[track_caller]
fn upload_through(bot: &OnBot<'_>, name: &str) -> String {
    let form = text_form(&bot.text(name), &bot.text("Words of"));
    let made = bot.client.request("POST", &bot.path("/doc/upload")).form(&form).send().ok();
    let document = id(&made["projectDoc"]);
    settled(bot, &document);
    document
}

each_database! {
    fn a_bot_takes_its_copies_along_and_nothing_else(app: &TestApp) {
        let bot = project(app);
        let through = upload_through(&bot, "through.txt");
        let assigned = id(&upload_text(&bot, "assigned.txt"));
        let other = bot.tenant.new_bot("other").to_string();
        for on in [&bot.id().to_string(), &other] {
            let _ = assign(&bot.client, on, &[&assigned, &through]);
        }
        let kept = stored(&bot.tenant);
        let before = bot.client.get(FILES).items();
        let _ = bot.delete("").ok();
        is_gone(app, &bot.id().to_string());
        let mut expected = before;
        for document in &mut expected {
            document["botIds"] = json!([other]);
        }
        assert_eq!(bot.client.get(FILES).items(), expected);
        for document in [&through, &assigned] {
            assert_eq!(chunks(&bot.client, document).len(), 1);
            assert_eq!(bot.client.get(&download_at(document)).status(), 200);
        }
        assert_eq!(stored(&bot.tenant), kept);
    }

    fn a_document_that_came_through_a_bot_outlives_it(app: &TestApp) {
        let bot = project(app);
        let document = upload_through(&bot, "a.txt");
        let _ = bot.delete("").ok();
        is_gone(app, &bot.id().to_string());
        let left = get(&bot.client, &document);
        assert_eq!((&left["botIds"], &left["botId"]), (&json!([]), &json!(null)));
        // Another bot can have it.
        let other = bot.tenant.new_bot("other").to_string();
        let _ = assign(&bot.client, &other, &[&document]);
        assert_eq!(get(&bot.client, &document)["botIds"], json!([other]));
    }

    fn many_copies_go_too(app: &TestApp) {
        let bot = project(app);
        let documents: Vec<_> = (0..30).map(|n| upload_plain(&bot, &n.to_string())).collect();
        let ids: Vec<_> = documents.iter().map(String::as_str).collect();
        let _ = assign(&bot.client, &bot.id().to_string(), &ids);
        bot.tenant.delete_bot(bot.id(), DeleteMode::Delete);
        is_gone(app, &bot.id().to_string());
        let listed = bot.client.get(FILES).items();
        assert_eq!(listed.len(), 30);
        assert!(listed.iter().all(|document| document["botIds"] == json!([])));
    }
}
