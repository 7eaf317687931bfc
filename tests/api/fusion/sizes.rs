//! How large a package may be.

use botyard_tests::{Form, OnBot, Response, TestApp, each_database};

use super::files::{files, stored, until_nothing_is_left};
use super::{archive_of, at, both, new_view, send, upload, upload_at};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;
/// The setting `limits.archive` of these tests.
const LIMIT: usize = 64 * KIB;
const SETTINGS: [(&str, &str); 1] = [("LIMITS__ARCHIVE", "64KiB")];

/// Sends a form in chunks, as far as the server takes it, and reads the answer.
#[track_caller]
fn chunked(bot: &OnBot<'_>, id: &str, form: &Form) -> Response {
    let path = bot.path(&upload_at(id));
    let content_type = format!("Content-Type: {}", form.content_type());
    let body = form.bytes();
    bot.connect().exchange_in_chunks(("POST", &path), &[&content_type], (&body, 16 * KIB))
}

each_database! {
    fn a_package_may_be_as_large_as_the_limit_says(database: Database) {
        let app = TestApp::start(database, &SETTINGS);
        for bot in &both(&app) {
            let id = new_view(bot);
            assert_eq!(upload(bot, &id, &archive_of(LIMIT, b'a'))["size"], LIMIT);
            let answer = chunked(bot, &id, &Form::archive(&archive_of(LIMIT, b'b')));
            assert_eq!(answer.ok()["size"], LIMIT);
        }
    }

    fn a_package_that_turns_out_too_large_is_refused(database: Database) {
        let app = TestApp::start(database, &SETTINGS);
        for bot in &both(&app) {
            let id = new_view(bot);
            let before = bot.tenant.snapshot();
            for bytes in [LIMIT + 1, LIMIT + 100 * KIB, 2 * MIB, 8 * MIB] {
                let form = Form::archive(&archive_of(bytes, b'a'));
                send(bot, &id, &form).problem(413, "body_too_large");
                chunked(bot, &id, &form).problem(413, "body_too_large");
            }
            // Even if it is none: its size is known first.
            let form = Form::new().text("x", "y").file("a", "application/zip", &[0; LIMIT + 1]);
            send(bot, &id, &form).problem(413, "body_too_large");
            before.assert_unchanged(&bot.tenant);
        }
        until_nothing_is_left(&app);
    }

    fn a_body_that_is_announced_too_large_is_not_read(database: Database) {
        let app = TestApp::start(database, &SETTINGS);
        for bot in &both(&app) {
            let id = new_view(bot);
            let path = bot.path(&upload_at(&id));
            let form = Form::archive(&archive_of(LIMIT, b'a'));
            let content_type = format!("Content-Type: {}", form.content_type());
            for bytes in [LIMIT + 2 * MIB, 1 << 40] {
                let length = format!("Content-Length: {bytes}");
                let lines = [content_type.as_str(), &length];
                let answer = bot.connect().exchange("POST", &path, &lines, b"");
                answer.problem(413, "body_too_large");
                assert_eq!(answer.header("connection"), Some("close"), "{answer}");
            }
        }
    }

    fn what_stands_around_the_package_is_bounded_as_well(database: Database) {
        let app = TestApp::start(database, &SETTINGS);
        for bot in &both(&app) {
            let id = new_view(bot);
            let form = Form::archive(&archive_of(KIB, b'a'));
            let boundary = "----of-the-tests";
            let filler = vec![b' '; LIMIT + MIB + 1];
            let around = [
                [filler.as_slice(), b"\r\n", &form.bytes()].concat(),
                [form.bytes().as_slice(), &filler].concat(),
                Form::new().text("x", &"y".repeat(LIMIT + MIB + 1)).bytes(),
            ];
            for body in around {
                let content_type = format!("multipart/form-data; boundary={boundary}");
                let request = bot.client.request("POST", &bot.path(&upload_at(&id)));
                let answer = request.header("Content-Type", &content_type).body(body).send();
                answer.problem(413, "body_too_large");
            }
            assert!(bot.get(&at(&id)).ok()["file"].is_null());
            assert_eq!(stored(&bot.tenant), [""; 0]);
        }
        assert_eq!(files(&app), [""; 0]);
    }
}
