//! `botyard check`: nothing is found where nothing is wrong, also beside a server at work, and every kind of damage
//! is found.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use botyard_tests::waiting::until;
use botyard_tests::{Database, Form, Installation, OnBot, TestApp, each_database};
use serde_json::{Value, json};

use super::command::{Ran, botyard};
use super::setup::{BOTS, EndsOnDrop, NOBODY, id_of, members, migrated, text};

const OTHER: &str = "0190c7a0-2222-7222-8333-444455556666";
const WEBHOOK: &str = "0190c7a0-3333-7222-8333-444455556666";

/// A database with samples, and their files.
#[track_caller]
fn seeded(database: Database) -> Installation {
    let installation = Installation::new(database);
    botyard(&installation, &["seed", "--json"]).done();
    installation
}

#[track_caller]
fn check(installation: &Installation, flags: &[&str]) -> Ran {
    botyard(installation, &[&["check"], flags].concat())
}

#[track_caller]
fn is_sound(installation: &Installation) {
    let ran = check(installation, &["--content"]);
    let line = ran.done();
    assert!(line.starts_with("nothing is wrong: ") && line.lines().count() == 1, "{line}");
}

/// What a check finds.
#[track_caller]
fn findings(installation: &Installation, flags: &[&str]) -> Vec<Value> {
    let ran = check(installation, &[&["--json"], flags].concat());
    let found: Value = serde_json::from_str(ran.found()).expect("a list");
    found.as_array().expect("a list").clone()
}

fn kinds(found: &[Value]) -> BTreeSet<String> {
    found.iter().map(|finding| text(&finding["kind"])).collect()
}

/// The files of all blobs, sorted.
fn files(installation: &Installation) -> Vec<PathBuf> {
    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("the folder of files") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { below(&path, found) } else { found.push(path) }
        }
    }
    let mut found = Vec::new();
    below(&installation.data_dir().join("blobs"), &mut found);
    found.sort();
    found
}

/// Takes the database's own checks away for the connection of the test.
fn uncheck(installation: &Installation) {
    let sql = installation.sql();
    let _ = match installation.database() {
        Database::Sqlite => sql.execute("PRAGMA foreign_keys = OFF"),
        Database::Postgres => sql.execute("SET session_replication_role = replica"),
    };
}

/// One id of the rows for which a condition holds.
#[track_caller]
fn one(installation: &Installation, column: &str, from: &str) -> String {
    let sql = installation.sql();
    let column = sql.text_of(column);
    let found = sql.texts(&format!("SELECT {column} AS value FROM {from} ORDER BY 1"));
    found.first().unwrap_or_else(|| panic!("no {from}")).clone()
}

