//! Which source wins, and what its values become.

use std::time::Duration;

use tempfile::TempDir;

use super::{load_from, load_in, row};
use crate::settings::{BlobUrl, DatabaseUrl, Loaded, LogFormat, table};

#[test]
fn the_defaults_fit() {
    let loaded = load_from(&[], &[], "").unwrap();
    let settings = &loaded.settings;
    assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(settings.database_url, DatabaseUrl::Sqlite("./data/botyard.db".into()));
    assert_eq!(settings.public_url, None);
    assert!(settings.trusted_proxies.is_empty() && settings.cors.allowed_origins.is_empty());
    assert_eq!(settings.auth.project_header, "X-Project-Api-Key");
    assert_eq!(settings.log.format, LogFormat::Auto);
    assert_eq!(settings.limits.json_body, 2 << 20);
    assert!(settings.crawler.allow_networks.is_empty());
    assert_eq!((settings.crawler.redirects, settings.crawler.time.as_secs()), (5, 3_600));
    assert_eq!(settings.limits.write_batch_time, Duration::from_millis(5));
    assert_eq!(loaded.rows.len(), table::SETTINGS.len());
    assert_eq!(row(&loaded, "database_url"), ("sqlite:./data/botyard.db", "default"));
    assert_eq!(row(&loaded, "blob_url"), ("file:./data/blobs", "default"));
    assert_eq!(settings.fusion.package_types, ["website", "webapp", "scorm", "h5p", "webgl"]);
}

#[test]
fn the_nearest_source_wins() {
    let file = "\
        data_dir = \"file\"\n\
        trusted_proxies = [\"10.0.0.1\", \"10.0.0.2\"]\n\
        shutdown.grace = \"1s\"\n";
    let variables = [
        ("BOTYARD_DATA_DIR", "variable"),
        ("BOTYARD_TRUSTED_PROXIES", "10.0.0.3"),
        ("BOTYARD_SHUTDOWN__GRACE", "2s"),
    ];
    let given = ["--data-dir=flag", "--trusted-proxies=10.0.0.4,10.0.0.5", "--shutdown-grace=3s"];
    let seen = |loaded: Loaded| {
        let settings = &loaded.settings;
        let places = ["data_dir", "trusted_proxies", "shutdown.grace"];
        (
            settings.data_dir.display().to_string(),
            settings.trusted_proxies.len(),
            settings.shutdown.grace.as_secs(),
            places.map(|name| row(&loaded, name).1.to_owned()),
        )
    };

    let (folder, proxies, grace, origins) = seen(load_from(&[], &[], "").unwrap());
    assert_eq!((folder.as_str(), proxies, grace), ("./data", 0, 20));
    assert_eq!(origins, ["default"; 3]);

    let (folder, proxies, grace, origins) = seen(load_from(&[], &[], file).unwrap());
    assert_eq!((folder.as_str(), proxies, grace), ("file", 2, 1));
    assert_eq!(origins, ["file botyard.toml"; 3]);

    let (folder, proxies, grace, origins) = seen(load_from(&[], &variables, file).unwrap());
    assert_eq!((folder.as_str(), proxies, grace), ("variable", 1, 2));
    let names = variables.map(|(name, _)| format!("variable {name}"));
    assert_eq!(origins, names);

    let (folder, proxies, grace, origins) = seen(load_from(&given, &variables, file).unwrap());
    assert_eq!((folder.as_str(), proxies, grace), ("flag", 2, 3));
    let names = ["data-dir", "trusted-proxies", "shutdown-grace"];
    assert_eq!(origins, names.map(|name| format!("flag --{name}")));
}

#[test]
fn an_empty_variable_is_an_empty_list() {
    let file = "trusted_proxies = [\"10.0.0.1\"]";
    let loaded = load_from(&[], &[("BOTYARD_TRUSTED_PROXIES", "")], file).unwrap();
    assert!(loaded.settings.trusted_proxies.is_empty());
    assert_eq!(row(&loaded, "trusted_proxies"), ("", "variable BOTYARD_TRUSTED_PROXIES"));
}

