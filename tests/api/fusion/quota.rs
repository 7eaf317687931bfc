//! How many bytes the packages of a project may have together.

use botyard_tests::waiting::until;
use botyard_tests::{Form, OnBot, TestApp, at_once, each_database};
use serde_json::json;

use super::files::{known, stored, until_blobs};
use super::{archive_of, at, both, new_view, send, upload};

const SETTINGS: [(&str, &str); 3] = [
    ("LIMITS__BLOB_BYTES_PER_PROJECT", "10000"),
    ("LIMITS__UPLOADS_PER_PROJECT", "32"),
    ("BLOBS__GRACE", "0s"),
];

#[track_caller]
fn is_full(bot: &OnBot<'_>, id: &str, archive: &[u8]) {
    send(bot, id, &Form::archive(archive)).problem(413, "project_full");
}

each_database! {
    fn a_project_has_at_most_as_many_bytes_as_its_quota(database: Database) {
        let app = TestApp::sharing(database, &SETTINGS);
        for bot in &both(app) {
            let [one, other, third] = [(); 3].map(|()| new_view(bot));
            let _ = upload(bot, &one, &archive_of(6_000, b'a'));
            let (before, kept) = (bot.tenant.snapshot(), stored(&bot.tenant));
            is_full(bot, &other, &archive_of(4_001, b'b'));
            is_full(bot, &other, &archive_of(20_000, b'b'));
            // What it would replace still counts.
            is_full(bot, &one, &archive_of(4_001, b'b'));
            before.assert_unchanged(&bot.tenant);
            assert_eq!(stored(&bot.tenant), kept);
            // The same content counts once, wherever it is.
            for id in [&one, &other] {
                let _ = upload(bot, id, &archive_of(6_000, b'a'));
            }
            let _ = upload(bot, &third, &archive_of(4_000, b'c'));
            is_full(bot, &other, &archive_of(101, b'd'));
            let _ = upload(bot, &other, &archive_of(4_000, b'c'));

            // Another project has a quota of its own.
            let sibling = bot.tenant.sibling().with_project_token();
            let _ = upload(&sibling, &new_view(&sibling), &archive_of(10_000, b'a'));
        }
    }

    fn an_archive_that_breaks_a_rule_is_reported_first(database: Database) {
        let app = TestApp::sharing(database, &SETTINGS);
        let bot = app.tenant().with_bot_token();
        let mut bytes = archive_of(20_000, b'a');
        bytes.push(b'x');
        send(&bot, &new_view(&bot), &Form::archive(&bytes)).problem(422, "bad_archive");
    }

    fn what_is_removed_makes_room(database: Database) {
        let app = TestApp::sharing(database, &SETTINGS);
        for bot in &both(app) {
            let [one, other] = [(); 2].map(|()| new_view(bot));
            let _ = upload(bot, &one, &archive_of(10_000, b'a'));
            is_full(bot, &other, &archive_of(101, b'b'));
            let _ = bot.delete(&at(&one)).ok();
            until("there is room again", || {
                send(bot, &other, &Form::archive(&archive_of(10_000, b'b'))).status() == 200
            });
            until_blobs(&bot.tenant, 1);
        }
    }

    fn uploads_at_once_do_not_exceed_the_quota(database: Database) {
        let app = TestApp::sharing(database, &SETTINGS);
        for bot in &both(app) {
            let views: Vec<_> = (0..12).map(|_| new_view(bot)).collect();
            let letters: Vec<_> = (b'a'..=b'l').collect();
            let answers = at_once(views.len(), |number| {
                send(bot, &views[number], &Form::archive(&archive_of(3_000, letters[number])))
            });
            let (taken, refused): (Vec<_>, Vec<_>) =
                answers.into_iter().partition(|answer| answer.status() == 200);
            assert_eq!(taken.len(), 3);
            for answer in refused {
                answer.problem(413, "project_full");
            }
            assert_eq!((stored(&bot.tenant), known(&bot.tenant).len()), (known(&bot.tenant), 3));
            let views = bot.get("/fusion").items();
            assert_eq!(views.iter().filter(|view| view["file"] != json!(null)).count(), 3);
        }
    }

    fn a_quota_of_0_is_none(database: Database) {
        let app = TestApp::sharing(database, &[("LIMITS__BLOB_BYTES_PER_PROJECT", "0")]);
        let bot = app.tenant().with_project_token();
        let _ = upload(&bot, &new_view(&bot), &archive_of(100_000, b'a'));
    }
}