/// Damages of the database, each with the kind by which it is found. Ids that are not behind `id = ` are made by `id`.
fn damages(installation: &Installation) -> Vec<(&'static str, String)> {
    let id = |text: &str| installation.sql().id(text);
    let project = one(installation, "project_id", "website_crawls");
    let finished = one(installation, "bot_id", "website_crawls WHERE status = 'finished'");
    let hidden = one(installation, "id", "bots WHERE state = 'archived'");
    let spare = one(installation, "id", "bots WHERE state = 'trashed'");
    let first = |table: &str| one(installation, "id", table);
    let (document, view) = (first("documents"), first("fusion_views WHERE blob_id IS NOT NULL"));
    let of_document = one(installation, "blob_id", &format!("documents WHERE id = '{document}'"));
    let extracted = one(
        installation,
        "id",
        &format!("documents WHERE extraction_status = 'finished' AND id <> {}", id(&document)),
    );
    let (project, nobody, other) = (id(&project), id(NOBODY), id(OTHER));
    vec![
        (
            "file_unused",
            format!(
                "UPDATE fusion_views SET blob_id = NULL, file_name = NULL, file_mime_type = NULL, file_size = NULL, \
             file_sha256 = NULL, file_entries = NULL, file_uploaded_at = NULL WHERE blob_id = \
             (SELECT blob_id FROM fusion_views WHERE id = '{view}')"
            ),
        ),
        ("file_facts", format!("UPDATE documents SET size = size + 1 WHERE id = '{document}'")),
        (
            "file_being_removed",
            format!("UPDATE blobs SET state = 'deleting' WHERE id = '{of_document}'"),
        ),
        (
            "chunk_count",
            format!("UPDATE documents SET chunk_count = chunk_count + 1 WHERE id = '{document}'"),
        ),
        (
            "event_missing",
            format!(
                "DELETE FROM events WHERE project_id = {project} AND number = (SELECT max(number) - 1 FROM events \
             WHERE project_id = {project})"
            ),
        ),
        (
            "extraction_without_job",
            format!(
                "UPDATE documents SET extraction_status = 'queued', extraction_id = {nobody} WHERE id = '{extracted}'"
            ),
        ),
        (
            "chunks_unused",
            format!(
                "INSERT INTO chunks (id, project_id, extraction_id, number, char_start, char_end, size, text) \
             VALUES ({nobody}, {project}, {other}, 0, 0, 1, 1, 'a')"
            ),
        ),
        (
            "page_set_unused",
            format!(
                "INSERT INTO page_sets (id, project_id, created_at) VALUES ({nobody}, {project}, 1)"
            ),
        ),
        (
            "page_set_open",
            format!(
                "UPDATE page_sets SET sealed_at = NULL WHERE id = (SELECT page_set_id FROM website_crawls \
             WHERE status = 'finished' AND bot_id = '{finished}')"
            ),
        ),
        (
            "crawl_without_job",
            format!(
                "INSERT INTO page_sets (id, project_id, created_at) VALUES ({other}, {project}, 1)"
            ),
        ),
        (
            "crawl_without_job",
            format!(
                "INSERT INTO website_crawls (id, project_id, bot_id, page_set_id, url, depth, name, active, status, \
             pages_scraped, pages_failed, bytes, created_at, updated_at) VALUES ({nobody}, {project}, {}, {other}, \
             'http://127.0.0.1/', 0, 'Crawl', TRUE, 'queued', 0, 0, 0, 1, 1)",
                id(&finished)
            ),
        ),
        (
            "webhook_without_job",
            format!(
                "INSERT INTO webhooks (id, project_id, url, types, enabled, secret, cursor, created_at, updated_at) \
             VALUES ({}, {project}, 'http://127.0.0.1/', '[]', FALSE, {}, 0, 1, 1)",
                id(WEBHOOK),
                if installation.database() == Database::Sqlite { "x''" } else { "''" }
            ),
        ),
        (
            "users_without_removal",
            format!("UPDATE users SET removed_at = 1 WHERE bot_id = '{finished}'"),
        ),
        ("bot_without_teardown", format!("UPDATE bots SET removed_at = 1 WHERE id = '{hidden}'")),
        (
            "token_of_deleted_bot",
            format!(
                "INSERT INTO tokens (id, organisation_id, project_id, owner, bot_id, digest, last_four, name, scopes, \
             read_only, created_at) SELECT {nobody}, organisation_id, id, 'bot', {}, {}, 'abcd', 'Token', '', FALSE, 1 \
             FROM projects WHERE id = {project}",
                id(&hidden),
                if installation.database() == Database::Sqlite {
                    "zeroblob(32)"
                } else {
                    "decode(repeat('00', 32), 'hex')"
                },
            ),
        ),
        (
            "bot_without_config",
            format!("UPDATE bots SET large_config = {nobody} WHERE id = '{spare}'"),
        ),
        (
            "config_count",
            format!(
                "INSERT INTO large_configs (id, project_id, bots) VALUES ({other}, {project}, 5)"
            ),
        ),
        (
            "entry_without_bot",
            format!(
                "INSERT INTO keyval_entries (project_id, owner_id, user_id, type, key, id, created_at, updated_at, \
             accessed_at, value) VALUES ({project}, {nobody}, 'u', 't', 'k', {nobody}, 1, 1, 1, '1')"
            ),
        ),
        (
            "foreign_key",
            format!(
                "INSERT INTO max_age_rules (id, project_id, key_pattern, max_age_seconds, created_at, updated_at) \
             VALUES ({nobody}, {nobody}, '*', 1, 1, 1)"
            ),
        ),
        (
            "job_failed",
            format!(
                "INSERT INTO jobs (id, kind, subject, state, attempt, failures, run_at, created_at) \
             VALUES ({nobody}, 'teardown_bot', '{NOBODY}', 'failed', 1, 1, 1, 1)"
            ),
        ),
        (
            "job_without_subject",
            format!(
                "INSERT INTO jobs (id, kind, subject, state, attempt, failures, run_at, created_at) \
             VALUES ({other}, 'remove_blob', '{OTHER}', 'queued', 0, 0, 1, 1)"
            ),
        ),
    ]
}

