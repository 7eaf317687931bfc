//! What is said about settings that are wrong, and what is never said.

use super::{load_from, row};
use crate::settings::DatabaseUrl;

#[test]
fn passwords_are_never_shown() {
    let url = "postgres://bo:hunter2@db/x";
    let loaded = load_from(&[], &[("BOTYARD_DATABASE_URL", url)], "").unwrap();
    assert_eq!(loaded.settings.database_url, DatabaseUrl::Postgres(url.to_owned()));
    assert_eq!(
        row(&loaded, "database_url"),
        ("postgres://bo:***@db/x", "variable BOTYARD_DATABASE_URL")
    );
    assert!(!format!("{loaded:?}").contains("hunter2"));

    let wrong = load_from(&["--database-url", "mysql://bo:hunter2@db"], &[], "").unwrap_err();
    assert_eq!(
        wrong,
        "setting database_url (flag --database-url): this is no database address; \
         write sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE"
    );
    let wrong = load_from(&["--blob-url", "s3://ada:hunter2@bucket"], &[], "").unwrap_err();
    assert_eq!(
        wrong,
        "setting blob_url (flag --blob-url): this is no place for files; \
         write file:PATH, s3://BUCKET or s3://BUCKET/PREFIX"
    );
    let wrong = load_from(&[], &[], "database_url = \"postgres://bo:hunter2@db").unwrap_err();
    assert!(wrong.starts_with("settings file botyard.toml, line 1: "), "{wrong}");
    assert!(!wrong.contains("hunter2"), "{wrong}");
}

#[test]
fn a_pooler_is_one_of_postgresql() {
    let listen = ("BOTYARD_DATABASE__LISTEN_URL", "postgres://bo:hunter2@db/x");
    let pooler = ("BOTYARD_DATABASE_URL", "postgres://bo:hunter2@pooler/x");
    let settings = |variables: &[_]| load_from(&[], variables, "").map(|loaded| loaded.settings);
    let pooled = settings(&[listen, pooler]).unwrap();
    assert_eq!(pooled.direct_url(), &DatabaseUrl::Postgres(listen.1.to_owned()));
    assert!(!pooled.database.prepares());
    let direct = settings(&[pooler]).unwrap();
    assert_eq!(direct.direct_url(), &DatabaseUrl::Postgres(pooler.1.to_owned()));
    assert!(direct.database.prepares());
    let prepares = ("BOTYARD_DATABASE__PREPARED_STATEMENTS", "true");
    assert!(settings(&[listen, pooler, prepares]).unwrap().database.prepares());
    for (variables, origin) in [
        (&[listen][..], listen.0),
        (&[pooler, ("BOTYARD_DATABASE__LISTEN_URL", "sqlite:x.db")], listen.0),
    ] {
        assert_eq!(
            settings(variables).unwrap_err(),
            format!(
                "setting database.listen_url (variable {origin}): this and database_url must both be addresses of \
                 PostgreSQL"
            )
        );
    }
}

#[test]
fn a_wrong_value_is_one_clear_line() {
    let variables = [("BOTYARD_LIMITS__JSON_BODY", "2MB")];
    assert_eq!(
        load_from(&[], &variables, "").unwrap_err(),
        "setting limits.json_body (variable BOTYARD_LIMITS__JSON_BODY): \"2MB\" is no size; \
         write a number of bytes or 64KiB, 100MiB, 50GiB"
    );
    for (file, error) in [
        (
            "\n[limits]\nqueue = 0\n",
            "setting limits.queue (file botyard.toml, line 3): \
             \"0\" is too small; it must be more than 0",
        ),
        (
            "cors.allowed_origins = [\"https://a.example\", \"*\"]",
            "setting cors.allowed_origins (file botyard.toml, line 1): \
             \"*\" stands for more than one website; name each origin exactly",
        ),
        (
            "trusted_proxies = \"10.0.0.1\"",
            "setting trusted_proxies (file botyard.toml, line 1): \
             \"10.0.0.1\" is no list; write [\"10.0.0.1\"]",
        ),
        (
            "limits = 5",
            "setting limits (file botyard.toml, line 1): \
             is a group of settings; write a table [limits]",
        ),
        (
            "[log.format]\nx = 1",
            "setting log.format (file botyard.toml, line 1): \
             this is no log format; write auto, text or json",
        ),
        (
            "fusion.package_types = [\"h5p\", \"SCORM\"]",
            "setting fusion.package_types (file botyard.toml, line 1): \
             \"SCORM\" is no package type; write 1 to 64 of the characters a-z, 0-9 and -",
        ),
        (
            "[crawler]\nallow_networks = [\"10.0.0.0/8\", \"intranet\"]",
            "setting crawler.allow_networks (file botyard.toml, line 2): \"intranet\" is no network; \
             write an address such as 10.0.0.7 or a range such as 10.0.0.0/8 or fd00::/8",
        ),
        (
            "crawler.user_agent = \"Mozilla/5.0\"",
            "setting crawler.user_agent (file botyard.toml, line 1): \"Mozilla/5.0\" does not name \
             botyard, which is who a robots.txt speaks to",
        ),
        (
            "trusted_proxies = [[\"10.0.0.1\"]]",
            "setting trusted_proxies (file botyard.toml, line 1): this is no network; write an \
             address such as 10.0.0.7 or a range such as 10.0.0.0/8 or fd00::/8",
        ),
    ] {
        assert_eq!(load_from(&[], &[], file).unwrap_err(), error);
    }
}

