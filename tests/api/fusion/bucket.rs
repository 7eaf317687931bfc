//! Packages in a bucket, behind the S3 protocol.

use botyard_tests::waiting::until;
use botyard_tests::{Database, Form, OnBot, TestApp, each_database};
use domain::bot::DeleteMode;
use domain::id::BotId;
use s3_server::S3Server;
use serde_json::json;

use super::files::{files, jobs, known, nameless, pass_grace};
use super::held::Held;
use super::{archive, archive_of, at, both, id_of, new_view, send, sha256, upload};

const PREFIX: &str = "some/prefix";
/// More than goes in one piece.
const LARGE: usize = 12 << 20;

/// A server whose blobs lie in a bucket and go at once, and which takes one upload of a project at
/// once.
#[track_caller]
fn start(database: Database, server: &S3Server) -> TestApp {
    let url = format!("s3://{}/{PREFIX}", server.bucket);
    let variables = server.variables();
    let mut settings = vec![
        ("BLOB_URL", url.as_str()),
        ("BLOBS__GRACE", "0s"),
        ("LIMITS__UPLOADS_PER_PROJECT", "1"),
    ];
    settings.extend(variables.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    // Silence is noticed soon.
    settings.push(("AWS_READ_TIMEOUT", "1s"));
    TestApp::start(database, &settings)
}

/// Waits until the bucket holds what the database knows of a project, namely so many blobs.
#[track_caller]
fn until_blobs(server: &S3Server, bot: &OnBot<'_>, count: usize) {
    until(&format!("{count} blobs are left"), || {
        let known = known(&bot.tenant);
        let project = bot.tenant.project().id.to_string();
        let of_project = |key: &String| key.contains(&project);
        let stored: Vec<_> = server.keys().into_iter().filter(of_project).collect();
        let expected: Vec<_> = known.iter().map(|key| format!("{PREFIX}/{key}")).collect();
        known.len() == count && stored == expected
    });
}

each_database! {
    fn packages_live_in_a_bucket_as_they_do_in_a_folder(database: Database) {
        let server = S3Server::start();
        let app = start(database, &server);
        for bot in &both(&app) {
            let [one, other] = [(); 2].map(|()| new_view(bot));
            let (small, large) = (archive("content"), archive_of(LARGE, b'a'));
            let answer = upload(bot, &one, &small);
            assert_eq!(answer["sha256"], json!(sha256(&small)));
            let _ = upload(bot, &other, &small);
            until_blobs(&server, bot, 1);
            let answer = upload(bot, &other, &large);
            assert_eq!((&answer["size"], &answer["sha256"]), (&json!(LARGE), &json!(sha256(&large))));
            until_blobs(&server, bot, 2);

            let copy = id_of(&bot.post("/duplicate", &json!({})).ok());
            let copy = BotId::parse(&copy).unwrap();
            until_blobs(&server, bot, 2);
            let _ = bot.delete(&at(&one)).ok();
            let _ = upload(bot, &other, &archive("something else"));
            until("the removals were considered", || jobs(&bot.tenant) == 0);
            until_blobs(&server, bot, 3);

            bot.tenant.delete_bot(bot.id(), DeleteMode::Delete);
            until_blobs(&server, bot, 2);
            bot.tenant.delete_bot(copy, DeleteMode::Delete);
            until_blobs(&server, bot, 0);
        }
        let mark = format!("{PREFIX}/installation");
        until("the bucket is empty", || server.keys() == [mark.as_str()]);
        assert_eq!(server.unfinished_uploads(), 0);
        assert_eq!(files(&app), [""; 0]);
        assert_eq!(nameless(&app).unwrap_or(0), 0);
        assert!(!app.server().log().contains(server.secret_key));
    }

    fn a_bucket_that_fails_is_reported_and_keeps_nothing_half_written(database: Database) {
        let server = S3Server::start();
        let app = start(database, &server);
        for bot in &both(&app) {
            let id = new_view(bot);
            let _ = upload(bot, &id, &archive("before"));
            let (before, kept) = (bot.tenant.snapshot(), server.keys());
            // A large one is begun, comes in three parts, and is completed: each step fails once.
            for (bytes, successes) in
                [(1_000, 0), (LARGE, 0), (LARGE, 1), (LARGE, 2), (LARGE, 3), (LARGE, 4)]
            {
                server.fail_writes_after(successes);
                let answer = send(bot, &id, &Form::archive(&archive_of(bytes, b'a')));
                answer.problem(500, "blob_store_failed");
                assert!(!answer.text().contains(&server.endpoint), "{answer}");
                assert_eq!(server.keys(), kept, "after {successes}");
                assert_eq!(server.unfinished_uploads(), 0, "after {successes}");
            }
            before.assert_unchanged(&bot.tenant);
            server.fail_writes(false);
            let _ = upload(bot, &id, &archive_of(LARGE, b'a'));
            until_blobs(&server, bot, 1);
            let _ = bot.delete(&at(&id)).ok();
            until_blobs(&server, bot, 0);
        }
        assert_eq!(files(&app), [""; 0]);
        assert!(!app.server().log().contains(server.secret_key));
    }

    fn a_package_is_stored_though_its_client_has_left(database: Database) {
        let server = S3Server::start();
        let app = start(database, &server);
        for bot in &both(&app) {
            let id = new_view(bot);
            let _ = upload(bot, &id, &archive("before"));
            type Begin<'a> = fn(&'a OnBot<'a>, &str, &Form) -> Held<'a>;
            let ways: [(&str, Begin<'_>); 2] = [("left", Held::whole), ("reset", Held::to_be_reset)];
            for (way, begin) in ways {
                server.hang(true);
                let (bytes, unanswered) = (archive(&bot.text(way)), server.unanswered());
                let held = begin(bot, &id, &Form::archive(&bytes));
                until("the package is on its way", || server.unanswered() > unanswered);
                drop(held);
                server.hang(false);
                let hash = sha256(&bytes);
                let is_it = |key: &String| key.contains(&hash);
                until("the package is there", || server.keys().iter().any(is_it));
                // The view has these bytes, and those from before are removed.
                until_blobs(&server, bot, 1);
                assert_eq!(bot.get(&at(&id)).ok()["file"]["sha256"], json!(hash), "{way}");
            }
        }
    }

    fn a_bucket_that_does_not_answer_makes_the_server_not_ready(database: Database) {
        let server = S3Server::start();
        let app = start(database, &server);
        let client = app.anonymous();
        let _ = client.get("/readyz").ok();
        server.hang(true);
        client.get("/readyz").problem(503, "not_ready");
        // What needs no blobs goes on.
        let _ = client.get("/healthz").ok();
        let bot = app.tenant().with_bot_token();
        let id = new_view(&bot);
        let _ = bot.get(&at(&id)).ok();
        server.hang(false);
        let _ = client.get("/readyz").ok();
        let _ = upload(&bot, &id, &archive("content"));
    }

    fn a_removal_that_a_bucket_refuses_is_tried_again(database: Database) {
        let server = S3Server::start();
        let app = start(database, &server);
        let bot = app.tenant().with_project_token();
        let id = new_view(&bot);
        let _ = upload(&bot, &id, &archive("content"));
        server.hang(true);
        let _ = bot.delete(&at(&id)).ok();
        until("the removal has begun", || {
            let query = "SELECT count(*) AS value FROM blobs WHERE state = 'deleting'";
            app.sql().number(query) == 1
        });
        // The same content comes again while the old one is on its way out: a new blob.
        server.hang(false);
        let other = new_view(&bot);
        let _ = upload(&bot, &other, &archive("content"));
        until("the old one is gone", || {
            pass_grace(&bot.tenant);
            jobs(&bot.tenant) == 0
        });
        until_blobs(&server, &bot, 1);
        let file = bot.get(&at(&other)).ok()["file"].clone();
        assert_eq!(file["sha256"], json!(sha256(&archive("content"))));
    }
}
