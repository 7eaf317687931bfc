//! A place of packages that fails.

use std::fs;
use std::path::PathBuf;

use botyard_tests::waiting::until;
use botyard_tests::{Client, Form, OnBot, TestApp, each_database};

use super::files::{files, jobs, nameless, until_blobs};
use super::{archive, archive_of, at, both, new_view, send, upload};

/// A folder of the server with a file in its place.
pub struct InTheWay {
    folder: PathBuf,
    aside: PathBuf,
}

impl InTheWay {
    /// Puts a file in the place of this folder, below the data folder.
    pub fn of(app: &TestApp, name: &str) -> Self {
        let folder = app.installation().data_dir().join(name);
        let aside = folder.with_extension("aside");
        fs::rename(&folder, &aside).unwrap();
        fs::write(&folder, "in the way").unwrap();
        Self { folder, aside }
    }

    /// Puts the folder back.
    pub fn remove(self) {
        fs::remove_file(&self.folder).unwrap();
        fs::rename(&self.aside, &self.folder).unwrap();
    }
}

fn is_ready(client: &Client<'_>) -> bool {
    let answer = client.get("/readyz");
    if answer.status() != 200 {
        answer.problem(503, "not_ready");
    }
    answer.status() == 200
}

/// Uploads fail, again and again, and change nothing.
#[track_caller]
fn uploads_fail(bot: &OnBot<'_>, id: &str) {
    let before = bot.tenant.snapshot();
    for bytes in [1_000, 1_000, 100_000, 6 << 20] {
        let form = Form::archive(&archive_of(bytes, b'b'));
        let answer = send(bot, id, &form);
        answer.problem(500, "blob_store_failed");
        let text = answer.text();
        for word in ["in the way", "os error", "directory", "botyard-test-", "uploads/", "blobs/"] {
            assert!(!text.contains(word), "{text}");
        }
    }
    before.assert_unchanged(&bot.tenant);
}

each_database! {
    fn a_folder_of_blobs_that_fails_is_reported_and_changes_nothing(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__UPLOADS_PER_PROJECT", "1")]);
        let both = both(&app);
        let views = both.each_ref().map(new_view);
        for (bot, id) in both.iter().zip(&views) {
            let _ = upload(bot, id, &archive("before"));
        }
        let before = files(&app);
        assert!(is_ready(&both[0].client));
        let in_the_way = InTheWay::of(&app, "blobs");
        assert!(!is_ready(&both[0].client));
        for (bot, id) in both.iter().zip(&views) {
            uploads_fail(bot, id);
            // All else goes on.
            let _ = bot.put(&at(id), &serde_json::json!({"a": 1})).ok();
        }
        in_the_way.remove();
        assert!(is_ready(&both[0].client));
        assert_eq!(files(&app), before);
        for (bot, id) in both.iter().zip(&views) {
            let _ = upload(bot, id, &archive("after"));
        }
        assert_eq!(nameless(&app).unwrap_or(0), 0);
    }

    fn a_folder_of_uploads_that_fails_is_reported_before_the_body_is_read(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__UPLOADS_PER_PROJECT", "1")]);
        let both = both(&app);
        let in_the_way = InTheWay::of(&app, "uploads");
        assert!(!is_ready(&both[0].client));
        let views = both.each_ref().map(new_view);
        for (bot, id) in both.iter().zip(&views) {
            uploads_fail(bot, id);
            let path = bot.path(&super::upload_at(id));
            let answer = bot.connect().exchange("POST", &path, &["Content-Length: 1000000"], b"--");
            answer.problem(500, "blob_store_failed");
        }
        in_the_way.remove();
        assert!(is_ready(&both[0].client));
        for (bot, id) in both.iter().zip(&views) {
            let _ = upload(bot, id, &archive("after"));
        }
    }

    fn a_folder_that_was_removed_is_noticed(database: Database) {
        let app = TestApp::start(database, &[]);
        let home = app.installation().data_dir();
        let both = both(&app);
        let views = both.each_ref().map(new_view);
        fs::remove_dir_all(home.join("uploads")).unwrap();
        assert!(!is_ready(&both[0].client));
        for (bot, id) in both.iter().zip(&views) {
            uploads_fail(bot, id);
        }
        fs::create_dir(home.join("uploads")).unwrap();
        assert!(is_ready(&both[0].client));
        for (bot, id) in both.iter().zip(&views) {
            let _ = upload(bot, id, &archive("after"));
        }
        // A disk that is not mounted any more looks the same: nothing must go into its place.
        fs::remove_dir_all(home.join("blobs")).unwrap();
        assert!(!is_ready(&both[0].client));
        for (bot, id) in both.iter().zip(&views) {
            uploads_fail(bot, id);
        }
        assert!(!home.join("blobs").exists());
    }

    fn a_removal_that_fails_is_tried_again(database: Database) {
        let app = TestApp::start(database, &[("BLOBS__GRACE", "0s")]);
        for bot in &both(&app) {
            let id = new_view(bot);
            let _ = upload(bot, &id, &archive("content"));
            let in_the_way = InTheWay::of(&app, "blobs");
            let _ = bot.delete(&at(&id)).ok();
            let project = bot.tenant.project().id;
            let failed = format!(
                "SELECT count(*) AS value FROM jobs WHERE project_id = '{project}' \
                 AND state = 'queued' AND failures > 0 AND last_error IS NOT NULL"
            );
            until("the removal has failed", || app.sql().number(&failed) == 1);
            in_the_way.remove();
            // It would take two minutes until the next attempt.
            super::files::pass_grace(&bot.tenant);
            until_blobs(&bot.tenant, 0);
            until("the job is done", || jobs(&bot.tenant) == 0);
        }
    }

    fn what_failed_stands_in_the_log_with_its_cause(database: Database) {
        let app = TestApp::start(database, &[]);
        let bot = app.tenant().with_project_token();
        let id = new_view(&bot);
        let in_the_way = InTheWay::of(&app, "blobs");
        let form = Form::archive(&archive("content"));
        let path = bot.path(&super::upload_at(&id));
        let request = bot.client.request("POST", &path).header("X-Request-Id", "the-failed-one");
        request.form(&form).send().problem(500, "blob_store_failed");
        in_the_way.remove();
        until("the cause stands in the log", || {
            let log = app.server().log();
            log.lines().any(|line| line.contains("the-failed-one") && line.contains("blob store"))
        });
    }
}