#[test]
fn all_violations_come_at_once() {
    let file = "nope = 1\nlisten = \"x\"\n";
    let errors = load_from(&["--http-workers=-1"], &[("BOTYARD_NOPE", "")], file).unwrap_err();
    let lines: Vec<_> = errors.lines().collect();
    assert_eq!(lines.len(), 4, "{errors}");
    assert_eq!(lines[0], "unknown setting nope (variable BOTYARD_NOPE)");
    assert_eq!(lines[1], "unknown setting nope (file botyard.toml, line 1)");
    assert!(
        lines[2].starts_with("setting listen (file botyard.toml, line 2): \"x\" is no address")
    );
    assert!(lines[3].starts_with("setting http.workers (flag --http-workers): \"-1\" is no whole"));
}

#[test]
fn an_unknown_name_in_the_file_is_named() {
    for (file, error) in [
        (
            "[limits]\njsonbody = 1",
            "unknown setting limits.jsonbody (file botyard.toml, line 2); \
             did you mean limits.json_body?",
        ),
        (
            "json_body = 1",
            "unknown setting json_body (file botyard.toml, line 1); did you mean limits.json_body?",
        ),
        ("[blub]\nx = 1", "unknown setting blub (file botyard.toml, line 1)"),
        ("[limits.deep]\nx = 1", "unknown setting limits.deep (file botyard.toml, line 1)"),
    ] {
        assert_eq!(load_from(&[], &[], file).unwrap_err(), error);
    }
}

#[test]
fn a_syntax_error_names_file_and_line() {
    for (file, line) in [("listen = \n", 1), ("\n\n[limits\n", 3), ("a = 1\na = 2", 2)] {
        let error = load_from(&[], &[], file).unwrap_err();
        let begin = format!("settings file botyard.toml, line {line}: ");
        assert!(error.starts_with(&begin), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn settings_fit_each_other() {
    for (given, error) in [
        (
            &["--auth-bot-header=x-project-api-key"][..],
            "setting auth.project_header (default): \"X-Project-Api-Key\" is auth.bot_header",
        ),
        (
            &["--model-sources-selfhosted=hosted"],
            "setting model_sources.selfhosted (flag --model-sources-selfhosted): \"hosted\" is",
        ),
        (
            &["--jobs-lease=999ms"],
            "setting jobs.lease (flag --jobs-lease): \"999ms\" is too short; the least is 1s",
        ),
        (
            &["--extraction-memory=255MiB"],
            "setting extraction.memory (flag --extraction-memory): \"255MiB\" is too small; the least",
        ),
        (
            &["--listen=1.2.3.4:5", "--metrics-listen=1.2.3.4:5"],
            "setting metrics.listen (flag --metrics-listen): \"1.2.3.4:5\" is listen as well",
        ),
    ] {
        let errors = load_from(given, &[], "").unwrap_err();
        assert!(errors.starts_with(error), "{errors}");
    }
    assert!(load_from(&["--listen=1.2.3.4:0", "--metrics-listen=1.2.3.4:0"], &[], "").is_ok());
}
