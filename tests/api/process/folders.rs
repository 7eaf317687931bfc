//! The data folder: made for its owner only, and for one server at a time.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use botyard_tests::{Database, Installation};

use super::command::run;
use super::setup::BOTS;
use super::wire::Wire;

fn mode(path: &Path) -> u32 {
    let metadata = fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    metadata.permissions().mode() & 0o777
}

#[test]
fn the_data_folder_is_made_and_no_other_account_can_read_it_sqlite() {
    let installation = Installation::new(Database::Sqlite);
    let folder = installation.data_dir().join("new");
    let settings = [("DATA_DIR", folder.to_str().unwrap()), ("DATABASE_URL", "")];
    let mut server = installation.serve(&settings);
    assert_eq!(mode(&folder), 0o700);
    let mut names = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode(&path), expected, "{}", path.display());
        names.push(path.file_name().unwrap().to_string_lossy().into_owned());
    }
    names.sort();
    let files = ["botyard.db", "botyard.db-shm", "botyard.db-wal", "botyard.lock"];
    let expected = [&["blobs"][..], &files, &["extractions", "secrets.key", "uploads"]].concat();
    assert_eq!(names, expected);
    assert_eq!(server.stop(), 0);
}

#[test]
fn files_have_folders_of_their_own_where_the_database_has_none_postgres() {
    let installation = Installation::new(Database::Postgres);
    let folder = installation.data_dir().join("new");
    let blobs = installation.data_dir().join("files");
    let url = format!("file:{}", blobs.display());
    let settings = [("DATA_DIR", folder.to_str().unwrap()), ("BLOB_URL", &url)];
    // Only the commands that have to do with files make folders.
    for arguments in [&["migrate"][..], &["project", "list"], &["job", "list"]] {
        run(installation.command(&settings).args(arguments)).done();
        assert!(!folder.exists() && !blobs.exists(), "{arguments:?}");
    }
    let mut server = installation.serve(&settings);
    assert_eq!([mode(&folder), mode(&folder.join("uploads")), mode(&blobs)], [0o700; 3]);
    // Several servers may share them.
    let mut second = installation.serve(&settings);
    assert_eq!([server.stop(), second.stop()], [0, 0]);
}

#[test]
fn a_folder_that_is_missing_is_named_sqlite() {
    let installation = Installation::new(Database::Sqlite);
    let there = installation.data_dir().to_str().unwrap();
    let missing = installation.data_dir().join("missing");
    let folder = missing.join("data");
    let database = format!("sqlite:{}", folder.join("botyard.db").display());
    let reason = format!("there is no folder {}", missing.display());
    for settings in [
        [("DATA_DIR", folder.to_str().unwrap()), ("DATABASE_URL", "")],
        [("DATA_DIR", there), ("DATABASE_URL", &database)],
    ] {
        for arguments in [
            &["serve"][..],
            &["seed"],
            &["migrate"],
            &["migrate", "--status"],
            &["project", "list"],
        ] {
            let ran = run(installation.command(&settings).args(arguments));
            assert!(ran.failed().ends_with(&reason), "{arguments:?}: {ran:?}");
        }
    }
    assert!(!missing.exists());
}

#[test]
fn a_second_server_on_the_same_folder_is_refused_sqlite() {
    let installation = Installation::new(Database::Sqlite);
    let mut first = installation.serve(&[]);
    let second = run(installation.command(&[]).arg("serve"));
    let reason = second.failed();
    assert!(reason.starts_with("another botyard serves from the folder "), "{reason}");
    assert!(reason.contains(&*installation.data_dir().to_string_lossy()), "{reason}");
    // The first has not noticed anything.
    let answer = Wire::open(first.address()).unwrap().ask("GET", BOTS, None).expect("an answer");
    answer.problem(401, "unauthenticated");
    assert_eq!(first.stop(), 0);
    assert_eq!(installation.serve(&[]).stop(), 0);
}

#[test]
fn a_second_server_on_the_same_database_is_refused_sqlite() {
    let installation = Installation::new(Database::Sqlite);
    let first = installation.serve(&[]);
    let other = installation.data_dir().join("other");
    let settings = [("DATA_DIR", other.to_str().unwrap())];
    let second = run(installation.command(&settings).arg("serve"));
    assert!(second.failed().starts_with("another botyard serves from the folder "), "{second:?}");
    drop(first);
}

#[test]
fn a_folder_is_free_again_after_its_server_was_killed_sqlite() {
    let installation = Installation::new(Database::Sqlite);
    installation.serve(&[]).kill();
    assert_eq!(installation.serve(&[]).stop(), 0);
}

#[test]
fn commands_work_beside_a_server_sqlite() {
    let installation = Installation::new(Database::Sqlite);
    let _server = installation.serve(&[]);
    for arguments in [&["migrate"][..], &["seed"], &["project", "list"], &["migrate", "--status"]] {
        run(installation.command(&[]).args(arguments)).done();
    }
}
