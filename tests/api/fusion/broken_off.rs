//! Clients that go away before they have their answer.

use botyard_tests::{Form, OnBot, TestApp, each_database};

use super::files::{known, pass_grace, stored, until_blobs, until_nothing_is_left};
use super::held::{Held, taken, until_free};
use super::{archive, archive_of, at, both, new_view, upload};

/// Room for one upload, so that it shows when one is over.
const ONE_AT_ONCE: [(&str, &str); 1] = [("LIMITS__UPLOADS_PER_PROJECT", "1")];

/// A form of more than the server holds in memory.
fn large_form() -> Form {
    Form::archive(&archive_of(1 << 20, b'a'))
}

each_database! {
    fn an_upload_that_breaks_off_leaves_nothing(database: Database) {
        let app = TestApp::start(database, &ONE_AT_ONCE);
        let form = large_form();
        let whole = form.bytes().len();
        for bot in &both(&app) {
            let id = new_view(bot);
            let before = bot.tenant.snapshot();
            // Nothing, a part of a part's head, of the file, and all but the end of the last boundary.
            for count in [0, 30, 200, whole / 2, whole - 10, whole - 3] {
                let begin = || Held::of(bot, &id, &form, count);
                drop(taken(bot, &id, begin));
                until_free(bot, &id);
                until_nothing_is_left(&app);
                taken(bot, &id, begin).stop_sending();
                until_free(bot, &id);
                until_nothing_is_left(&app);
            }
            before.assert_unchanged(&bot.tenant);
        }
    }

    fn the_next_upload_succeeds_after_one_that_broke_off(database: Database) {
        let app = TestApp::start(database, &ONE_AT_ONCE);
        let form = large_form();
        for bot in &both(&app) {
            let id = new_view(bot);
            drop(taken(bot, &id, || Held::half(bot, &id, &form)));
            until_free(bot, &id);
            let _ = upload(bot, &id, &archive("content"));
            until_blobs(&bot.tenant, 1);
        }
    }

    fn a_chunked_upload_that_breaks_off_leaves_nothing(database: Database) {
        let app = TestApp::start(database, &ONE_AT_ONCE);
        let form = large_form();
        let bytes = form.bytes();
        for bot in &both(&app) {
            let id = new_view(bot);
            let before = bot.tenant.snapshot();
            let whole = bytes.len();
            // In the middle of a chunk, between chunks, and all but the last, empty chunk.
            for (announced, sent) in [(whole, whole / 2), (100_000, 100_000), (whole, whole)] {
                let size = format!("{announced:x}\r\n");
                let end = if announced == sent { "\r\n" } else { "" };
                let body = [size.as_bytes(), &bytes[..sent], end.as_bytes()].concat();
                let lines = ["Transfer-Encoding: chunked"];
                drop(taken(bot, &id, || Held::begin(bot, &id, &form, &lines, &body)));
                until_free(bot, &id);
                until_nothing_is_left(&app);
            }
            before.assert_unchanged(&bot.tenant);
        }
    }

    fn an_upload_that_takes_too_long_is_given_up(database: Database) {
        let settings = [ONE_AT_ONCE[0], ("LIMITS__UPLOAD_TIMEOUT", "1s")];
        let app = TestApp::start(database, &settings);
        for bot in &both(&app) {
            let id = new_view(bot);
            let before = bot.tenant.snapshot();
            let answer = Held::half(bot, &id, &large_form()).answer();
            answer.problem(408, "too_slow");
            assert_eq!(answer.header("connection"), Some("close"), "{answer}");
            until_nothing_is_left(&app);
            before.assert_unchanged(&bot.tenant);
            let _ = upload(bot, &id, &archive("content"));
            let _ = bot.delete(&at(&id)).ok();
            // So that nothing is left for the next bot either.
            pass_grace(&bot.tenant);
            until_blobs(&bot.tenant, 0);
        }
    }

    fn a_client_that_leaves_after_the_last_byte_leaves_a_consistent_state(database: Database) {
        let app = TestApp::start(database, &ONE_AT_ONCE);
        for bot in &both(&app) {
            let id = new_view(bot);
            for letter in b'a'..b'u' {
                let form = Form::archive(&archive_of(1 << 20, letter));
                let all_but_one = form.bytes().len() - 1;
                drop(taken(bot, &id, || Held::of(bot, &id, &form, all_but_one)).all_sent());
                until_free(bot, &id);
            }
            is_valid(bot, &id);
        }
    }

    fn a_connection_that_is_reset_after_the_last_byte_leaves_a_consistent_state(database: Database) {
        let app = TestApp::start(database, &ONE_AT_ONCE);
        for bot in &both(&app) {
            let id = new_view(bot);
            for letter in b'a'..b'u' {
                let form = Form::archive(&archive_of(1 << 20, letter));
                drop(Held::to_be_reset(bot, &id, &form));
                until_free(bot, &id);
            }
            is_valid(bot, &id);
        }
    }
}

/// The Fusion-View shows a package whose bytes are there, and no other bytes are.
#[track_caller]
fn is_valid(bot: &OnBot<'_>, id: &str) {
    until_blobs(&bot.tenant, known(&bot.tenant).len());
    let file = bot.get(&at(id)).ok()["file"].clone();
    if let Some(sha256) = file["sha256"].as_str() {
        let keys = stored(&bot.tenant);
        assert_eq!(keys.iter().filter(|key| key.contains(sha256)).count(), 1, "{keys:?}");
    }
}
