//! A disk without room. It is a small one in memory, which the server alone sees; where the system lets no
//! test mount such a disk, these tests are left out.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use botyard_tests::waiting::until;
use botyard_tests::{Database, Form, OnBot, TestApp, each_database};
use serde_json::Value;

use super::{
    FILES, UPLOAD, chunks, get, is_going, post, project, replace, settled, status, text_form,
    texts, upload_text,
};
use crate::skills::id;

/// Mounts a small disk in the place of a folder, and becomes the program behind it.
const MOUNT: &str = r#"
mkdir -p "$1" && mount -t tmpfs -o "size=$2,mode=700" tmpfs "$1" || exit 1
shift 2
exec "$@""#;

/// What a small disk holds.
const SMALL: &str = "256k";

/// A command in a view of the system in which this folder is on a disk of this size.
fn on_small_disk(folder: &Path, size: &str, command: &Command) -> Command {
    let mut wrapped = Command::new("unshare");
    wrapped.args(["-rm", "sh", "-c", MOUNT, "sh"]).arg(folder).arg(size);
    wrapped.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => wrapped.env(name, value),
            None => wrapped.env_remove(name),
        };
    }
    if let Some(home) = command.get_current_dir() {
        wrapped.current_dir(home);
    }
    wrapped
}

/// Whether there can be such a disk.
#[expect(clippy::print_stderr, reason = "whoever runs the tests shall know what was left out")]
fn can_be_had() -> bool {
    let folder = tempfile::tempdir().unwrap();
    let attempt = on_small_disk(folder.path(), SMALL, &Command::new("true")).output();
    let can_be_had = attempt.is_ok_and(|output| output.status.success());
    if !can_be_had {
        eprintln!("left out: nobody may mount a disk here");
    }
    can_be_had
}

/// A server whose folder of this name is on a small disk; `None` where that can't be had.
#[track_caller]
fn start(database: Database, name: &str) -> Option<TestApp> {
    if !can_be_had() {
        return None;
    }
    let settings = [("BLOBS__GRACE", "0s"), ("EXTRACTION__WAIT", "0s")];
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
            answer.problem(500, "blob_store_failed");
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

/// Says where the data folder is to be, to a test that was started again on a small disk.
const ELSEWHERE: &str = "BOTYARD_TEST_ELSEWHERE";

/// SQLite lies on a small disk with this whole program, and all other files elsewhere.
#[test]
fn an_extraction_waits_for_room_in_the_database() {
    if let Some(elsewhere) = env::var_os(ELSEWHERE) {
        return on_the_disk_of_the_database(Path::new(&elsewhere));
    }
    if !can_be_had() {
        return;
    }
    let [small, elsewhere] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let mut again = Command::new(env::current_exe().unwrap());
    let own = "documents::full_disk::an_extraction_waits_for_room_in_the_database";
    again.args(["--exact", own, "--nocapture"]);
    again.env(ELSEWHERE, elsewhere.path()).env("TMPDIR", small.path());
    again.env("BOTYARD_TEST_LOGS", elsewhere.path());
    let output = on_small_disk(small.path(), "24m", &again).output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

fn on_the_disk_of_the_database(elsewhere: &Path) {
    let data = elsewhere.join("data");
    let data = ("DATA_DIR", data.to_str().unwrap());
    let settings = [data, ("EXTRACTION__WAIT", "0s"), ("JOBS__LEASE", "1s")];
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
