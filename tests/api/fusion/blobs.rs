//! Where packages are kept, who shares them, and when they go.

use std::fs::{self, File};
use std::path::Path;
use std::time::Duration;

use botyard_tests::waiting::until;
use botyard_tests::{Form, OnBot, TestApp, each_database, each_scheme};
use domain::bot::DeleteMode;
use domain::id::BotId;
use serde_json::json;

use super::files::{content, jobs, known, pass_grace, stored, until_blobs};
use super::{NOBODY, archive, at, both, id_of, new_view, sha256, upload};
use crate::bots::BOTS;

/// How many rows a bot has left in all tables.
fn rows_of(bot: &OnBot<'_>, id: BotId) -> i64 {
    let sql = bot.tenant.app().sql();
    let count = |table: &str, column: &str| {
        sql.number(&format!("SELECT count(*) AS value FROM {table} WHERE {column} = '{id}'"))
    };
    count("bots", "id") + count("fusion_views", "bot_id") + count("changelog_entries", "bot_id")
}

/// Deletes a bot for good and waits until all that it had is gone.
#[track_caller]
fn tear_down(bot: &OnBot<'_>, id: BotId) {
    bot.tenant.delete_bot(id, DeleteMode::Delete);
    until("the bot is gone", || rows_of(bot, id) == 0);
}

/// Lets the server do a job that was queued later than all that wait.
#[track_caller]
fn let_jobs_run(bot: &OnBot<'_>) {
    let other = bot.tenant.new_bot("short-lived");
    tear_down(bot, other);
}

/// A copy of the bot, and the copy's Fusion-Views as the project sees them.
#[track_caller]
fn duplicate(bot: &OnBot<'_>) -> (BotId, Vec<serde_json::Value>) {
    let copy = BotId::parse(&id_of(&bot.post("/duplicate", &json!({})).ok())).unwrap();
    let views = bot.tenant.as_project().get(&format!("{BOTS}/{copy}/fusion")).items();
    (copy, views)
}

/// Makes a file so many hours old.
fn age(path: &Path, hours: u64) {
    let file = File::open(path).unwrap();
    let now = tempfile::tempfile().unwrap().metadata().unwrap().modified().unwrap();
    file.set_modified(now - Duration::from_secs(hours * 60 * 60)).unwrap();
}

/// Lets the server look for bytes that no row refers to. It does so when it starts, and then once a day.
#[track_caller]
fn sweep(app: &TestApp) {
    let is_done = || {
        let query = "SELECT count(*) AS value FROM jobs \
                     WHERE kind = 'sweep_blobs' AND state = 'queued' AND run_at > 0 AND attempt > 0";
        app.sql().number(query) == 1
    };
    until("the first sweep is done", is_done);
    app.sql().execute("UPDATE jobs SET run_at = 0 WHERE kind = 'sweep_blobs'");
    until("another sweep is done", is_done);
}

