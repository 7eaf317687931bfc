//! How many documents a project may have, how much they may take up, and how much is done at once.

use botyard_tests::waiting::until;
use botyard_tests::{Form, OnBot, TestApp, at_once, each_database};
use serde_json::json;

use super::programs::{Programs, image, start};
use super::{
    FILES, UPLOAD, at, extract_at, get, post, project, replace, settled, status, text_form,
    upload_plain,
};
use crate::fusion::files::{known, stored, until_blobs};
use crate::fusion::held::Held;
use crate::skills::id;

/// A form with so many bytes of a letter, which is not extracted.
fn bytes(count: usize, letter: u8) -> Form {
    let form = Form::new().file("a.txt", "text/plain", &vec![letter; count]);
    form.text("extract", "false")
}

each_database! {
    fn a_project_has_at_most_as_many_documents_as_its_quota(database: Database) {
        let app = TestApp::sharing(database, &[("LIMITS__DOCUMENTS_PER_PROJECT", "2")]);
        let bot = project(app);
        let [one, _] = ["a", "b"].map(|name| upload_plain(&bot, name));
        let before = bot.tenant.snapshot();
        for path in [UPLOAD.to_owned(), bot.path("/doc/upload")] {
            post(&bot.client, &path, &text_form("c", "Words")).problem(403, "quota_exceeded");
            // A form that is wrong as well is reported first.
            post(&bot.client, &path, &text_form("c", "")).problem(422, "too_short");
        }
        before.assert_unchanged(&bot.tenant);
        assert_eq!(stored(&bot.tenant), known(&bot.tenant));
        // What is there can be replaced, and what goes makes room.
        let _ = replace(&bot.client, &one, &text_form("c", "Words")).ok();
        let _ = bot.client.delete(&at(&one)).ok();
        let _ = upload_plain(&bot, "d");
        post(&bot.client, UPLOAD, &text_form("e", "Words")).problem(403, "quota_exceeded");
        // Another project has a quota of its own.
        let other = bot.tenant.sibling().with_project_token();
        let _ = upload_plain(&other, "a");
    }

    fn uploads_at_once_do_not_exceed_the_quota(database: Database) {
        let settings =
            [("LIMITS__DOCUMENTS_PER_PROJECT", "3"), ("LIMITS__UPLOADS_PER_PROJECT", "32")];
        let app = TestApp::start(database, &settings);
        let bot = project(&app);
        let answers = at_once(10, |number| {
            let form = text_form("a.txt", &bot.text(&number.to_string())).text("extract", "false");
            post(&bot.client, UPLOAD, &form)
        });
        let (taken, refused): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.status() == 200);
        assert_eq!(taken.len(), 3);
        for answer in refused {
            answer.problem(403, "quota_exceeded");
        }
        assert_eq!(bot.client.get(FILES).items().len(), 3);
        assert_eq!((stored(&bot.tenant), known(&bot.tenant).len()), (known(&bot.tenant), 3));
    }

    fn a_quota_of_0_is_none(database: Database) {
        let app = TestApp::sharing(database, &[("LIMITS__DOCUMENTS_PER_PROJECT", "0")]);
        let bot = project(app);
        for name in ["a", "b", "c"] {
            let _ = upload_plain(&bot, name);
        }
    }

    fn documents_and_packages_together_have_so_many_bytes(database: Database) {
        let settings = [("LIMITS__BLOB_BYTES_PER_PROJECT", "10000"), ("BLOBS__GRACE", "0s")];
        let app = TestApp::start(database, &settings);
        let bot = project(&app);
        let one = id(&post(&bot.client, UPLOAD, &bytes(6_000, b'a')).ok()["projectDoc"]);
        let before = bot.tenant.snapshot();
        for path in [UPLOAD.to_owned(), bot.path("/doc/upload")] {
            post(&bot.client, &path, &bytes(4_001, b'b')).problem(413, "project_full");
        }
        // What it would replace still counts.
        replace(&bot.client, &one, &bytes(4_001, b'b')).problem(413, "project_full");
        before.assert_unchanged(&bot.tenant);
        assert_eq!(stored(&bot.tenant), known(&bot.tenant));
        // The same content counts once.
        let _ = post(&bot.client, UPLOAD, &bytes(6_000, b'a')).ok();
        let _ = post(&bot.client, UPLOAD, &bytes(4_000, b'c')).ok();
        until_blobs(&bot.tenant, 2);
        post(&bot.client, UPLOAD, &bytes(1, b'd')).problem(413, "project_full");
    }

    fn a_project_has_at_most_so_many_uploads_at_once(database: Database) {
        let app = TestApp::sharing(database, &[("LIMITS__UPLOADS_PER_PROJECT", "1")]);
        let bot = project(app);
        let document = upload_plain(&bot, "a");
        let form = bytes(100_000, b'a');
        let ways = [
            ("POST", UPLOAD.to_owned()),
            ("POST", bot.path("/doc/upload")),
            ("PUT", super::replace_at(&document)),
        ];
        let is_busy = |(method, path): &(&'static str, String)| {
            let answer = bot.client.request(method, path).body("no form").send();
            if answer.status() == 429 {
                answer.problem(429, "too_many_at_once");
                assert!(answer.header("retry-after").is_some());
                return true;
            }
            answer.problem(415, "unsupported_media_type");
            false
        };
        for (method, path) in &ways {
            let begin = || Held::at(&bot.client, (*method, path), &form, 50_000);
            let mut held = begin();
            until("the server is busy with it", || {
                // The question takes the place as well, for a moment.
                if held.is_refused() {
                    held = begin();
                }
                is_busy(&ways[0])
            });
            assert!(ways.iter().all(is_busy));
            // Another project uploads.
            let sibling = bot.tenant.sibling().with_project_token();
            let _ = upload_plain(&sibling, "a");
            let _ = held.finish().ok();
            until("there is a place again", || !is_busy(&ways[0]));
        }
    }
}

