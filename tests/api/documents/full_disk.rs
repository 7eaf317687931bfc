//! A disk without room for files.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use botyard_tests::waiting::until;
use botyard_tests::{Database, Form, OnBot, TestApp, each_database};
use serde_json::Value;

use super::{
    FILES, UPLOAD, chunks, get, is_going, post, project, replace, settled, status, text_form,
    texts, upload_text,
};
use crate::skills::id;
use crate::small_disk::{can_be_had, on_small_disk, with_database_on};

/// A small disk has less than is kept back by default.
const NOTHING_KEPT_BACK: (&str, &str) = ("DISK__RESERVE", "0");

/// What a small disk holds.
const SMALL: &str = "256k";

/// A server whose folder of this name is on a small disk; `None` where that can't be had.
#[track_caller]
fn start(database: Database, name: &str) -> Option<TestApp> {
    if !can_be_had() {
        return None;
    }
    let settings = [NOTHING_KEPT_BACK, ("BLOBS__GRACE", "0s"), ("EXTRACTION__WAIT", "0s")];
    Some(TestApp::launch(database, &settings, |command| {
        let home = command.get_current_dir().unwrap().to_owned();
        on_small_disk(&home.join(name), SMALL, &command)
    }))
}

/// What takes up all the room of a disk.
struct Ballast(PathBuf);

impl Ballast {
    /// Fills the disk that this folder is on, up to so many bytes.
    #[track_caller]
    fn leaving(room: u64, folder: &Path) -> Self {
        let path = folder.join("ballast");
        let filled = fs::write(&path, vec![7; 64 << 20]);
        assert_eq!(filled.unwrap_err().kind(), ErrorKind::StorageFull);
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_len(file.metadata().unwrap().len().saturating_sub(room)).unwrap();
        Self(path)
    }

    fn remove(self) {
        fs::remove_file(self.0).unwrap();
    }
}

/// Uploads a text while there is no room for what becomes of it, and makes some when that was found out.
#[track_caller]
fn waits_for_room(bot: &OnBot<'_>, kept: &str, text: &str, ballast: Ballast) -> String {
    let made = post(&bot.client, UPLOAD, &text_form("b.txt", text)).ok()["projectDoc"].clone();
    let (app, project) = (bot.tenant.app(), bot.tenant.project().id);
    // It may be that there is no room to note it, either.
    until("an attempt has failed", || app.server().log().contains("a job failed"));
    // The full disk is not blamed on the file, and clients see no part of the new text.
    assert!(is_going(&get(&bot.client, &id(&made))));
    assert!(chunks(&bot.client, &id(&made)).is_empty());
    assert_eq!(texts(&bot.client, kept), [bot.text("Words of")]);
    ballast.remove();
    // It would take two minutes until the next attempt.
    let due =
        format!("UPDATE jobs SET run_at = 0 WHERE project_id = '{project}' AND kind = 'extract'");
    app.sql().execute(&due);
    assert_eq!(status(&settled(bot, &id(&made))), "finished");
    id(&made)
}

/// A file of a million bytes, which does not fit.
fn large() -> Form {
    Form::new()
        .file("large", "application/octet-stream", &vec![7; 1_000_000])
        .text("extract", "false")
}

fn large_is_refused(database: Database, folder: &str) {
    let Some(app) = start(database, folder) else { return };
    let bot = project(&app);
    let document = id(&upload_text(&bot, "a.txt"));
    let before = bot.tenant.snapshot();
    for _ in 0..3 {
        for answer in [
            post(&bot.client, UPLOAD, &large()),
            post(&bot.client, &bot.path("/doc/upload"), &large()),
            replace(&bot.client, &document, &large()),
        ] {
            answer.problem(503, "storage_full");
        }
    }
    before.assert_unchanged(&bot.tenant);
    // Nothing of it takes up room, so what fits is taken.
    for number in 0..5 {
        let words = bot.text(&format!("{number} ")).repeat(2_000);
        let made =
            post(&bot.client, UPLOAD, &text_form("b.txt", &words)).ok()["projectDoc"].clone();
        assert_eq!(status(&settled(&bot, &id(&made))), "finished");
        let _ = bot.client.delete(&super::at(&id(&made))).ok();
        crate::fusion::files::pass_grace(&bot.tenant);
        botyard_tests::waiting::until("it is gone", || {
            crate::fusion::files::jobs(&bot.tenant) == 0
        });
    }
    assert_eq!(texts(&bot.client, &document), [bot.text("Words of")]);
    assert_eq!(bot.client.get(FILES).items(), [get(&bot.client, &document)]);
    assert_ne!(get(&bot.client, &document)["sha256"], Value::Null);
}

/// SQLite lies on a small disk with this whole program, and all other files elsewhere.
#[test]
fn an_extraction_waits_for_room_in_the_database() {
    let own = "documents::full_disk::an_extraction_waits_for_room_in_the_database";
    with_database_on(own, "24m", on_the_disk_of_the_database);
}

fn on_the_disk_of_the_database(elsewhere: &Path) {
    let data = elsewhere.join("data");
    let data = ("DATA_DIR", data.to_str().unwrap());
    let settings = [data, NOTHING_KEPT_BACK, ("EXTRACTION__WAIT", "0s"), ("JOBS__LEASE", "1s")];
    let app = TestApp::start(Database::Sqlite, &settings);
    let bot = project(&app);
    let kept = id(&upload_text(&bot, "a.txt"));
    let ballast = Ballast::leaving(1 << 20, app.installation().data_dir());
    let text = "Many words stand in a long text. ".repeat(200_000);
    let document = waits_for_room(&bot, &kept, &text, ballast);
    let last = chunks(&bot.client, &document).pop().unwrap();
    assert_eq!(last["charEnd"], text.trim_end().len());
}

each_database! {
    fn an_extraction_waits_for_room_to_read_in(database: Database) {
        let Some(app) = start(database, "extractions") else { return };
        let bot = project(&app);
        let kept = id(&upload_text(&bot, "a.txt"));
        let root = PathBuf::from(format!("/proc/{}/root", app.server().pid()));
        let home = app.installation().data_dir().strip_prefix("/").unwrap();
        let ballast = Ballast::leaving(0, &root.join(home).join("extractions"));
        let document = waits_for_room(&bot, &kept, &bot.text("Words"), ballast);
        assert_eq!(texts(&bot.client, &document), [bot.text("Words")]);
    }

    fn a_file_that_does_not_fit_is_refused_while_it_comes_in(database: Database) {
        large_is_refused(database, "uploads");
    }

    fn a_file_that_does_not_fit_into_its_place_is_refused(database: Database) {
        large_is_refused(database, "blobs");
    }
}
