//! `DELETE /api/external/projectapi/doc/files/{docId}`

use botyard_tests::waiting::until;
use botyard_tests::{TestApp, at_once, each_database};
use serde_json::{Value, json};

use super::{
    FILES, assign, at, chunks_at, download_at, extract_at, is_quiet, on_bot, project, replace,
    stored_chunks, text_form, upload, upload_plain, upload_text,
};
use crate::fusion::files::{known, stored, until_blobs};
use crate::skills::{NEVER, each, id};

each_database! {
    fn a_deleted_document_is_gone_with_its_chunks(app: &TestApp) {
        let bot = project(app);
        let kept = upload_text(&bot, "kept.txt");
        let document = id(&upload_text(&bot, "gone.txt"));
        let answer = bot.client.delete(&at(&document)).ok();
        assert_eq!(answer, json!({"deleted": true, "_id": document}));
        let client = &bot.client;
        client.get(&at(&document)).problem(404, "document_not_found");
        client.get(&chunks_at(&document)).problem(404, "document_not_found");
        client.get(&download_at(&document)).problem(404, "document_not_found");
        client.delete(&at(&document)).problem(404, "document_not_found");
        client.post(&extract_at(&document), &json!({})).problem(404, "document_not_found");
        replace(client, &document, &text_form("a", "b")).problem(404, "document_not_found");
        assert_eq!(client.get(FILES).items(), [kept]);
        is_quiet(&bot.tenant);
        assert_eq!(stored_chunks(&bot.tenant), 1);
    }

    fn a_deleted_document_goes_from_every_bot(app: &TestApp) {
        let bot = project(app);
        let [gone, kept] = ["gone", "kept"].map(|name| upload_plain(&bot, name));
        let bots = [bot.id(), bot.tenant.new_bot("other"), bot.tenant.new_bot("archived")];
        for on in bots {
            let _ = assign(&bot.client, &on.to_string(), &[&gone, &kept]);
        }
        bot.tenant.delete_bot(bots[2], domain::bot::DeleteMode::Archive);
        let _ = bot.client.delete(&at(&gone)).ok();
        bot.tenant.restore_bot(bots[2]);
        for on in bots {
            let answer = bot.client.post(&on_bot(&on.to_string(), "unassign"), &json!({"docIds": [gone]}));
            answer.problem(404, "document_not_found");
        }
        let project = bot.tenant.project().id;
        let copies = format!("SELECT COUNT(*) AS value FROM bot_documents WHERE project_id = '{project}'");
        assert_eq!(app.sql().number(&copies), 3);
        let left = super::get(&bot.client, &kept)["botIds"].clone();
        assert_eq!(left, json!(bots.map(|bot| bot.to_string())));
    }

    fn a_document_of_a_bot_is_deleted_like_all_others(app: &TestApp) {
        let bot = project(app);
        let form = text_form("a.txt", &bot.text("Words"));
        let made = bot.client.request("POST", &bot.path("/doc/upload")).form(&form).send().ok();
        // But not by the copy's own `_id`.
        bot.client.delete(&at(&id(&made["botDoc"]))).problem(404, "document_not_found");
        let _ = bot.client.delete(&at(&id(&made["projectDoc"]))).ok();
        assert_eq!(bot.client.get(FILES).items(), Vec::<Value>::new());
    }

    fn of_deletes_at_once_one_is_done(app: &TestApp) {
        let bot = project(app);
        let document = id(&upload_text(&bot, "a.txt"));
        let _ = assign(&bot.client, &bot.id().to_string(), &[&document]);
        let answers = at_once(8, |_| bot.client.delete(&at(&document)));
        let (done, refused): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.status() == 200);
        assert_eq!(done.len(), 1);
        for answer in refused {
            answer.problem(404, "document_not_found");
        }
        let entries = each(&bot.get("/changelog").items(), "action");
        assert_eq!(entries.iter().filter(|action| **action == json!("delete")).count(), 1);
    }

    fn what_is_not_there_is_not_deleted(app: &TestApp) {
        let bot = project(app);
        let document = upload_plain(&bot, "a");
        let before = bot.tenant.snapshot();
        for odd in [NEVER, "x", &document.to_uppercase(), &document.replace('-', ""), "%00"] {
            bot.client.delete(&at(odd)).problem(404, "document_not_found");
        }
        before.assert_unchanged(&bot.tenant);
    }
}

each_database! {
    fn the_bytes_go_with_the_last_document_that_has_them(database: Database) {
        let app = TestApp::sharing(database, &[("BLOBS__GRACE", "0s")]);
        let bot = project(app);
        let words = bot.text("Words");
        let [one, other] = ["a", "b"].map(|name| id(&upload(&bot, &text_form(name, &words))));
        let _ = bot.client.delete(&at(&one)).ok();
        until("the removal was considered", || crate::fusion::files::jobs(&bot.tenant) == 0);
        assert_eq!((stored(&bot.tenant).len(), known(&bot.tenant).len()), (1, 1));
        assert_eq!(bot.client.get(&download_at(&other)).text(), words);
        let _ = bot.client.delete(&at(&other)).ok();
        until_blobs(&bot.tenant, 0);
        is_quiet(&bot.tenant);
        assert_eq!(stored_chunks(&bot.tenant), 0);
    }

    fn very_many_chunks_go_with_their_document(database: Database) {
        let app = TestApp::sharing(database, &[]);
        let bot = project(app);
        let text: String = (0..1_300).map(|n| format!("Paragraph {n} {}\n\n", "x".repeat(80))).collect();
        let form = text_form("a.txt", &text).text("maxChars", "100").text("maxOverlap", "0");
        let document = id(&upload(&bot, &form));
        assert_eq!(stored_chunks(&bot.tenant), 1_300);
        let _ = bot.client.delete(&at(&document)).ok();
        is_quiet(&bot.tenant);
        assert_eq!(stored_chunks(&bot.tenant), 0);
    }
}