/// Uploads an image that waits to be read; returns its document's `_id`.
#[track_caller]
fn waiting(bot: &OnBot<'_>, name: &str) -> String {
    id(&post(&bot.client, UPLOAD, &image(name, &bot.text(name))).ok()["projectDoc"])
}

each_database! {
    fn a_project_has_only_so_many_extractions_that_wait(database: Database) {
        let programs = Programs::that_wait();
        let settings = [
            ("LIMITS__QUEUED_EXTRACTIONS_PER_PROJECT", "2"),
            ("LIMITS__EXTRACTIONS_PER_PROJECT", "1"),
        ];
        let app = start(database, &programs, &settings);
        let bot = project(&app);
        let plain = upload_plain(&bot, "plain");
        let running = waiting(&bot, "1");
        until("the first runs", || status(&get(&bot.client, &running)) == "running");
        let queued = ["2", "3"].map(|name| waiting(&bot, name));
        // But for the job that is being done, and says so now and then.
        let rows = || -> Vec<String> {
            let rows = bot.tenant.snapshot().rows().to_vec().into_iter();
            rows.filter(|row| !row.contains("\"state\"") || !row.contains("running")).collect()
        };
        let (before, kept) = (rows(), stored(&bot.tenant));
        let form = text_form("b.txt", "Words");
        for answer in [
            post(&bot.client, UPLOAD, &form),
            post(&bot.client, &bot.path("/doc/upload"), &form),
            replace(&bot.client, &plain, &form),
            bot.client.post(&extract_at(&plain), &json!({})),
        ] {
            answer.problem(429, "too_many_at_once");
            assert!(answer.header("retry-after").is_some(), "{answer}");
        }
        assert_eq!((rows(), stored(&bot.tenant)), (before, kept));
        // What asks for no extraction is taken.
        let _ = upload_plain(&bot, "more");
        // Another project has a limit of its own.
        let other = app.tenant().with_project_token();
        let _ = waiting(&other, "1");

        let _ = bot.client.delete(&at(&queued[0])).ok();
        let last = waiting(&bot, "4");
        programs.release();
        for document in [&running, &queued[1], &last] {
            assert_eq!(status(&settled(&bot, document)), "finished");
        }
    }

    fn extractions_of_a_project_wait_for_each_other(database: Database) {
        let programs = Programs::that_wait();
        let settings = [("LIMITS__EXTRACTIONS_PER_PROJECT", "1"), ("EXTRACTION__WORKERS", "2")];
        let app = start(database, &programs, &settings);
        let bot = project(&app);
        let first = waiting(&bot, "1");
        until("the first runs", || status(&get(&bot.client, &first)) == "running");
        let second = waiting(&bot, "2");
        let other = app.tenant().with_project_token();
        let of_other = super::upload(&other, &text_form("a.txt", "Words"));
        // By then the second would have run as well.
        assert_eq!(status(&of_other), "finished");
        assert_eq!(status(&get(&bot.client, &second)), "queued");
        programs.release();
        for document in [&first, &second] {
            assert_eq!(status(&settled(&bot, document)), "finished");
        }
    }
}
