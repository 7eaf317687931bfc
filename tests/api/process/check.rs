//! `botyard check`: nothing is found where nothing is wrong, also beside a server at work, and every kind of damage
//! is found.

use std::collections::BTreeSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use botyard_tests::waiting::until;
use botyard_tests::{Database, Form, Installation, OnBot, TestApp, each_database};
use serde_json::{Value, json};

use super::check_damages::{WEBHOOK, damage_files, damages, disable_constraints};
use super::command::{Ran, botyard};
use super::setup::{BOTS, EndsOnDrop, NOBODY, id_of, members, migrated, text};

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
fn is_consistent(installation: &Installation) {
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
    fn nothing_is_found_in_a_consistent_installation(database: Database) {
        let installation = migrated(database);
        is_consistent(&installation);
        let installation = seeded(database);
        is_consistent(&installation);
        assert_eq!(check(&installation, &["--json"]).json(), json!([]));
        let mut server = installation.serve(&[]);
        is_consistent(&installation);
        assert_eq!(server.stop(), 0);
        is_consistent(&installation);
    }

    fn every_kind_of_damage_is_found(database: Database) {
        let installation = seeded(database);
        disable_constraints(&installation);
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
