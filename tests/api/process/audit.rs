//! `botyard audit`, and that the other commands leave their traces there.

use std::process::Command;

use botyard_tests::{Installation, audit, each_database};
use serde_json::{Value, json};

use super::command::{botyard, run};
use super::jobs::{LATE, QUEUED, insert};
use super::setup::{NOBODY, id_of, members, migrated, minted, organisation, text};

fn listed(installation: &Installation, flags: &[&str]) -> Vec<Value> {
    let list = botyard(installation, &[&["audit", "--json"], flags].concat()).json();
    list.as_array().unwrap_or_else(|| panic!("{list} is no list")).clone()
}

/// Command, resource and subject of each entry.
fn done(entries: &[Value]) -> Vec<[String; 3]> {
    let of = |entry: &Value| ["command", "resource", "subject"].map(|name| text(&entry[name]));
    entries.iter().map(of).collect()
}

fn id_command(flag: &str) -> String {
    let output = Command::new("id").arg(flag).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

each_database! {
    fn who_did_what_is_recorded(database: Database) {
        let installation = migrated(database);
        assert_eq!(listed(&installation, &[]), Vec::<Value>::new());
        assert_eq!(botyard(&installation, &["audit"]).done(), "");
        let owner = organisation(&installation, "Owner");
        let create = ["project", "create", "--name", "Project", "--json"];
        let project = id_of(&botyard(&installation, &create).json());
        let token = minted(&installation, &["--project", &project]);
        let revoke = ["token", "revoke", &id_of(&token)];
        let mut command = installation.command(&[]);
        run(command.args(revoke).env("SUDO_USER", "ada")).done();
        insert(&installation, NOBODY, "remove_blob", NOBODY, QUEUED, LATE);
        botyard(&installation, &["job", "retry", NOBODY]).done();
        // What fails and what only reads leaves none.
        botyard(&installation, &["token", "revoke", NOBODY]).failed();
        botyard(&installation, &["token", "list", "--project", &project]).done();

        let entries = listed(&installation, &[]);
        let expected = [
            ["organisation create", "organisation", &owner],
            ["project create", "project", &project],
            ["token mint", "token", &id_of(&token)],
            ["token revoke", "token", &id_of(&token)],
            ["job retry", "job", NOBODY],
        ];
        assert_eq!(done(&entries), expected);
        let minted = &entries[2];
        assert_eq!(
            members(minted),
            ["_id", "at", "command", "host", "resource", "subject", "sudoUser", "uid", "user"]
        );
        assert_eq!((text(&minted["user"]), minted["uid"].to_string()), (id_command("-un"), id_command("-u")));
        assert!(!text(&minted["host"]).is_empty());
        assert_eq!(minted["sudoUser"], Value::Null);
        assert_eq!(entries[3]["sudoUser"], json!("ada"));
        let shown = botyard(&installation, &["audit"]);
        let lines: Vec<_> = shown.done().lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[3].starts_with(&format!("{}  token revoke ", text(&entries[3]["at"]))), "{lines:?}");
        assert!(lines[3].contains(&id_of(&token)) && lines[3].ends_with("sudo ada"), "{lines:?}");
        assert!(!audit::has_token(shown.done()), "{shown:?}");

        // Since a time, or since so long ago.
        let at = text(&entries[3]["at"]);
        assert!(done(&listed(&installation, &["--since", &at])).contains(&done(&entries)[3]));
        assert!(!done(&listed(&installation, &["--since", &at])).contains(&done(&entries)[0]));
        assert_eq!(listed(&installation, &["--since", "1d"]), entries);
        assert_eq!(listed(&installation, &["--since", "2100-01-01T00:00:00Z"]), Vec::<Value>::new());
        let error = botyard(&installation, &["audit", "--since", "yesterday"]);
        assert!(error.misused().contains("it is no time like"), "{error:?}");
    }

    fn migrations_and_samples_are_recorded(database: Database) {
        let installation = Installation::empty(database);
        let applied = botyard(&installation, &["migrate", "--json"]).json();
        let names: Vec<_> = applied.as_array().unwrap().iter().map(|one| text(&one["name"])).collect();
        let entries = listed(&installation, &[]);
        let expected: Vec<_> =
            names.iter().map(|name| ["migrate", "database", name].map(str::to_owned)).collect();
        assert_eq!(done(&entries), expected);
        botyard(&installation, &["migrate"]).done();
        assert_eq!(listed(&installation, &[]), entries);

        let mut server = installation.serve_with(&[], &["--seed"]);
        assert_eq!(server.stop(), 0);
        let seeded = listed(&installation, &[]).split_off(entries.len());
        assert!(seeded.iter().all(|entry| entry["command"] == "serve"), "{seeded:?}");
        let tokens = seeded.iter().filter(|entry| entry["resource"] == "token");
        assert_eq!(tokens.count(), 3);
    }

    fn all_entries_are_listed(database: Database) {
        let installation = migrated(database);
        let sql = installation.sql();
        let number = match database {
            botyard_tests::Database::Sqlite => "printf('%012x', n)",
            botyard_tests::Database::Postgres => "lpad(to_hex(n), 12, '0')",
        };
        let id = sql.id_of(&format!("'00000000-0000-7000-8000-' || {number}"));
        sql.execute(&format!(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1234) \
             INSERT INTO audit_entries (id, at, command, uid, user_name, host, resource, subject) \
             SELECT {id}, n / 7, 'token mint', 1, 'u', 'h', 'token', CAST(n AS TEXT) FROM numbers"
        ));
        let subjects: Vec<_> = listed(&installation, &[]).iter().map(|one| text(&one["subject"])).collect();
        assert_eq!(subjects, (1..=1234).map(|n| n.to_string()).collect::<Vec<_>>());
    }
}