each_scheme! {
    fn a_package_is_kept_as_it_came_under_its_hash(bot: &OnBot) {
        let bytes = archive(&bot.text("content"));
        let _ = upload(bot, &new_view(bot), &bytes);
        let keys = stored(&bot.tenant);
        assert_eq!(keys, known(&bot.tenant));
        let (project, hash) = (bot.tenant.project().id, sha256(&bytes));
        assert!(keys[0].starts_with(&format!("{project}/fusion/{hash}-")), "{keys:?}");
        assert_eq!(content(&bot.tenant, &hash), bytes);
    }

    fn the_same_content_is_kept_once_in_a_project(bot: &OnBot) {
        let bytes = archive("content");
        let (one, other) = (new_view(bot), new_view(bot));
        let _ = upload(bot, &one, &bytes);
        let kept = stored(&bot.tenant);
        for id in [&one, &other, &other] {
            let _ = upload(bot, id, &bytes);
        }
        let of_another = bot.tenant.as_bot(bot.tenant.new_bot("another"));
        let base = "/api/external/bot/fusion";
        let view = of_another.post(base, &json!({"type": "webgl", "title": "t"})).ok();
        let path = format!("{base}/{}/upload", id_of(&view));
        let _ = of_another.request("POST", &path).form(&Form::archive(&bytes)).send().ok();
        assert_eq!(stored(&bot.tenant), kept);
        assert_eq!((kept.len(), known(&bot.tenant)), (1, kept));
        // But another project has its own.
        let sibling = bot.tenant.sibling().with_project_token();
        let _ = upload(&sibling, &new_view(&sibling), &bytes);
        assert_eq!(stored(&sibling.tenant).len(), 1);
    }

    fn a_package_that_was_replaced_goes_after_the_grace_and_never_before(bot: &OnBot) {
        let id = new_view(bot);
        let (first, second) = (archive("first"), archive("second"));
        let _ = upload(bot, &id, &first);
        let _ = upload(bot, &id, &second);
        let_jobs_run(bot);
        assert_eq!((stored(&bot.tenant).len(), known(&bot.tenant).len()), (2, 2));
        assert_eq!(content(&bot.tenant, &sha256(&first)), first);
        pass_grace(&bot.tenant);
        until_blobs(&bot.tenant, 1);
        assert_eq!(content(&bot.tenant, &sha256(&second)), second);
    }

    fn the_package_of_a_deleted_view_goes_after_the_grace_and_never_before(bot: &OnBot) {
        let id = new_view(bot);
        let _ = upload(bot, &id, &archive("content"));
        let _ = bot.delete(&at(&id)).ok();
        let_jobs_run(bot);
        assert_eq!((stored(&bot.tenant).len(), known(&bot.tenant).len()), (1, 1));
        pass_grace(&bot.tenant);
        until_blobs(&bot.tenant, 0);
    }

    fn a_package_that_is_used_again_within_the_grace_stays(bot: &OnBot) {
        let bytes = archive("content");
        let (one, other) = (new_view(bot), new_view(bot));
        let _ = upload(bot, &one, &bytes);
        let kept = stored(&bot.tenant);
        let _ = bot.delete(&at(&one)).ok();
        let _ = upload(bot, &other, &bytes);
        pass_grace(&bot.tenant);
        until("the removal was considered", || jobs(&bot.tenant) == 0);
        assert_eq!((stored(&bot.tenant), known(&bot.tenant)), (kept.clone(), kept));
    }

    fn a_package_stays_as_long_as_another_view_has_the_same(bot: &OnBot) {
        let bytes = archive("content");
        let [one, other, third] = [(); 3].map(|()| new_view(bot));
        for id in [&one, &other, &third] {
            let _ = upload(bot, id, &bytes);
        }
        let _ = bot.delete(&at(&one)).ok();
        let _ = upload(bot, &other, &archive("something else"));
        pass_grace(&bot.tenant);
        until("the removals were considered", || jobs(&bot.tenant) == 0);
        assert_eq!(content(&bot.tenant, &sha256(&bytes)), bytes);
        until_blobs(&bot.tenant, 2);
        let _ = bot.delete(&at(&third)).ok();
        pass_grace(&bot.tenant);
        until_blobs(&bot.tenant, 1);
    }

    fn a_copy_of_a_bot_shares_its_packages(bot: &OnBot) {
        let body = json!({"type": "h5p", "title": bot.text("t"), "z": 1, "a": {"b": [2]}});
        let id = id_of(&bot.post("/fusion", &body).ok());
        let _ = upload(bot, &id, &archive("content"));
        let _ = new_view(bot);
        let originals = bot.get("/fusion").items();
        let kept = stored(&bot.tenant);

        let (copy, views) = duplicate(bot);
        assert_eq!((stored(&bot.tenant), known(&bot.tenant)), (kept.clone(), kept));
        assert_eq!(views.len(), 2);
        for (original, copied) in originals.iter().zip(&views) {
            assert_ne!(copied["_id"], original["_id"]);
            assert_eq!(copied["botId"], json!(copy.to_string()));
            assert!(copied["createdAt"].as_str() >= original["createdAt"].as_str());
            let alike = ["type", "title", "z", "a", "file"];
            for member in alike {
                assert_eq!(copied[member], original[member], "{member}");
            }
            assert_eq!(copied.as_object().unwrap().len(), original.as_object().unwrap().len());
        }
        assert_ne!(views[0]["file"], json!(null));
        assert_eq!(bot.get("/fusion").items(), originals);
    }

    fn what_happens_to_one_of_two_that_share_does_not_touch_the_other(bot: &OnBot) {
        let bytes = archive("content");
        let id = new_view(bot);
        let _ = upload(bot, &id, &bytes);
        let (copy, views) = duplicate(bot);
        let _ = upload(bot, &id, &archive("something else"));
        let _ = bot.put(&at(&id), &json!({"title": "renamed", "a": 1})).ok();
        let path = format!("{BOTS}/{copy}/fusion");
        assert_eq!(bot.tenant.as_project().get(&path).items(), views);
        let _ = bot.delete(&at(&id)).ok();
        pass_grace(&bot.tenant);
        until_blobs(&bot.tenant, 1);
        assert_eq!(content(&bot.tenant, &sha256(&bytes)), bytes);
        assert_eq!(bot.tenant.as_project().get(&path).items(), views);
    }

    fn a_copy_keeps_its_package_when_the_original_goes(bot: &OnBot) {
        let bytes = archive("content");
        let _ = upload(bot, &new_view(bot), &bytes);
        let (copy, views) = duplicate(bot);
        tear_down(bot, bot.id());
        pass_grace(&bot.tenant);
        until("the removal was considered", || jobs(&bot.tenant) == 0);
        assert_eq!(content(&bot.tenant, &sha256(&bytes)), bytes);
        let path = format!("{BOTS}/{copy}/fusion");
        assert_eq!(bot.tenant.as_project().get(&path).items(), views);

        tear_down(bot, copy);
        assert_eq!(content(&bot.tenant, &sha256(&bytes)), bytes);
        pass_grace(&bot.tenant);
        until_blobs(&bot.tenant, 0);
        until("all jobs are done", || jobs(&bot.tenant) == 0);
    }

    fn a_bot_in_the_archive_or_the_trash_keeps_its_packages(bot: &OnBot) {
        let id = new_view(bot);
        let _ = upload(bot, &id, &archive("content"));
        let before = bot.get(&at(&id)).ok();
        for mode in [DeleteMode::Archive, DeleteMode::Trash] {
            bot.tenant.delete_bot(bot.id(), mode);
            let_jobs_run(bot);
            until("all jobs are done", || jobs(&bot.tenant) == 0);
            bot.tenant.restore_bot(bot.id());
            assert_eq!(bot.get(&at(&id)).ok(), before);
        }
        assert_eq!((stored(&bot.tenant).len(), known(&bot.tenant).len()), (1, 1));
    }
}

