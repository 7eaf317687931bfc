//! What the changelog of a bot says of its documents.

use botyard_tests::each_database;
use serde_json::{Value, json};

use super::{assign, at, on_bot, post, project, replace, text_form, upload_plain};
use crate::changelog::change;
use crate::skills::changelog::{entry, latest_sorted};
use crate::skills::id;

each_database! {
    fn an_upload_is_an_entry_of_the_bot_that_it_came_through(app: &TestApp) {
        let bot = project(app);
        let name = bot.text("a.txt");
        let made = post(&bot.client, &bot.path("/doc/upload"), &text_form(&name, "Words")).ok();
        let changes = vec![change("fileName", Value::Null, json!(name))];
        let document = id(&made["projectDoc"]);
        assert_eq!(latest_sorted(&bot), entry(&bot, "upload", "document", &document, changes));
    }

    fn assigning_and_taking_away_are_entries(app: &TestApp) {
        let bot = project(app);
        let [one, other] = ["a", "b"].map(|name| upload_plain(&bot, name));
        let own = bot.id().to_string();
        for (what, document, from, to) in [
            ("assign", &one, Value::Null, json!(bot.text("a"))),
            ("assign", &other, Value::Null, json!(bot.text("b"))),
            ("unassign", &one, json!(bot.text("a")), Value::Null),
        ] {
            let path = on_bot(&own, what);
            assert_eq!(bot.client.post(&path, &json!({"docIds": [document]})).status(), 200);
            let changes = vec![change("fileName", from, to)];
            assert_eq!(latest_sorted(&bot), entry(&bot, what, "document", document, changes));
        }
    }

    fn a_deleted_document_is_recorded_for_each_bot(app: &TestApp) {
        let bot = project(app);
        let other = bot.tenant.new_bot("other").to_string();
        let document = upload_plain(&bot, "a");
        for on in [&bot.id().to_string(), &other] {
            let _ = assign(&bot.client, on, &[&document]);
        }
        let _ = bot.client.delete(&at(&document)).ok();
        let changes = vec![change("fileName", json!(bot.text("a")), Value::Null)];
        assert_eq!(latest_sorted(&bot), entry(&bot, "delete", "document", &document, changes));
        let path = format!("{}/{other}/changelog", crate::bots::BOTS);
        let entries = bot.client.get(&path).items();
        assert_eq!(
            (&entries[0]["action"], &entries[0]["resourceId"]),
            (&json!("delete"), &json!(document))
        );
    }

    fn a_replaced_document_is_recorded_for_each_bot(app: &TestApp) {
        let bot = project(app);
        let document = upload_plain(&bot, "a");
        let _ = assign(&bot.client, &bot.id().to_string(), &[&document]);
        let name = bot.text("b.txt");
        let _ = replace(&bot.client, &document, &text_form(&name, "Words")).ok();
        let entry = latest_sorted(&bot);
        assert_eq!(
            (&entry["action"], &entry["resource"], &entry["resourceId"]),
            (&json!("upload"), &json!("document"), &json!(document))
        );
        assert_eq!(entry["changes"][0]["field"], json!("fileName"));
        assert_eq!(entry["changes"][0]["to"], json!(name));
    }

    fn what_concerns_no_bot_and_what_is_refused_is_no_entry(app: &TestApp) {
        let bot = project(app);
        let assigned = upload_plain(&bot, "a");
        let _ = assign(&bot.client, &bot.id().to_string(), &[&assigned]);
        let before = bot.get("/changelog").items();
        let document = upload_plain(&bot, "b");
        let _ = replace(&bot.client, &document, &text_form("c", "Words")).ok();
        let _ = bot.client.post(&super::extract_at(&assigned), &json!({})).ok();
        let _ = bot.client.delete(&at(&document)).ok();
        let path = on_bot(&bot.id().to_string(), "assign");
        bot.client.post(&path, &json!({"docIds": [document]})).problem(404, "document_not_found");
        let _ = assign(&bot.client, &bot.id().to_string(), &[&assigned]);
        post(&bot.client, &bot.path("/doc/upload"), &text_form("d", "")).has_violations(&[("/file", "too_short")]);
        assert_eq!(bot.get("/changelog").items(), before);
    }
}
