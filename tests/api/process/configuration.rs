//! Where settings come from, as `botyard config` shows it, and what is said of wrong ones.

use std::fs;

use botyard_tests::{Database, Installation};
use serde_json::{Value, json};

use super::command::{Ran, botyard, run};
use super::setup::members;

/// An installation with this settings file. No database is touched by any test here.
fn with_file(file: &str) -> Installation {
    let installation = Installation::new(Database::Sqlite);
    fs::write(installation.data_dir().join("botyard.toml"), file).expect("the file is written");
    installation
}

/// Runs a command with these variables.
fn with(installation: &Installation, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    run(installation.command(variables).args(arguments))
}

/// Value and origin of a setting.
fn setting(shown: &Value, name: &str) -> (String, String) {
    let rows = shown.as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == name);
    let row = row.unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(members(row), ["name", "origin", "value"]);
    let text = |member: &str| row[member].as_str().unwrap().to_owned();
    (text("value"), text("origin"))
}

fn found(value: &str, origin: &str) -> (String, String) {
    (value.to_owned(), origin.to_owned())
}

#[test]
fn a_flag_wins_over_a_variable_over_the_file_over_the_default() {
    let file = "[shutdown]\ngrace = \"1s\"\n\n[limits]\nqueue = 7\n";
    let name = "shutdown.grace";
    let shown = |file: &str, variables: &[(&str, &str)], flags: &[&str]| {
        let arguments = [&["config", "--json"], flags].concat();
        setting(&with(&with_file(file), variables, &arguments).json(), name)
    };
    let variable = [("SHUTDOWN__GRACE", "2s")];
    let flag = ["--shutdown-grace", "3s"];
    assert_eq!(shown("", &[], &[]), found("20s", "default"));
    assert_eq!(shown(file, &[], &[]), found("1s", "file botyard.toml"));
    assert_eq!(shown(file, &variable, &[]), found("2s", "variable BOTYARD_SHUTDOWN__GRACE"));
    assert_eq!(shown(file, &variable, &flag), found("3s", "flag --shutdown-grace"));
    assert_eq!(shown(file, &[], &flag), found("3s", "flag --shutdown-grace"));
    assert_eq!(shown("", &variable, &[]), found("2s", "variable BOTYARD_SHUTDOWN__GRACE"));
}

#[test]
fn each_setting_is_shown_once_by_name_value_and_origin() {
    let installation = with_file("[limits]\nqueue = 7\n");
    let shown = with(&installation, &[], &["config", "--json"]).json();
    assert_eq!(setting(&shown, "limits.queue"), found("7", "file botyard.toml"));
    assert_eq!(setting(&shown, "limits.json_body"), found("2MiB", "default"));
    assert_eq!(setting(&shown, "auth.bot_header"), found("X-Api-Key", "default"));
    assert_eq!(setting(&shown, "listen"), found("127.0.0.1:0", "variable BOTYARD_LISTEN"));

    let printed = with(&installation, &[], &["config"]);
    let rows = shown.as_array().unwrap();
    assert_eq!(printed.done().lines().count(), rows.len());
    for (line, row) in printed.done().lines().zip(rows) {
        let (name, rest) = line.split_once(' ').unwrap();
        let [value, origin] = ["value", "origin"].map(|member| row[member].as_str().unwrap());
        assert_eq!(name, row["name"].as_str().unwrap());
        assert_eq!(rest.trim_start(), format!("{value}  ({origin})").trim_start());
    }
}

#[test]
fn another_file_can_be_named() {
    let installation = with_file("listen = \"127.0.0.1:1\"\n");
    let other = installation.data_dir().join("other.toml");
    fs::write(&other, "trusted_proxies = [\"10.0.0.0/8\", \"192.0.2.7\"]\n").unwrap();
    let other = other.to_str().unwrap();
    for (variables, flags) in [
        (&[("CONFIG", other)][..], &[][..]),
        (&[], &["--config", other]),
        (&[("CONFIG", "nope")], &["--config", other]),
    ] {
        let arguments = [&["config", "--json"], flags].concat();
        let shown = with(&installation, variables, &arguments).json();
        let proxies = setting(&shown, "trusted_proxies");
        assert_eq!(proxies, found("10.0.0.0/8,192.0.2.7", &format!("file {other}")));
    }
    let missing = with(&installation, &[], &["config", "--config", "nope.toml"]);
    assert!(missing.failed().contains("nope.toml"), "{missing:?}");
    assert!(missing.failed().contains("--config"), "{missing:?}");
}

