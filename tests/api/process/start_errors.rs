//! Whatever keeps a server from starting is said in one line, and the process ends.

use std::fs;
use std::net::TcpListener;

use botyard_tests::{Database, Installation, each_database};

use super::command::{Ran, botyard, run};

fn serve(installation: &Installation, settings: &[(&str, &str)]) -> Ran {
    run(installation.command(settings).arg("serve"))
}

/// What lies in the data folder.
fn left(installation: &Installation) -> Vec<String> {
    let entries = installation.data_dir().read_dir().expect("the data folder");
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<_> = names.collect();
    names.sort();
    names
}

each_database! {
    fn a_port_in_use_is_named_and_nothing_is_changed(database: Database) {
        let installation = Installation::empty(database);
        let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = taken.local_addr().unwrap().to_string();
        for (variable, setting) in [("LISTEN", "listen"), ("METRICS__LISTEN", "metrics.listen")] {
            let ran = serve(&installation, &[(variable, &address)]);
            let reason = ran.failed();
            assert!(reason.starts_with(&format!("setting {setting}: {address} ")), "{reason}");
            assert!(reason.contains("in use"), "{reason}");
        }
        let status = botyard(&installation, &["migrate", "--status"]);
        assert!(!status.done().contains("applied"), "{status:?}");
    }

    fn an_address_of_another_machine_is_named(database: Database) {
        let installation = Installation::empty(database);
        let ran = serve(&installation, &[("LISTEN", "192.0.2.1:8080")]);
        assert!(ran.failed().starts_with("setting listen: 192.0.2.1:8080 "), "{ran:?}");
    }
}

each_database! {
    fn a_place_of_files_that_can_not_be_used_is_named(database: Database) {
        let installation = Installation::empty(database);
        let file = installation.data_dir().join("file");
        fs::write(&file, "").unwrap();
        // Nothing can be made below a regular file, not even by root.
        let below = file.join("blobs");
        let missing = installation.data_dir().join("no/such/folder/blobs");
        for folder in [&file, &below, &missing] {
            let url = format!("file:{}", folder.display());
            for command in [&["serve"][..], &["serve", "--seed"], &["seed"]] {
                let ran = run(installation.command(&[("BLOB_URL", &url)]).args(command));
                let named = format!("the folder {} can't be ", folder.display());
                assert!(ran.failed().contains(&named), "{command:?}: {ran:?}");
                let above = folder.parent().unwrap();
                let is_named = ran.failed().ends_with(&format!("no folder {}", above.display()));
                assert_eq!(is_named, !above.exists(), "{command:?}: {ran:?}");
            }
            let status = ["migrate", "--status"];
            let ran = run(installation.command(&[("BLOB_URL", &url)]).args(status));
            assert!(!ran.done().contains("applied"), "nothing is changed: {ran:?}");
        }
        // Whatever has nothing to do with files works all the same.
        let url = format!("file:{}", below.display());
        for command in [&["migrate"][..], &["project", "list"], &["job", "list"]] {
            run(installation.command(&[("BLOB_URL", &url)]).args(command)).done();
        }
        assert!(!installation.data_dir().join("no").exists());
    }

    fn a_bucket_that_does_not_answer_is_named_without_the_credentials(database: Database) {
        let installation = Installation::empty(database);
        // This port was free a moment ago, and no process listens there any more.
        let closed = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr());
        let endpoint = format!("http://{}", closed.unwrap());
        let settings = [
            ("BLOB_URL", "s3://bucket/prefix"),
            ("AWS_ENDPOINT_URL", endpoint.as_str()),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ACCESS_KEY_ID", "an-access-key"),
            ("AWS_SECRET_ACCESS_KEY", "a-secret-key"),
        ];
        for command in [&["serve"][..], &["serve", "--seed"], &["seed"]] {
            let ran = run(installation.command(&settings).args(command));
            let reason = ran.failed();
            assert!(reason.starts_with("setting blob_url: s3://bucket/prefix: "), "{reason}");
            assert!(!reason.contains("an-access-key") && !reason.contains("a-secret"), "{reason}");
        }
        for command in [&["migrate"][..], &["project", "list"], &["job", "list"], &["config"]] {
            let ran = run(installation.command(&settings).args(command));
            assert!(!ran.done().contains("a-secret-key"), "{ran:?}");
        }
    }

    fn variables_that_lead_to_no_bucket_are_reported(database: Database) {
        let installation = Installation::empty(database);
        let settings = [
            ("BLOB_URL", "s3://bucket"),
            ("AWS_ENDPOINT_URL", "http://ada:pa55word@127.0.0.1:9"),
            ("AWS_ALLOW_HTTP", "true"),
        ];
        let ran = serve(&installation, &settings);
        let reason = ran.failed();
        assert!(reason.starts_with("setting blob_url: s3://bucket: the bucket can't be"), "{reason}");
        assert!(reason.contains("`AWS_…`") && !reason.contains("pa55word"), "{reason}");
    }
}

