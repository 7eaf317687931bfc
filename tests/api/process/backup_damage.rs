//! Backups that are damaged, killed half-way or incomplete: they are found out, and nothing is restored of them.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use botyard_tests::waiting::until;
use botyard_tests::{Database, Installation, each_database};
use tempfile::TempDir;

use super::backup::{
    backup, file_below, is_consistent, other, path_of, place, restored, with_path,
};
use super::command::botyard;
use super::setup::text;

fn flip(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(path, bytes).expect("it is changed");
}

each_database! {
    fn what_is_killed_half_way_is_no_backup_and_no_installation(database: Database) {
        let installation = Installation::new(database);
        botyard(&installation, &["seed", "--json"]).done();
        let place = place();
        let mut make = installation.command(&[]);
        let in_place = || fs::read_dir(place.path()).unwrap().count();
        make.arg("backup").arg(place.path());
        assert!(killed_at_each_step(&mut make, in_place) > 0);
        // What is listed without a fault is whole, and nothing can be made of the rest.
        let path = place.path().to_str().unwrap();
        let made = backup(&installation, place.path());
        let listed = botyard(&installation, &["backup", "list", path, "--json"]).json();
        let (whole, unfinished): (Vec<_>, Vec<_>) =
            listed.as_array().unwrap().iter().partition(|backup| backup["fault"].is_null());
        for backup in whole {
            let folder = place.path().join(text(&backup["name"]));
            let whole = with_path(&installation, &["backup", "verify"], &folder);
            assert!(whole.done().starts_with("whole"), "{whole:?}");
        }
        for backup in unfinished {
            let folder = place.path().join(text(&backup["name"]));
            with_path(&Installation::empty(database), &["restore"], &folder).failed();
        }
        is_consistent(&restored(other(database), &path_of(&made)));

        // A restore puts the database last, and as a whole.
        let mut killed = 0;
        for _ in 0..5 {
            let copy = Installation::empty(database);
            let mut restore = copy.command(&[]);
            restore.arg("restore").arg(path_of(&made));
            let files = || fs::read_dir(copy.data_dir()).unwrap().count();
            killed += killed_at_each_step(&mut restore, files);
            let checked = botyard(&copy, &["check", "--content"]);
            assert!(checked.says("nothing is wrong: ") || checked.says("there is no database yet"), "{checked:?}");
        }
        assert!(killed > 0);
    }
}

/// Runs a command several times, and kills it when there are more files than before: when the first comes, when the
/// second comes, and so on. Returns how often it was still running then.
fn killed_at_each_step(command: &mut Command, files: impl Fn() -> usize) -> usize {
    let command = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut killed = 0;
    for step in 1..=4 {
        let before = files();
        let mut child = command.spawn().expect("the binary can be started");
        until("it is on its way", || {
            files() >= before + step || child.try_wait().expect("it was started").is_some()
        });
        // It may have ended by itself.
        let _ = child.kill();
        killed += usize::from(child.wait().expect("it was started").signal().is_some());
    }
    killed
}

/// A backup of samples.
fn of_samples() -> (Installation, TempDir, PathBuf) {
    let installation = Installation::new(Database::Sqlite);
    botyard(&installation, &["seed", "--json"]).done();
    let place = place();
    let made = path_of(&backup(&installation, place.path()));
    (installation, place, made)
}

#[test]
fn damage_of_a_backup_is_found_and_nothing_is_restored_of_it_sqlite() {
    type Damage = fn(&Path, &Path);
    let damages: [(&str, Damage); 6] = [
        ("is damaged", |place, _| flip(&file_below(&place.join("files"), ""))),
        ("is missing", |place, _| fs::remove_file(file_below(&place.join("files"), "")).unwrap()),
        ("database.sqlite is damaged", |_, made| flip(&made.join("database.sqlite"))),
        ("database.sqlite", |_, made| fs::remove_file(made.join("database.sqlite")).unwrap()),
        ("manifest.jsonl is", |_, made| {
            let path = made.join("manifest.jsonl");
            let size = fs::metadata(&path).unwrap().len();
            File::options().write(true).open(path).unwrap().set_len(size - 100).unwrap();
        }),
        ("without it this is no backup", |_, made| {
            fs::remove_file(made.join("manifest.jsonl")).unwrap();
        }),
    ];
    for (reason, damage) in damages {
        let (installation, place, made) = of_samples();
        let whole = self::place();
        let whole_backup = path_of(&backup(&installation, whole.path()));
        damage(place.path(), &made);
        let found = with_path(&installation, &["backup", "verify"], &made);
        assert!(found.failed().contains(reason), "{reason}: {found:?}");
        let copy = Installation::empty(Database::Sqlite);
        let refused = with_path(&copy, &["restore"], &made);
        assert!(
            refused.failed().contains(reason.trim_start_matches("is ")),
            "{reason}: {refused:?}"
        );
        let left: Vec<_> = fs::read_dir(copy.data_dir())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert!(!left.iter().any(|name| name.to_string_lossy().contains("botyard.db")), "{left:?}");
        // It stays empty, so a backup that is whole can be restored there.
        assert!(with_path(&copy, &["restore"], &whole_backup).done().starts_with("restored  "));
        is_consistent(&copy);
    }
}

#[test]
fn a_backup_without_a_file_is_none_sqlite() {
    let (installation, place, _) = of_samples();
    let gone = file_below(&installation.data_dir().join("blobs"), "/document/");
    fs::remove_file(gone).unwrap();
    let elsewhere = self::place();
    let refused = with_path(&installation, &["backup"], elsewhere.path());
    assert!(refused.failed().contains("is not there"), "{refused:?}");
    let path = elsewhere.path().to_str().unwrap();
    assert_eq!(botyard(&installation, &["backup", "list", path]).done(), "");
    drop(place);
}