/// A round of changes that leave something to be done later: files and texts that come and go, copies, crawls.
fn change_everything(bot: &OnBot<'_>, number: usize) {
    let words = format!("{} {number}", bot.text("words"));
    let form = Form::new().file(&bot.text("words.txt"), "text/plain", words.as_bytes());
    let project = "/api/external/projectapi";
    let upload = format!("{project}/doc/upload");
    let document = bot.client.request("POST", &upload).form(&form).send().ok();
    let copy = format!("{BOTS}/{}", id_of(&bot.post("/duplicate", &json!({})).ok()));
    let address = json!({"url": "http://site.invalid/"});
    let _ = bot.client.post(&format!("{copy}/embedding"), &address).ok();
    let crawl = id_of(&bot.post("/embedding", &address).ok());
    let document = id_of(&document["projectDoc"]);
    let _ = bot.client.delete(&format!("{project}/doc/files/{document}")).ok();
    let _ = bot.delete(&format!("/embedding/{crawl}")).ok();
    let _ = bot.client.delete_with(&copy, &json!({"mode": "delete"})).ok();
}

/// Damages files: one is removed, one grows, one changes, and one without a row is added. Those of damaged rows stay.
fn damage_files(installation: &Installation) {
    let of_others = "SELECT blob_id AS id FROM documents WHERE NOT EXISTS \
         (SELECT 1 FROM blobs WHERE blobs.id = documents.blob_id AND state = 'deleting')";
    let id = installation.sql().text_of("id");
    let whole =
        installation.sql().texts(&format!("SELECT {id} AS value FROM ({of_others}) AS others"));
    let mut files = files(installation);
    files.retain(|file| whole.iter().any(|id| file.to_string_lossy().ends_with(id.as_str())));
    let [gone, longer, changed, ..] = &files[..] else { panic!("too few files: {files:?}") };
    fs::remove_file(gone).expect("it goes");
    let bytes = fs::read(longer).expect("a file");
    fs::write(longer, [&bytes[..], b"!"].concat()).expect("it grows");
    let mut bytes = fs::read(changed).expect("a file");
    bytes[0] ^= 1;
    fs::write(changed, bytes).expect("it changes");
    let name = changed.file_name().expect("a name").to_string_lossy();
    let (hash, _) = name.split_once('-').expect("a hash");
    let unknown = changed.with_file_name(format!("{hash}-{NOBODY}"));
    fs::write(&unknown, b"nobody's").expect("a file");
    let now = fs::metadata(&unknown).and_then(|file| file.modified()).expect("its time");
    let long_ago = now - Duration::from_secs(3 * 60 * 60);
    File::options()
        .write(true)
        .open(unknown)
        .expect("a file")
        .set_modified(long_ago)
        .expect("its time");
}

/// What a job that `--repair` queues puts right, given a server, or is right at once.
const REPAIRED: [&str; 12] = [
    "bot_without_teardown",
    "chunks_unused",
    "crawl_without_job",
    "extraction_without_job",
    "file_unused",
    "file_without_row",
    "job_failed",
    "job_without_subject",
    "page_set_open",
    "page_set_unused",
    "token_of_deleted_bot",
    "users_without_removal",
];