#[test]
fn passwords_are_masked() {
    let installation = with_file("");
    for (url, shown) in [
        ("postgres://ada:pa55word@db/botyard", "postgres://ada:***@db/botyard"),
        ("postgres://db/botyard?password=pa55word", "postgres://db/botyard?password=***"),
    ] {
        for flags in [&["config"][..], &["config", "--json"]] {
            let ran = with(&installation, &[("DATABASE_URL", url)], flags);
            assert!(ran.done().contains(shown) && !ran.done().contains("pa55word"), "{ran:?}");
        }
    }
}

#[test]
fn credentials_of_a_bucket_are_no_settings() {
    let installation = with_file("blob_url = \"s3://bucket/prefix\"\n");
    let variables = [("AWS_ACCESS_KEY_ID", "an-access-key"), ("AWS_SECRET_ACCESS_KEY", "pa55word")];
    for flags in [&["config"][..], &["config", "--json"]] {
        let ran = with(&installation, &variables, flags);
        let shown = ran.done();
        assert!(shown.contains("s3://bucket/prefix"), "{shown}");
        assert!(!shown.contains("an-access-key") && !shown.contains("pa55word"), "{shown}");
    }
    let ran = with(&installation, &[("BLOB_URL", "s3://ada:pa55word@bucket")], &["serve"]);
    let expected = "setting blob_url (variable BOTYARD_BLOB_URL): this is no place for files";
    assert!(ran.failed().starts_with(expected) && !ran.failed().contains("pa55word"), "{ran:?}");
}

#[test]
fn bounds_of_uploads_and_jobs_are_settings() {
    let installation = with_file("[jobs]\nworkers = 5\n\n[limits]\narchive = \"1MiB\"\n");
    let variables = [("FUSION__PACKAGE_TYPES", "h5p, scorm"), ("BLOBS__GRACE", "90d")];
    let shown = with(&installation, &variables, &["config", "--json", "--jobs-lease", "5s"]).json();
    for (name, value, origin) in [
        ("jobs.workers", "5", "file botyard.toml"),
        ("jobs.lease", "5s", "flag --jobs-lease"),
        ("blobs.grace", "90d", "variable BOTYARD_BLOBS__GRACE"),
        ("fusion.package_types", "h5p,scorm", "variable BOTYARD_FUSION__PACKAGE_TYPES"),
        ("limits.archive", "1MiB", "file botyard.toml"),
        ("limits.archive_entries", "10000", "default"),
        ("limits.archive_entry", "256MiB", "default"),
        ("limits.archive_total", "1GiB", "default"),
        ("limits.archive_ratio", "200", "default"),
        ("limits.archive_ratio_from", "10MiB", "default"),
        ("limits.archive_time", "30s", "default"),
        ("limits.blob_bytes_per_project", "50GiB", "default"),
        ("limits.uploads_per_project", "8", "default"),
        ("limits.upload_timeout", "10m", "default"),
        ("limits.form_parts", "16", "default"),
        ("limits.form_part_head", "8KiB", "default"),
        ("limits.form_text", "8KiB", "default"),
    ] {
        assert_eq!(setting(&shown, name), found(value, origin), "{name}");
    }
}

#[test]
fn an_unknown_variable_is_named() {
    let installation = with_file("");
    for (variable, expected) in [
        ("LISTN", "unknown setting listn (variable BOTYARD_LISTN); did you mean BOTYARD_LISTEN?"),
        ("NONSENSE", "unknown setting nonsense (variable BOTYARD_NONSENSE)"),
    ] {
        for command in [&["serve"][..], &["config"], &["migrate", "--status"], &["project", "list"]]
        {
            let ran = with(&installation, &[(variable, "1")], command);
            assert_eq!(ran.failed(), expected, "{command:?}");
        }
    }
}

#[test]
fn an_unknown_key_of_the_file_is_named_with_its_line() {
    for (file, expected) in [
        (
            "listen = \"127.0.0.1:0\"\n\nlistn = 1\n",
            "unknown setting listn (file botyard.toml, line 3); did you mean listen?",
        ),
        ("[limits]\nbots = 1\n", "unknown setting limits.bots (file botyard.toml, line 2)"),
        ("[limit]\nqueue = 1\n", "unknown setting limit"),
    ] {
        let ran = botyard(&with_file(file), &["serve"]);
        assert!(ran.failed().starts_with(expected), "{ran:?}");
    }
}