#[test]
fn a_server_that_does_not_answer_is_named_without_the_password_postgres() {
    let installation = Installation::empty(Database::Postgres);
    // This port was free a moment ago, and no process listens there any more.
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).unwrap();
    let url = format!("postgres://ada:pa55word@{closed}/botyard");
    for command in
        [&["serve"][..], &["serve", "--seed"], &["migrate"], &["seed"], &["project", "list"]]
    {
        let ran = run(installation.command(&[("DATABASE_URL", &url)]).args(command));
        let reason = ran.failed();
        assert!(reason.starts_with(&format!("postgres://ada@{closed}/botyard: ")), "{reason}");
        assert!(reason.contains("can't be reached") && !reason.contains("pa55word"), "{reason}");
    }
}

#[test]
fn a_database_that_the_server_does_not_have_is_named_postgres() {
    let installation = Installation::empty(Database::Postgres);
    let (server, own) = installation.database_url().rsplit_once('/').unwrap();
    let own = own.split('?').next().unwrap();
    let url = installation.database_url().replace(own, "botyard_nothing");
    assert!(url.starts_with(server));
    let ran = serve(&installation, &[("DATABASE_URL", &url)]);
    assert!(ran.failed().contains("database \"botyard_nothing\" does not exist"), "{ran:?}");
}

#[test]
fn a_mode_of_tls_that_does_not_exist_is_refused_postgres() {
    let installation = Installation::empty(Database::Postgres);
    let url = "postgres://ada:pa55word@127.0.0.1/botyard?sslmode=full";
    let ran = serve(&installation, &[("DATABASE_URL", url)]);
    let reason = ran.failed();
    assert!(reason.contains("`sslmode` must be disable, allow, prefer, "), "{reason}");
    assert!(!reason.contains("pa55word"), "{reason}");
}

#[test]
fn a_file_that_is_no_database_is_named_and_left_alone_sqlite() {
    let installation = Installation::empty(Database::Sqlite);
    let file = installation.data_dir().join("botyard.db");
    let junk = "This is a letter, and no database at all.\n".repeat(500);
    fs::write(&file, &junk).expect("the file is written");
    for command in [
        &["serve"][..],
        &["serve", "--seed"],
        &["migrate"],
        &["migrate", "--status"],
        &["project", "list"],
    ] {
        let ran = botyard(&installation, command);
        let reason = ran.failed();
        assert!(reason.contains(&*file.to_string_lossy()), "{reason}");
        assert!(reason.contains("file is not a database"), "{reason}");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), junk);
}

#[test]
fn a_database_that_was_cut_off_is_named_sqlite() {
    let installation = Installation::empty(Database::Sqlite);
    botyard(&installation, &["seed"]).done();
    let file = installation.data_dir().join("botyard.db");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, &whole[..whole.len() / 2]).unwrap();
    let ran = serve(&installation, &[]);
    assert!(ran.failed().contains(&*file.to_string_lossy()), "{ran:?}");
    assert!(ran.failed().contains("malformed"), "{ran:?}");
}

#[test]
fn a_database_in_a_folder_that_is_missing_is_not_made_sqlite() {
    let installation = Installation::empty(Database::Sqlite);
    let before = left(&installation);
    let path = installation.data_dir().join("no/such/folder/botyard.db");
    let url = format!("sqlite:{}", path.display());
    for command in [&["serve"][..], &["migrate"], &["seed"], &["project", "list"]] {
        let ran = run(installation.command(&[("DATABASE_URL", &url)]).args(command));
        let folder = installation.data_dir().join("no/such");
        assert!(ran.failed().contains(&*folder.to_string_lossy()), "{ran:?}");
    }
    let own = ["blobs", "botyard.lock", "uploads"];
    let new: Vec<_> =
        left(&installation).into_iter().filter(|name| !own.contains(&name.as_str())).collect();
    assert_eq!(new, before);
}

#[test]
fn a_data_folder_that_can_not_be_written_is_named_sqlite() {
    let installation = Installation::empty(Database::Sqlite);
    let file = installation.data_dir().join("file");
    fs::write(&file, "").unwrap();
    // Nothing can be made below a regular file, not even by root.
    for folder in [file.clone(), file.join("data")] {
        let folder = folder.to_str().unwrap();
        let settings = [("DATA_DIR", folder), ("DATABASE_URL", "")];
        for command in [&["serve"][..], &["migrate"], &["seed"], &["organisation", "list"]] {
            let ran = run(installation.command(&settings).args(command));
            assert!(ran.failed().contains(folder), "{command:?}: {ran:?}");
        }
    }
    assert_eq!(left(&installation), ["file"]);
}
