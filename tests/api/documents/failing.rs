//! A blob store that fails.

use botyard_tests::waiting::until;
use botyard_tests::{OnBot, TestApp, each_database};
use serde_json::json;

use super::{
    UPLOAD, at, chunks, download_at, extract_at, get, post, project, replace, settled, status,
    text_form, texts, upload_text,
};
use crate::fusion::failing::InTheWay;
use crate::fusion::files::{files, stored};
use crate::skills::id;

/// Whatever sends a file fails, and changes nothing.
#[track_caller]
fn sending_fails(bot: &OnBot<'_>, document: &str) {
    let (before, kept) = (bot.tenant.snapshot(), stored(&bot.tenant));
    for words in ["Other words", &"Many words ".repeat(50_000)] {
        let form = text_form("b.txt", words);
        for answer in [
            post(&bot.client, UPLOAD, &form),
            post(&bot.client, &bot.path("/doc/upload"), &form),
            replace(&bot.client, document, &form),
        ] {
            answer.problem(500, "blob_store_failed");
            let text = answer.text();
            for word in
                ["in the way", "os error", "directory", "botyard-test-", "uploads/", "blobs/"]
            {
                assert!(!text.contains(word), "{text}");
            }
        }
    }
    before.assert_unchanged(&bot.tenant);
    assert_eq!(stored(&bot.tenant), kept);
}

each_database! {
    fn a_folder_of_blobs_that_fails_is_reported_and_changes_nothing(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__UPLOADS_PER_PROJECT", "1")]);
        let bot = project(&app);
        let document = id(&upload_text(&bot, "a.txt"));
        let before = (files(&app), chunks(&bot.client, &document));
        let in_the_way = InTheWay::of(&app, "blobs");
        sending_fails(&bot, &document);
        bot.client.get(&download_at(&document)).problem(500, "blob_store_failed");
        // What needs no file goes on.
        assert_eq!(chunks(&bot.client, &document), before.1);
        assert_eq!(status(&get(&bot.client, &document)), "finished");
        in_the_way.remove();
        assert_eq!(files(&app), before.0);
        assert_eq!(bot.client.get(&download_at(&document)).status(), 200);
        let _ = replace(&bot.client, &document, &text_form("b.txt", &bot.text("After"))).ok();
        assert_eq!(texts(&bot.client, &document), [bot.text("After")]);
    }

    fn a_folder_of_uploads_that_fails_is_reported_before_the_body_is_read(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__UPLOADS_PER_PROJECT", "1")]);
        let bot = project(&app);
        let document = id(&upload_text(&bot, "a.txt"));
        let in_the_way = InTheWay::of(&app, "uploads");
        sending_fails(&bot, &document);
        for (method, path) in
            [("POST", UPLOAD.to_owned()), ("PUT", super::replace_at(&document))]
        {
            let answer = bot.connect().exchange(method, &path, &["Content-Length: 1000000"], b"--");
            answer.problem(500, "blob_store_failed");
        }
        in_the_way.remove();
        let _ = upload_text(&bot, "b.txt");
    }

    fn an_extraction_without_its_file_is_tried_again(database: Database) {
        let app = TestApp::start(database, &[("EXTRACTION__WAIT", "0s")]);
        let bot = project(&app);
        let document = id(&upload_text(&bot, "a.txt"));
        let before = chunks(&bot.client, &document);
        let in_the_way = InTheWay::of(&app, "blobs");
        let _ = bot.client.post(&extract_at(&document), &json!({"maxChars": 100})).ok();
        let project = bot.tenant.project().id;
        let failed = format!(
            "SELECT COUNT(*) AS value FROM jobs WHERE project_id = '{project}' \
             AND kind = 'extract' AND failures > 0 AND last_error IS NOT NULL"
        );
        until("an attempt has failed", || app.sql().number(&failed) == 1);
        // It is no violation of the file, and it has its chunks all the while.
        assert!(super::is_going(&get(&bot.client, &document)));
        assert_eq!(chunks(&bot.client, &document), before);
        in_the_way.remove();
        // It would take two minutes until the next attempt.
        let due = format!(
            "UPDATE jobs SET run_at = 0 WHERE project_id = '{project}' AND kind = 'extract'"
        );
        app.sql().execute(&due);
        let after = settled(&bot, &document);
        assert_eq!(status(&after), "finished");
        assert_eq!(after["extraction"]["settings"]["maxChars"], json!(100));
        let _ = bot.client.delete(&at(&document)).ok();
    }

    fn a_file_that_was_lost_is_reported(database: Database) {
        let app = TestApp::start(database, &[]);
        let bot = project(&app);
        let document = id(&upload_text(&bot, "a.txt"));
        let file = app.installation().data_dir().join("blobs").join(&stored(&bot.tenant)[0]);
        std::fs::remove_file(file).unwrap();
        let answer = bot.client.get(&download_at(&document));
        answer.problem(500, "blob_store_failed");
        assert_eq!(answer.header("content-disposition"), None);
        assert_eq!(chunks(&bot.client, &document).len(), 1);
    }
}