#[test]
fn a_wrong_value_is_named_with_its_place() {
    let name = "limits.keep_alive";
    for value in ["", "soon", "15", "0s", "-1s"] {
        let installation = with_file(&format!("[limits]\nkeep_alive = \"{value}\"\n"));
        let ran = botyard(&installation, &["serve"]);
        let place = format!("setting {name} (file botyard.toml, line 2): ");
        assert!(ran.failed().starts_with(&place), "{ran:?}");

        let installation = with_file("");
        let ran = with(&installation, &[("LIMITS__KEEP_ALIVE", value)], &["serve"]);
        let place = format!("setting {name} (variable BOTYARD_LIMITS__KEEP_ALIVE): ");
        assert!(ran.failed().starts_with(&place), "{ran:?}");

        let ran = botyard(&installation, &["serve", &format!("--limits-keep-alive={value}")]);
        let place = format!("setting {name} (flag --limits-keep-alive): ");
        assert!(ran.failed().starts_with(&place), "{ran:?}");
    }
}

#[test]
fn values_that_do_not_fit_each_other_are_named() {
    let installation = with_file("");
    for (variables, expected) in [
        ([("AUTH__BOT_HEADER", "X-Key"), ("AUTH__PROJECT_HEADER", "x-key")], "auth.project_header"),
        ([("LISTEN", "127.0.0.1:1"), ("METRICS__LISTEN", "127.0.0.1:1")], "metrics.listen"),
        ([("JOBS__LEASE", "1ms"), ("JOBS__WORKERS", "1")], "jobs.lease"),
        (
            [("MODEL_SOURCES__HOSTED", "a"), ("MODEL_SOURCES__SELFHOSTED", "a")],
            "model_sources.selfhosted",
        ),
    ] {
        let ran = with(&installation, &variables, &["serve"]);
        assert!(ran.failed().starts_with(&format!("setting {expected} (variable ")), "{ran:?}");
    }
}

#[test]
fn all_violations_are_reported_at_once_a_line_each() {
    let installation = with_file("nonsense = 1\nlisten = \"here\"\n[log]\nformat = \"xml\"\n");
    let variables = [("SHUTDOWN__GRACE", "soon"), ("LISTEN", "there")];
    let ran = with(&installation, &variables, &["serve"]);
    let lines = ran.reasons();
    for word in [
        "unknown setting nonsense",
        "setting listen",
        "setting log.format",
        "setting shutdown.grace",
    ] {
        let named: Vec<_> = lines.iter().filter(|line| line.starts_with(word)).collect();
        assert_eq!(named.len(), 1, "{word}: {ran:?}");
    }
    assert_eq!(lines.len(), 4, "{ran:?}");
}

#[test]
fn a_file_that_is_no_toml_is_named_with_the_line_but_not_with_what_stands_there() {
    let installation = with_file("listen = \"127.0.0.1:0\"\ndatabase_url = pa55word\n");
    let ran = botyard(&installation, &["serve"]);
    assert!(ran.failed().starts_with("settings file botyard.toml, line 2: "), "{ran:?}");
    assert!(!ran.failed().contains("pa55word"), "{ran:?}");
}

#[test]
fn database_files_and_keys_lie_in_the_data_folder_unless_they_are_set() {
    let installation = with_file("");
    let shown = with(
        &installation,
        &[("DATABASE_URL", ""), ("DATA_DIR", "elsewhere")],
        &["config", "--json"],
    );
    let shown = shown.json();
    let expected = json!("sqlite:elsewhere/botyard.db");
    assert_eq!(json!(setting(&shown, "database_url").0), expected);
    assert_eq!(setting(&shown, "blob_url"), found("file:elsewhere/blobs", "default"));
    assert_eq!(setting(&shown, "secrets.key_file"), found("elsewhere/secrets.key", "default"));
}

#[test]
fn a_settings_file_to_begin_with_is_printed_whatever_the_settings_are() {
    let installation = with_file("nonsense = 1\n");
    let printed = with(&installation, &[("NONSENSE", "1")], &["config", "--toml"]);
    let template = printed.done();
    assert!(template.contains("\n[limits]\n") && template.contains("\n#json_body = \"2MiB\"\n"));
    fs::write(installation.data_dir().join("botyard.toml"), template).unwrap();
    let shown = with(&installation, &[], &["config", "--json"]).json();
    assert_eq!(setting(&shown, "limits.json_body"), found("2MiB", "default"));
}