each_database! {
    fn a_sound_installation_is_sound(database: Database) {
        let installation = migrated(database);
        is_sound(&installation);
        let installation = seeded(database);
        is_sound(&installation);
        assert_eq!(check(&installation, &["--json"]).json(), json!([]));
        let mut server = installation.serve(&[]);
        is_sound(&installation);
        assert_eq!(server.stop(), 0);
        is_sound(&installation);
    }

    fn every_kind_of_damage_is_found(database: Database) {
        let installation = seeded(database);
        uncheck(&installation);
        if database == Database::Sqlite {
            let _ = installation.sql().execute("DROP TRIGGER keyval_entries_have_their_bot");
        }
        let mut expected = BTreeSet::new();
        for (kind, statement) in damages(&installation) {
            let _ = installation.sql().execute(&statement);
            expected.insert(kind.to_owned());
        }
        damage_files(&installation);
        expected.extend(["file_missing", "file_size", "file_without_row"].map(str::to_owned));
        let found = findings(&installation, &[]);
        assert_eq!(kinds(&found), expected, "{found:#?}");
        assert_eq!(
            members(&found[0]),
            ["id", "kind", "message", "projectId", "repairable", "repaired"]
        );
        // The same as lines.
        let lines = check(&installation, &[]);
        assert_eq!(lines.found().lines().count(), found.len());
        for finding in &found {
            let parts = [&finding["kind"], &finding["id"], &finding["message"]].map(text);
            let is_there = lines.found().lines().any(|line| parts.iter().all(|part| line.contains(part)));
            assert!(is_there, "{finding} in {lines:?}");
        }
        expected.insert("file_content".to_owned());
        assert_eq!(kinds(&findings(&installation, &["--content"])), expected);

        let repaired = findings(&installation, &["--repair"]);
        for finding in &repaired {
            assert_eq!(finding["repairable"], finding["repaired"], "{finding}");
        }
        let audited = botyard(&installation, &["audit", "--json"]).json();
        let by_check = audited.as_array().expect("a list").iter().filter(|entry| entry["command"] == "check");
        let by_check: BTreeSet<_> = by_check.map(|entry| text(&entry["subject"])).collect();
        assert!(by_check.contains("repeating jobs") && by_check.contains(NOBODY), "{by_check:?}");
        let sql = installation.sql();
        let of_webhook = format!("FROM jobs WHERE kind = 'deliver_webhook' AND id = '{WEBHOOK}'");
        assert_eq!(sql.number(&format!("SELECT COUNT(*) AS value {of_webhook}")), 1);
        // Its secret can't be read, and so no server would start.
        let _ = sql.execute(&format!("DELETE FROM webhooks WHERE id = '{WEBHOOK}'"));
        let mut server = installation.serve(&[("BLOBS__GRACE", "0s")]);
        until("what can be repaired is", || {
            let left = kinds(&findings(&installation, &[]));
            REPAIRED.iter().all(|kind| !left.contains(*kind))
        });
        assert_eq!(server.stop(), 0);
    }

    fn nothing_is_found_beside_a_server_at_work(database: Database) {
        let app = TestApp::start(database, &[("BLOBS__GRACE", "0s")]);
        let installation = app.installation();
        let is_over = AtomicBool::new(false);
        let ran = thread::scope(|scope| {
            let _over = EndsOnDrop(&is_over);
            for writer in 0..4 {
                let (app, is_over) = (&app, &is_over);
                scope.spawn(move || {
                    let bot = app.tenant().with_project_token();
                    let mut number = writer * 1_000_000;
                    while !is_over.load(Ordering::SeqCst) {
                        number += 1;
                        change_everything(&bot, number);
                    }
                });
            }
            [(); 6].map(|()| check(installation, &[]))
        });
        for ran in ran {
            assert!(ran.done().starts_with("nothing is wrong: "), "{ran:?}");
        }
    }

    fn what_can_not_be_looked_at_is_no_finding(database: Database) {
        let installation = Installation::empty(database);
        let ran = check(&installation, &[]);
        assert!(ran.could_not_look().contains("there is no database yet"), "{ran:?}");
        let installation = seeded(database);
        fs::remove_dir_all(installation.data_dir().join("blobs")).expect("the folder goes");
        let ran = check(&installation, &[]);
        assert!(ran.could_not_look().starts_with("setting blob_url: "), "{ran:?}");
    }
}

#[test]
fn a_damaged_file_of_sqlite_is_found_and_nothing_else_is_looked_at_sqlite() {
    let installation = seeded(Database::Sqlite);
    let path = installation.data_dir().join("botyard.db");
    let mut bytes = fs::read(&path).expect("it can be read");
    // The last page. Without those at the beginning the file could not be opened.
    let from = bytes.len() - 8_192;
    bytes[from..].fill(0xAA);
    fs::write(&path, bytes).expect("it can be written");
    let found = findings(&installation, &[]);
    assert_eq!(kinds(&found), BTreeSet::from(["integrity".to_owned()]));
}
