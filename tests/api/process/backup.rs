//! `botyard backup` and `botyard restore`: what was acknowledged before a backup began is in it, whole, and a backup
//! that is not whole is found out.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use botyard_tests::waiting::until;
use botyard_tests::{Database, Form, Installation, OnBot, TestApp, each_database};
use s3_server::S3Server;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::command::{Ran, botyard, run};
use super::setup::{BOTS, EndsOnDrop, id_of, text};
use super::wire::Wire;

/// How many backups are made under load; more on request.
const ROUNDS: &str = "BOTYARD_TEST_BACKUPS";
const UPLOAD: &str = "/api/external/projectapi/doc/upload";
const FILES: &str = "/api/external/projectapi/doc/files";

/// Where backups go.
pub(super) fn place() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[track_caller]
pub(super) fn backup(installation: &Installation, place: &Path) -> Value {
    let to = place.to_str().expect("a path that is text");
    botyard(installation, &["backup", to, "--json"]).json()
}

pub(super) fn path_of(made: &Value) -> PathBuf {
    PathBuf::from(text(&made["path"]))
}

pub(super) fn with_path(installation: &Installation, command: &[&str], path: &Path) -> Ran {
    run(installation.command(&[]).args(command).arg(path))
}

/// A new installation on a database of this kind, made of a backup.
#[track_caller]
pub(super) fn restored(database: Database, backup: &Path) -> Installation {
    let installation = Installation::empty(database);
    let line = with_path(&installation, &["restore"], backup);
    assert!(line.done().starts_with("restored  "), "{line:?}");
    installation
}

#[track_caller]
pub(super) fn is_consistent(installation: &Installation) {
    let ran = botyard(installation, &["check", "--content"]);
    assert!(ran.done().starts_with("nothing is wrong: "), "{ran:?}");
}

pub(super) const fn other(database: Database) -> Database {
    match database {
        Database::Sqlite => Database::Postgres,
        Database::Postgres => Database::Sqlite,
    }
}

/// The rows of all tables, but those in which it is kept what a server does by itself, and who restored it. Ids and
/// times are alike on both databases only where they are counted.
fn rows(installation: &Installation) -> BTreeMap<String, i64> {
    let sql = installation.sql();
    let tables =
        sql.tables().into_iter().filter(|table| table != "jobs" && table != "audit_entries");
    let count = |table: &String| sql.number(&format!("SELECT count(*) AS value FROM {table}"));
    tables.map(|table| (table.clone(), count(&table))).collect()
}

/// A file below a folder whose path contains this.
pub(super) fn file_below(folder: &Path, part: &str) -> PathBuf {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().contains(part) {
                return path;
            }
        }
    }
    panic!("no {part} below {}", folder.display())
}

/// A client that uploads documents and writes into its bot, and keeps account of what was acknowledged.
fn work(bot: &OnBot<'_>, writer: usize, kept: &Mutex<Vec<(String, String)>>, is_over: &AtomicBool) {
    let mut number = 0;
    while !is_over.load(Ordering::SeqCst) {
        number += 1;
        let words =
            format!("{} {writer} {number} {}", bot.text("words"), "x".repeat(number % 7 * 5_000));
        let form = Form::new().file(&bot.text("words.txt"), "text/plain", words.as_bytes());
        let form = form.text("extract", if number % 3 == 0 { "true" } else { "false" });
        let made = bot.client.request("POST", UPLOAD).form(&form).send().ok();
        let id = id_of(&made["projectDoc"]);
        let _ = bot.put("", &json!({"botInstruction": number.to_string()})).ok();
        if number % 4 == 0 {
            // What goes is in no account.
            let _ = bot.client.delete(&format!("{FILES}/{id}")).ok();
        } else {
            kept.lock().unwrap().push((id, words));
        }
    }
}

