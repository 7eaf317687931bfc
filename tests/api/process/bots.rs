//! `botyard bot`

use botyard_tests::{Installation, each_database};
use serde_json::{Value, json};

use super::command::botyard;
use super::setup::{NOBODY, id_of, members, migrated, text};

/// A database with bots of every kind and in every state, and the project that they are in.
fn seeded(installation: &Installation) -> String {
    text(&botyard(installation, &["seed", "--json"]).json()["projectId"])
}

/// Name, kind and state of the listed bots.
fn listed(installation: &Installation, flags: &[&str]) -> Vec<(String, String, String)> {
    let list = botyard(installation, &[&["bot", "list", "--json"], flags].concat()).json();
    let bots = list.as_array().unwrap().iter();
    bots.map(|bot| (text(&bot["name"]), text(&bot["kind"]), text(&bot["state"]))).collect()
}

/// The bot of that name.
fn called(installation: &Installation, project: &str, name: &str) -> Value {
    let list = botyard(installation, &["bot", "list", "--project", project, "--all", "--json"]);
    let list = list.json();
    let found = list.as_array().unwrap().iter().find(|bot| bot["name"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {list}")).clone()
}

each_database! {
    fn the_list_shows_what_the_api_finds_or_all_there_is(database: Database) {
        let installation = migrated(database);
        let project = seeded(&installation);
        let expected = [
            ("Ada, the support bot", "regular", "active"),
            ("Ben, the sales bot", "regular", "active"),
            ("Cleo, in the archive", "regular", "archived"),
            ("Dan, in the trash", "regular", "trashed"),
            ("A demo bot", "demo", "active"),
            ("A template bot", "template", "active"),
        ]
        .map(|(name, kind, state)| (name.to_owned(), kind.to_owned(), state.to_owned()));
        assert_eq!(listed(&installation, &["--project", &project]), expected[..2]);
        assert_eq!(listed(&installation, &["--project", &project, "--all"]), expected);

        let bot = called(&installation, &project, "Dan, in the trash");
        let shown = ["_id", "createdAt", "kind", "name", "projectId", "state", "updatedAt"];
        assert_eq!(members(&bot), shown);
        assert_eq!(bot["projectId"], json!(project));
        let ran = botyard(&installation, &["bot", "list", "--project", &project, "--all"]);
        let line = ran.done().lines().nth(3).expect("a line for each bot").to_owned();
        let words: Vec<_> = line.splitn(4, "  ").map(str::trim).collect();
        assert_eq!(words, [id_of(&bot).as_str(), "trashed", "regular", "Dan, in the trash"]);
        assert_eq!(ran.done().lines().count(), 6);
    }

    fn what_was_archived_or_trashed_comes_back(database: Database) {
        let installation = migrated(database);
        let project = seeded(&installation);
        for (name, flags) in
            [("Cleo, in the archive", &["--json"][..]), ("Dan, in the trash", &[])]
        {
            let before = called(&installation, &project, name);
            let id = id_of(&before);
            let ran = botyard(&installation, &[&["bot", "restore", &id], flags].concat());
            let after = called(&installation, &project, name);
            assert_eq!(after["state"], "active");
            assert!(after["updatedAt"].as_str() > before["updatedAt"].as_str(), "{after}");
            if flags.is_empty() {
                assert!(ran.done().starts_with(&id) && ran.done().contains("active"), "{ran:?}");
            } else {
                assert_eq!(ran.json(), after);
            }
            let entries = format!(
                "SELECT count(*) AS value FROM changelog_entries \
                 WHERE bot_id = '{id}' AND action = 'restore'"
            );
            assert_eq!(installation.sql().number(&entries), 1);
        }
        assert_eq!(listed(&installation, &["--project", &project]).len(), 4);
    }

    fn an_active_bot_can_not_be_restored(database: Database) {
        let installation = migrated(database);
        let project = seeded(&installation);
        for name in ["Ada, the support bot", "A demo bot"] {
            let before = called(&installation, &project, name);
            let ran = botyard(&installation, &["bot", "restore", &id_of(&before), "--json"]);
            let active = "the bot is active and can't be restored";
            assert_eq!(ran.failed_as_json(), json!([{"message": active}]));
            assert_eq!(called(&installation, &project, name), before);
        }
    }

    fn what_is_not_there_is_named(database: Database) {
        let installation = migrated(database);
        let restore = botyard(&installation, &["bot", "restore", NOBODY]);
        assert_eq!(restore.failed(), "bot not found");
        for flags in [&["--all"][..], &[]] {
            let list = ["bot", "list", "--project", NOBODY];
            let ran = botyard(&installation, &[&list, flags].concat());
            assert_eq!(ran.failed(), "project not found");
        }
    }
}

#[test]
fn what_is_typed_wrongly_is_explained() {
    let installation = Installation::new(botyard_tests::Database::Sqlite);
    for (arguments, word) in [
        (&["list"][..], "--project"),
        (&["list", "--project", "x"], "--project"),
        (&["list", "--project", NOBODY, "--trash"], "--trash"),
        (&["restore"], "<ID>"),
        (&["restore", "x"], "no _id"),
        (&["restore", NOBODY, NOBODY], NOBODY),
        (&["delete", NOBODY], "delete"),
    ] {
        let ran = botyard(&installation, &[&["bot"], arguments].concat());
        assert!(ran.misused().contains(word), "{ran:?}");
    }
}
