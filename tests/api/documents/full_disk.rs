//! A disk without room. It is a small one in memory, which the server alone sees; where nobody may make
//! such a thing, these tests are left out.

use std::path::Path;
use std::process::Command;

use botyard_tests::{Database, Form, TestApp, each_database};
use serde_json::Value;

use super::{
    FILES, UPLOAD, get, post, project, replace, settled, status, text_form, texts, upload_text,
};
use crate::skills::id;

/// Mounts a small disk in the place of a folder, and becomes the program behind it.
const MOUNT: &str = r#"
mkdir -p "$1" && mount -t tmpfs -o size=256k,mode=700 tmpfs "$1" || exit 1
shift
exec "$@""#;

/// A command in a view of the system in which this folder is on a small disk.
fn on_small_disk(folder: &Path, command: &Command) -> Command {
    let mut wrapped = Command::new("unshare");
    wrapped.args(["-rm", "sh", "-c", MOUNT, "sh"]).arg(folder);
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

/// A server whose folder of this name is on a small disk; `None` where that can't be had.
#[track_caller]
#[expect(clippy::print_stderr, reason = "whoever runs the tests shall know what was left out")]
fn start(database: Database, name: &str) -> Option<TestApp> {
    let folder = tempfile::tempdir().unwrap();
    let attempt = on_small_disk(folder.path(), &Command::new("true")).output();
    if !attempt.is_ok_and(|output| output.status.success()) {
        eprintln!("left out: nobody may mount a disk here");
        return None;
    }
    let settings = [("BLOBS__GRACE", "0s")];
    Some(TestApp::launch(database, &settings, |command| {
        let home = command.get_current_dir().unwrap().to_owned();
        on_small_disk(&home.join(name), &command)
    }))
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

each_database! {
    fn a_file_that_does_not_fit_is_refused_while_it_comes_in(database: Database) {
        large_is_refused(database, "uploads");
    }

    fn a_file_that_does_not_fit_into_its_place_is_refused(database: Database) {
        large_is_refused(database, "blobs");
    }
}