each_database! {
    fn a_backup_under_load_restores_whole(database: Database) {
        let rounds = env::var(ROUNDS).map_or(2, |rounds| rounds.parse().expect("a number"));
        let app = TestApp::start(database, &[("BLOBS__GRACE", "1m")]);
        let place = place();
        let (kept, is_over) = (Mutex::new(Vec::new()), AtomicBool::new(false));
        let tenants: Vec<_> = (0..4).map(|_| app.tenant().with_project_token()).collect();
        let made: Vec<(PathBuf, Vec<(String, String)>)> = thread::scope(|scope| {
            let _over = EndsOnDrop(&is_over);
            for (writer, bot) in tenants.iter().enumerate() {
                let (kept, is_over) = (&kept, &is_over);
                scope.spawn(move || work(bot, writer, kept, is_over));
            }
            let made = (1..=rounds).map(|round: usize| {
                until("there is more", || kept.lock().unwrap().len() >= round * 10);
                let acknowledged = kept.lock().unwrap().clone();
                let ran = with_path(app.installation(), &["backup", "--json"], place.path());
                (path_of(&ran.json()), acknowledged)
            });
            made.collect()
        });
        for (round, (path, acknowledged)) in made.iter().enumerate() {
            assert!(with_path(app.installation(), &["backup", "verify"], path).done().starts_with("whole"));
            let kind = if round % 2 == 0 { database } else { other(database) };
            let copy = restored(kind, path);
            // The key is in no backup.
            assert!(botyard(&copy, &["check"]).found().starts_with("key_file "));
            assert!(botyard(&copy, &["serve"]).failed().starts_with("setting secrets.key_file: "));
            let key = app.installation().data_dir().join("secrets.key");
            fs::copy(key, copy.data_dir().join("secrets.key")).expect("the key is copied");
            is_consistent(&copy);
            let server = copy.serve(&[]);
            let mut wire = Wire::open(server.address()).expect("the server listens");
            for (id, words) in acknowledged {
                let rows = format!("SELECT count(*) AS value FROM documents WHERE id = '{id}'");
                assert_eq!(copy.sql().number(&rows), 1, "{id}");
                let hash = crate::fusion::sha256(words.as_bytes());
                let bytes = fs::read(file_below(&copy.data_dir().join("blobs"), &hash)).expect("a file");
                assert_eq!(bytes, words.as_bytes());
            }
            drop(wire.ask("GET", "/readyz", None).expect("an answer").ok());
        }
    }

    fn tokens_work_in_what_was_restored(database: Database) {
        let installation = Installation::new(database);
        let seeded = botyard(&installation, &["seed", "--json"]).json();
        let token = text(&seeded["tokens"][0]["token"]);
        let place = place();
        let made = backup(&installation, place.path());
        for kind in [database, other(database)] {
            let copy = restored(kind, &path_of(&made));
            assert_eq!(rows(&copy), rows(&installation));
            let audited = botyard(&copy, &["audit", "--json"]).json();
            let last = audited.as_array().expect("a list").last().expect("an entry");
            assert_eq!((text(&last["command"]), text(&last["resource"])), ("restore".to_owned(), "database".to_owned()));
            assert!(text(&last["subject"]).starts_with("backup of 2"), "{last}");
            is_consistent(&copy);
            let mut server = copy.serve(&[]);
            let mut wire = Wire::open(server.address()).expect("the server listens");
            wire.set_project_token(&token);
            let bots = wire.ask("GET", BOTS, None).expect("an answer").items();
            assert!(!bots.is_empty());
            assert_eq!(server.stop(), 0);
            is_consistent(&copy);
        }
    }

    fn the_next_backup_copies_what_is_new(database: Database) {
        let app = TestApp::start(database, &[]);
        let (installation, place) = (app.installation(), place());
        let bot = app.tenant().with_project_token();
        let upload = |words: &str| {
            let form = Form::new().file("words.txt", "text/plain", bot.text(words).as_bytes());
            id_of(&bot.client.request("POST", UPLOAD).form(&form).send().ok()["projectDoc"])
        };
        let first = upload("one");
        let made = [(); 2].map(|()| backup(installation, place.path()));
        let counts = |made: &Value| ["files", "newFiles"].map(|member| made[member].as_u64().unwrap());
        assert_eq!(made.each_ref().map(counts), [[1, 1], [1, 0]]);
        let _ = upload("two");
        let _ = bot.client.delete(&format!("{FILES}/{first}")).ok();
        let last = backup(installation, place.path());
        assert_eq!(counts(&last), [1, 1]);

        let path = place.path().to_str().unwrap();
        let listed = botyard(installation, &["backup", "list", path, "--json"]).json();
        let names: Vec<_> = listed.as_array().unwrap().iter().map(|listed| text(&listed["name"])).collect();
        let name = |made: &Value| path_of(made).file_name().unwrap().to_string_lossy().into_owned();
        assert_eq!(names, [name(&made[0]), name(&made[1]), name(&last)]);
        // Only this account can read them.
        for (file, mode) in [("", 0o700), ("manifest.jsonl", 0o600), ("database.sqlite", 0o600)] {
            let found = fs::metadata(path_of(&last).join(file)).expect("it is there").permissions();
            assert_eq!(found.mode() & 0o777, mode, "{file}");
        }

        // Files that are not botyard's, and one that an interrupted backup has left.
        let foreign = ["files/readme", "files/ab/words.txt", "files/archive/words.txt"];
        for folder in ["files/ab", "files/archive"] {
            fs::create_dir_all(place.path().join(folder)).unwrap();
        }
        for file in foreign {
            fs::write(place.path().join(file), "words").unwrap();
        }
        let hash = "cd".repeat(32);
        let unfinished = place.path().join(format!("files/cd/{hash}.part"));
        fs::create_dir_all(unfinished.parent().unwrap()).unwrap();
        fs::write(&unfinished, "wor").unwrap();
        let pruned = botyard(installation, &["backup", "prune", path, "--keep", "1", "--json"]).json();
        assert!(foreign.iter().all(|file| place.path().join(file).exists()));
        assert!(!unfinished.exists());
        assert_eq!(pruned["removed"], json!(names[..2]));
        assert_eq!(pruned["files"], json!(2));
        let whole = with_path(installation, &["backup", "verify"], &path_of(&last));
        assert!(whole.done().starts_with("whole"), "{whole:?}");
        assert_eq!(botyard(installation, &["backup", "list", path]).done().lines().count(), 1);
        // Without a complete backup it is unknown which files are needed.
        fs::remove_file(path_of(&last).join("manifest.jsonl")).unwrap();
        let refused = botyard(installation, &["backup", "prune", path, "--keep", "1"]);
        assert_eq!(refused.failed(), format!("there is no complete backup in {path}"));
        assert!(path_of(&last).join("database.sqlite").exists());
    }

    fn files_of_a_bucket_are_restored_into_another_one(database: Database) {
        let buckets = [(); 2].map(|()| S3Server::start());
        let in_bucket = |installation: &Installation, bucket: &S3Server, command: &[&str]| {
            let url = format!("s3://{}/prefix", bucket.bucket);
            let variables = bucket.variables();
            let mut settings = vec![("BLOB_URL", url.as_str())];
            settings.extend(variables.iter().map(|(name, value)| (name.as_str(), value.as_str())));
            run(installation.command(&settings).args(command))
        };
        let [first, second] = &buckets;
        let (installation, place) = (Installation::new(database), place());
        in_bucket(&installation, first, &["seed"]).done();
        let to = place.path().to_str().expect("a path that is text");
        let made = path_of(&in_bucket(&installation, first, &["backup", to, "--json"]).json());
        let restore = ["restore", made.to_str().expect("a path that is text")];
        let copy = Installation::empty(other(database));
        let refused = in_bucket(&copy, first, &restore);
        assert!(refused.failed().ends_with(" is not empty"), "{refused:?}");
        in_bucket(&copy, second, &restore).done();
        assert!(!first.keys().is_empty());
        assert_eq!(first.keys(), second.keys());
        let checked = in_bucket(&copy, second, &["check", "--content"]);
        assert!(checked.done().starts_with("nothing is wrong: "), "{checked:?}");
    }

    fn what_is_not_empty_is_not_restored_over(database: Database) {
        let installation = Installation::new(database);
        botyard(&installation, &["seed", "--json"]).done();
        let place = place();
        let made = path_of(&backup(&installation, place.path()));
        let before = rows(&installation);
        let refused = with_path(&installation, &["restore"], &made);
        assert!(refused.failed().contains(" is not empty") || refused.failed().contains("there already"), "{refused:?}");
        assert_eq!(rows(&installation), before);
        is_consistent(&installation);
        // The same where only what SQLite had not moved into the database is there.
        if database == Database::Sqlite {
            let copy = Installation::empty(database);
            let log = format!("{}-wal", copy.database_url().trim_start_matches("sqlite:"));
            fs::write(&log, "frames").expect("a file");
            let refused = with_path(&copy, &["restore"], &made);
            assert!(refused.failed().ends_with(&format!("{log} is left of another database")), "{refused:?}");
            // An empty file, made to set its mode, is none.
            fs::remove_file(&log).expect("it is there");
            fs::write(log.trim_end_matches("-wal"), "").expect("a file");
            with_path(&copy, &["restore"], &made).done();
            is_consistent(&copy);
        }
        // The same where only files are there.
        let copy = Installation::empty(database);
        let from = installation.data_dir().join("blobs");
        let files = copy.data_dir().join("blobs");
        assert!(Command::new("cp").arg("-r").args([from, files]).status().unwrap().success());
        let refused = with_path(&copy, &["restore"], &made);
        assert!(refused.failed().starts_with("setting blob_url: ") && refused.failed().ends_with(" is not empty"), "{refused:?}");
    }
}