each_database! {
    fn the_grace_is_a_setting(database: Database) {
        for grace in ["0s", "1s"] {
            let app = TestApp::start(database, &[("BLOBS__GRACE", grace)]);
            for bot in &both(&app) {
                let id = new_view(bot);
                let (first, second) = (archive("first"), archive("second"));
                let _ = upload(bot, &id, &first);
                let _ = upload(bot, &id, &second);
                until_blobs(&bot.tenant, 1);
                assert_eq!(content(&bot.tenant, &sha256(&second)), second);
                let _ = bot.delete(&at(&id)).ok();
                until_blobs(&bot.tenant, 0);
                until("all jobs are done", || jobs(&bot.tenant) == 0);
            }
        }
    }

    fn a_bot_with_many_views_goes_with_all_packages(database: Database) {
        let app = TestApp::start(database, &[("BLOBS__GRACE", "0s")]);
        let bot = app.tenant().with_project_token();
        // More than one batch.
        for number in 0..250 {
            let id = new_view(&bot);
            if number % 10 == 0 {
                let _ = upload(&bot, &id, &archive(&number.to_string()));
            }
        }
        assert_eq!(stored(&bot.tenant).len(), 25);
        let _ = bot.delete("").ok();
        until_blobs(&bot.tenant, 0);
        until("the bot is gone", || rows_of(&bot, bot.id()) == 0 && jobs(&bot.tenant) == 0);
    }

    fn bytes_without_a_row_are_swept_when_they_are_old(database: Database) {
        let app = TestApp::start(database, &[]);
        let bot = app.tenant().with_project_token();
        let _ = upload(&bot, &new_view(&bot), &archive("content"));
        let blobs = app.installation().data_dir().join("blobs");
        let known = blobs.join(&stored(&bot.tenant)[0]);
        age(&known, 100);
        let (folder, elsewhere) = (known.parent().unwrap(), blobs.join(NOBODY).join("fusion"));
        fs::create_dir_all(&elsewhere).unwrap();
        let name = |number: u32| format!("{number:064x}-0190c7a0-1111-7222-8333-{number:012x}");
        let place = |folder: &Path, name: &str, hours: u64| {
            let path = folder.join(name);
            fs::write(&path, "bytes").unwrap();
            age(&path, hours);
            path
        };
        let old = [place(folder, &name(1), 2), place(folder, &name(2), 100)];
        let others = [
            place(folder, &name(3), 0),
            place(folder, "notes.txt", 100),
            // The database has no such project. The bytes stay: it may be the database that is wrong.
            place(&elsewhere, &name(4), 100),
            known.clone(),
        ];
        sweep(&app);
        assert_eq!(old.map(|path| path.exists()), [false; 2]);
        assert_eq!(others.map(|path| path.exists()), [true; 4]);
    }

    fn blobs_may_lie_elsewhere(database: Database) {
        let elsewhere = tempfile::tempdir().unwrap();
        let url = format!("file:{}/packages", elsewhere.path().display());
        let app = TestApp::start(database, &[("BLOB_URL", &url)]);
        let bot = app.tenant().with_bot_token();
        let bytes = archive("content");
        let _ = upload(&bot, &new_view(&bot), &bytes);
        let keys = known(&bot.tenant);
        let path = elsewhere.path().join("packages").join(&keys[0]);
        assert_eq!(fs::read(path).unwrap(), bytes);
        assert_eq!(stored(&bot.tenant), [""; 0]);
    }
}
