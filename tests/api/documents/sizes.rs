//! How large a document may be.

use botyard_tests::{Form, OnBot, Response, TestApp, each_database};
use serde_json::json;

use super::{UPLOAD, post, project, replace_at, upload_plain};
use crate::fusion::files::{files, stored};
use crate::skills::id;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
/// The limit of these tests.
const LIMIT: usize = 64 * KIB;
const SETTINGS: [(&str, &str); 1] = [("LIMITS__DOCUMENT_BYTES", "64KiB")];

fn form(bytes: usize) -> Form {
    Form::new().file("a", "application/octet-stream", &vec![0; bytes]).text("extract", "false")
}

/// Sends a form in chunks, as far as the server takes it, and reads the answer.
#[track_caller]
fn chunked(bot: &OnBot<'_>, (method, path): (&str, &str), form: &Form) -> Response {
    let content_type = format!("Content-Type: {}", form.content_type());
    let body = form.bytes();
    bot.connect().exchange_in_chunks((method, path), &[&content_type], (&body, 16 * KIB))
}

each_database! {
    fn a_document_may_be_as_large_as_the_limit_says(database: Database) {
        let app = TestApp::start(database, &SETTINGS);
        let bot = project(&app);
        let made = post(&bot.client, UPLOAD, &form(LIMIT)).ok()["projectDoc"].clone();
        assert_eq!(made["size"], json!(LIMIT));
        let made = chunked(&bot, ("POST", &bot.path("/doc/upload")), &form(LIMIT)).ok();
        assert_eq!(made["projectDoc"]["size"], json!(LIMIT));
        let document = id(&made["projectDoc"]);
        let path = replace_at(&document);
        let _ = chunked(&bot, ("PUT", &path), &form(LIMIT)).ok();
    }

    fn a_document_that_is_too_large_is_refused(database: Database) {
        let app = TestApp::start(database, &SETTINGS);
        let bot = project(&app);
        let replaced = replace_at(&upload_plain(&bot, "a"));
        let (before, kept) = (bot.tenant.snapshot(), stored(&bot.tenant));
        for (method, path) in
            [("POST", UPLOAD), ("POST", &bot.path("/doc/upload")), ("PUT", &replaced)]
        {
            for bytes in [LIMIT + 1, LIMIT + 100 * KIB, 2 * MIB, 8 * MIB] {
                let form = form(bytes);
                let answer = bot.client.request(method, path).form(&form).send();
                answer.problem(413, "body_too_large");
                chunked(&bot, (method, path), &form).problem(413, "body_too_large");
            }
            // Its size is known before all that is wrong with it.
            let form = form(LIMIT + 1).text("x", "y");
            let answer = bot.client.request(method, path).form(&form).send();
            answer.problem(413, "body_too_large");
            // What is announced too large is not read at all.
            let content_type = format!("Content-Type: {}", form.content_type());
            for bytes in [LIMIT + 2 * MIB, 1 << 40] {
                let length = format!("Content-Length: {bytes}");
                let lines = [content_type.as_str(), &length];
                let answer = bot.connect().exchange(method, path, &lines, b"");
                answer.problem(413, "body_too_large");
                assert_eq!(answer.header("connection"), Some("close"), "{answer}");
            }
        }
        before.assert_unchanged(&bot.tenant);
        assert_eq!(stored(&bot.tenant), kept);
        assert_eq!(files(&app), kept.iter().map(|key| format!("blobs/{key}")).collect::<Vec<_>>());
    }

    fn the_limit_of_documents_is_none_of_packages(database: Database) {
        let settings = [SETTINGS[0], ("LIMITS__ARCHIVE", "1KiB")];
        let app = TestApp::start(database, &settings);
        let bot = project(&app);
        let _ = post(&bot.client, UPLOAD, &form(LIMIT)).ok();
    }
}
