//! `botyard copy`: from SQLite to PostgreSQL and back.

use std::path::Path;

use botyard_tests::{Database, Installation};
use serde_json::Value;

use super::command::{botyard, run};
use super::setup::{BOTS, id_of, migrated, project, project_token, text};
use super::wire::Wire;

const FILES: &str = "/api/external/projectapi/doc/files";

/// Asks a server that is started for it, which has its files and keys in this folder.
fn asked<const N: usize>(
    on: &Installation,
    data_dir: &Path,
    token: &str,
    paths: [&str; N],
) -> [Vec<u8>; N] {
    let url = format!("file:{}", data_dir.join("blobs").display());
    let keys = data_dir.join("secrets.key").display().to_string();
    let mut server = on.serve(&[("BLOB_URL", &url), ("SECRETS__KEY_FILE", &keys)]);
    let mut wire = Wire::open(server.address()).expect("the server listens");
    wire.set_project_token(token);
    let answers = paths.map(|path| {
        let answer = wire.ask("GET", path, None).expect("an answer");
        assert_eq!(answer.status(), 200, "{answer}");
        answer.bytes().to_vec()
    });
    assert_eq!(server.stop(), 0);
    answers
}

fn copy(on: &Installation, to: &Installation, flags: &[&str]) -> super::command::Ran {
    botyard(on, &[&["copy", "--to", to.database_url()], flags].concat())
}

#[test]
fn a_copy_on_another_database_goes_on_with_the_same_tokens_and_files_postgres() {
    let [first, second, third] =
        [Database::Sqlite, Database::Postgres, Database::Sqlite].map(Installation::empty);
    let seeded = botyard(&first, &["seed", "--json"]).json();
    let token = text(&seeded["tokens"][0]["token"]);
    let data_dir = first.data_dir();
    let [documents] = asked(&first, data_dir, &token, [FILES]);
    let documents: Value = serde_json::from_slice(&documents).unwrap();
    let file = format!("{FILES}/{}/download", id_of(&documents[0]));
    let paths = [BOTS, FILES, &file];
    let before = asked(&first, data_dir, &token, paths);

    let copied = copy(&first, &second, &["--json"]).json();
    let rows = |table: &str| {
        let mut all = copied.as_array().unwrap().iter();
        all.find(|row| row["table"] == table).unwrap()["rows"].as_u64().unwrap()
    };
    assert_eq!((rows("bots"), rows("documents")), (6, 5));
    let from = ["--from", second.database_url(), "--json"];
    let back = copy(&first, &third, &from).json();
    assert_eq!(back, copied);

    assert_eq!(asked(&second, data_dir, &token, paths), before);
    assert_eq!(asked(&third, data_dir, &token, paths), before);
}

#[test]
fn what_is_copied_is_shown_and_a_second_copy_is_refused_sqlite() {
    let [from, to] = [Database::Sqlite, Database::Sqlite].map(Installation::new);
    project(&from);
    let shown = copy(&from, &to, &[]);
    let lines: Vec<_> = shown.done().lines().map(str::trim_start).collect();
    assert!(lines.contains(&"1  organisations") && lines.contains(&"0  bots"), "{lines:?}");
    let again = copy(&from, &to, &[]);
    let expected =
        format!("{} is not empty: there are rows in the table organisations", to.database_url());
    assert_eq!(again.failed(), expected);
    let itself = copy(&from, &from, &[]);
    assert!(itself.failed().ends_with("can't be copied to itself"), "{itself:?}");
}

fn a_database_that_a_server_uses_is_copied_only_with_live(database: Database, said: &str) {
    let [from, to] = [migrated(database), Installation::empty(Database::Sqlite)];
    let token = project_token(&from, &project(&from));
    let mut server = from.serve(&[]);
    let refused = copy(&from, &to, &[]);
    assert!(refused.failed().contains(said), "{refused:?}");
    copy(&from, &to, &["--live"]).done();
    // Nor is the database of a server a target.
    let empty = migrated(Database::Sqlite);
    let refused = copy(&empty, &from, &["--live"]);
    assert!(
        refused.failed().contains("botyard serves") || refused.failed().contains("is in use"),
        "{refused:?}"
    );
    assert_eq!(server.stop(), 0);
    let [bots] = asked(&to, from.data_dir(), &token, [BOTS]);
    assert_eq!(bots, b"[]");
}

#[test]
fn a_database_that_a_server_uses_is_copied_only_with_live_sqlite() {
    a_database_that_a_server_uses_is_copied_only_with_live(Database::Sqlite, "or say --live");
}

#[test]
fn a_database_that_a_server_uses_is_copied_only_with_live_postgres() {
    a_database_that_a_server_uses_is_copied_only_with_live(
        Database::Postgres,
        "is in use by a server",
    );
}

#[test]
fn addresses_that_are_none_are_wrong_usage() {
    let installation = Installation::empty(Database::Sqlite);
    for (arguments, word) in [
        (&["copy"][..], "--to"),
        (&["copy", "--to", "botyard.db"], "--to"),
        (&["copy", "--from", "mysql://db", "--to", "sqlite:x.db"], "--from"),
        (&["copy", "--to", "postgre://ada:pa55word@db/x"], "--to"),
    ] {
        let ran = run(installation.command(&[]).args(arguments));
        let said = ran.misused();
        assert!(said.contains(word) && !said.contains("pa55word"), "{ran:?}");
    }
}
