//! The keys with which secrets in the database are encrypted: the file, and the name of the key in the database.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use botyard_tests::{Installation, each_database};
use serde_json::{Value, json};

use super::command::{Ran, botyard, run};
use super::setup::text;

fn key_file(installation: &Installation) -> PathBuf {
    installation.data_dir().join("secrets.key")
}

/// How errors name the file.
fn named(installation: &Installation) -> String {
    format!("setting secrets.key_file: {}", key_file(installation).display())
}

#[track_caller]
fn served(installation: &Installation) {
    assert_eq!(installation.serve(&[]).stop(), 0);
}

/// The key that the installation names.
fn key_of(installation: &Installation) -> Option<String> {
    let keys = installation
        .sql()
        .texts("SELECT encryption_key AS value FROM installation WHERE encryption_key IS NOT NULL");
    keys.into_iter().next()
}

/// The lines of the file that are keys.
fn keys_in(installation: &Installation) -> Vec<String> {
    let text = fs::read_to_string(key_file(installation)).expect("the file of keys");
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

fn write_keys(installation: &Installation, keys: &[String]) {
    fs::write(key_file(installation), keys.join("\n")).expect("the file can be written");
}

#[track_caller]
fn rotate(installation: &Installation) -> Value {
    botyard(installation, &["secrets", "rotate", "--json"]).json()
}

#[track_caller]
fn is_refused(ran: &Ran, said: &str) {
    let reason = ran.failed();
    assert!(reason.starts_with(said) && reason.lines().count() == 1, "{ran:?}");
}

each_database! {
    fn a_server_without_the_key_of_its_database_does_not_start(database: Database) {
        let [installation, other] = [(); 2].map(|()| Installation::empty(database));
        for installation in [&installation, &other] {
            served(installation);
            served(installation);
            let mode = fs::metadata(key_file(installation)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
            assert_eq!(keys_in(installation).len(), 1);
        }
        let key = key_of(&installation).expect("a key");
        assert_ne!(Some(&key), key_of(&other).as_ref());
        let (file, elsewhere) = (key_file(&installation), installation.data_dir().join("elsewhere"));
        fs::rename(&file, &elsewhere).unwrap();

        let named = named(&installation);
        let missing = format!("{named}: the file is not there, with whose key {key} secrets in the database are encrypted; ");
        is_refused(&botyard(&installation, &["serve"]), &missing);
        assert!(!file.exists());
        fs::copy(key_file(&other), &file).unwrap();
        let lacks = format!("{named}: the key {key} is not in it, with which secrets in the database are encrypted; ");
        for command in [&["serve"][..], &["secrets", "rotate"]] {
            is_refused(&botyard(&installation, command), &lacks);
        }
        let found = botyard(&installation, &["check"]);
        assert!(found.found().starts_with("key_file ") && found.found().contains(&key), "{found:?}");
        // Whatever has nothing to do with secrets works all the same.
        botyard(&installation, &["project", "list"]).done();

        fs::rename(&elsewhere, &file).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        is_refused(&botyard(&installation, &["serve"]), &format!("{named}: its mode is 644, "));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        served(&installation);
        botyard(&installation, &["check"]).done();
        // Another place, where there is nothing yet, is not taken for the right one.
        let settings = [("SECRETS__KEY_FILE", elsewhere.to_str().unwrap())];
        let refused = run(installation.command(&settings).arg("serve"));
        is_refused(&refused, &format!("setting secrets.key_file: {}: the file is not there, ", elsewhere.display()));
    }

    fn a_rotation_replaces_the_key_beside_a_server(database: Database) {
        let installation = Installation::empty(database);
        let mut server = installation.serve(&[]);
        let (first, before) = (key_of(&installation), keys_in(&installation));
        let rotated = rotate(&installation);
        let second = key_of(&installation);
        assert_eq!(rotated, json!({"key": second, "previousKey": first, "secrets": 0}));
        assert_ne!(first, second);
        let after = keys_in(&installation);
        assert_eq!(after.len(), 1);
        assert_ne!(after, before);
        assert_eq!(server.stop(), 0);
        served(&installation);

        // Broken off after the file got the new key.
        write_keys(&installation, &[&after[..], &before].concat());
        let execute = |key: &Option<String>| {
            let key = key.as_ref().expect("a key");
            let _ = installation.sql().execute(&format!("UPDATE installation SET encryption_key = '{key}'"));
        };
        execute(&first);
        served(&installation);
        assert_eq!(rotate(&installation), rotated);
        assert_eq!(keys_in(&installation), after);
        // Broken off before the file lost the old one.
        write_keys(&installation, &[&after[..], &before].concat());
        served(&installation);
        assert_eq!(text(&rotate(&installation)["previousKey"]), second.unwrap());
        let last = keys_in(&installation);
        assert!(last.len() == 1 && !before.contains(&last[0]) && !after.contains(&last[0]), "{last:?}");
        served(&installation);

        let audited = botyard(&installation, &["audit", "--json"]).json();
        let audited = audited.as_array().unwrap().iter().filter(|entry| entry["resource"] == "key");
        let audited: Vec<_> = audited.map(|entry| (text(&entry["command"]), text(&entry["subject"]))).collect();
        assert_eq!(audited.len(), 3);
        assert_eq!(audited.last().unwrap(), &("secrets rotate".to_owned(), key_of(&installation).unwrap()));
    }

    fn a_lost_key_is_replaced_on_request(database: Database) {
        let installation = Installation::empty(database);
        served(&installation);
        let first = key_of(&installation);
        fs::remove_file(key_file(&installation)).unwrap();
        let missing = format!("{}: the file is not there, ", named(&installation));
        is_refused(&botyard(&installation, &["secrets", "rotate"]), &missing);
        assert!(!key_file(&installation).exists());
        let rotated = botyard(&installation, &["secrets", "rotate", "--lost"]);
        let second = key_of(&installation).expect("a key");
        let line = format!("key {second} instead of {}, secrets encrypted with it: 0\n", first.unwrap());
        assert_eq!(rotated.done(), line);
        served(&installation);
    }

    fn a_key_can_be_replaced_before_a_server_has_used_one(database: Database) {
        let installation = Installation::new(database);
        let rotated = rotate(&installation);
        assert_eq!(rotated, json!({"key": key_of(&installation), "previousKey": null, "secrets": 0}));
        served(&installation);
        assert_eq!(key_of(&installation).as_deref(), rotated["key"].as_str());
    }
}