#[test]
fn database_files_and_keys_follow_the_data_folder() {
    let loaded = load_from(&["--data-dir", "/var/lib/botyard/"], &[], "").unwrap();
    let settings = &loaded.settings;
    assert_eq!(settings.database_url, DatabaseUrl::Sqlite("/var/lib/botyard/botyard.db".into()));
    assert_eq!(settings.blob_url, BlobUrl::Folder("/var/lib/botyard/blobs".into()));
    assert_eq!(settings.secrets.key_file.to_str(), Some("/var/lib/botyard/secrets.key"));

    let given = ["--data-dir=elsewhere", "--database-url=sqlite:x.db", "--blob-url=file:blobs"];
    let settings =
        load_from(&given, &[("BOTYARD_SECRETS__KEY_FILE", "keys")], "").unwrap().settings;
    assert_eq!(settings.secrets.key_file.to_str(), Some("keys"));
    assert_eq!(settings.database_url, DatabaseUrl::Sqlite("x.db".into()));
    assert_eq!(settings.blob_url, BlobUrl::Folder("blobs".into()));
}

#[test]
fn flags_that_lead_to_the_data_can_be_given_again() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("a.toml"), "database_url = \"postgres://a:pw@b/c\"").unwrap();
    let flags = |given: &[&str], variables: &[(&str, &str)]| {
        load_in(folder.path(), given, variables).unwrap().data_flags
    };
    assert!(flags(&[], &[("BOTYARD_CONFIG", "a.toml"), ("BOTYARD_DATA_DIR", "d")]).is_empty());
    let given = ["--data-dir=d e", "--listen=127.0.0.1:0", "--config", "a.toml"];
    assert_eq!(flags(&given, &[]), ["--config", "a.toml", "--data-dir", "d e"]);
    let given = ["--database-url", "postgres://a:pw@b/c"];
    assert_eq!(flags(&given, &[]), ["--database-url", "postgres://a:***@b/c"]);
}

#[test]
fn the_crawler_says_who_it_is_and_where_to_find_out_more() {
    let version = env!("CARGO_PKG_VERSION");
    let name = |flags: &[&str]| load_from(flags, &[], "").unwrap().settings.crawler.user_agent;
    assert_eq!(name(&[]), format!("botyard/{version}"));
    let url = "--public-url=https://bots.example.org";
    assert_eq!(name(&[url]), format!("botyard/{version} (+https://bots.example.org)"));
    let long = format!("{url}/{}", "x".repeat(256));
    assert_eq!(name(&[&long]), format!("botyard/{version}"));
    assert_eq!(name(&[url, "--crawler-user-agent=Botyard of ours"]), "Botyard of ours");
    // A invalid address is one error, not two.
    let errors = load_from(&["--public-url=ftp://x"], &[], "").unwrap_err();
    assert_eq!(errors.lines().count(), 1, "{errors}");
}

#[test]
fn plain_numbers_may_stand_in_the_file() {
    let file = "[limits]\njson_body = 1_000\nqueue = 0x10\nhandler_timeout = \"1m\"\n";
    let limits = load_from(&[], &[], file).unwrap().settings.limits;
    assert_eq!((limits.json_body, limits.queue), (1000, 16));
    assert_eq!(limits.handler_timeout, Duration::from_secs(60));
}

#[test]
fn a_file_that_is_named_must_exist() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("a.toml"), "data_dir = \"a\"").unwrap();
    std::fs::write(folder.path().join("b.toml"), "data_dir = \"b\"").unwrap();
    let variable = [("BOTYARD_CONFIG", "a.toml")];

    let loaded = load_in(folder.path(), &[], &variable).unwrap();
    assert_eq!(row(&loaded, "data_dir"), ("a", "file a.toml"));
    let loaded = load_in(folder.path(), &["--config", "b.toml"], &variable).unwrap();
    assert_eq!(row(&loaded, "data_dir"), ("b", "file b.toml"));
    let loaded = load_in(folder.path(), &[], &[("BOTYARD_CONFIG", "")]).unwrap();
    assert_eq!(row(&loaded, "data_dir"), ("./data", "default"));

    let missing = load_in(folder.path(), &["--config", "c.toml"], &[]).unwrap_err();
    assert!(
        missing.starts_with("settings file c.toml (flag --config) can't be read: "),
        "{missing}"
    );
}
