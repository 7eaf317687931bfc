//! `botyard remote`, against a server in another process. What it does goes through the API, so one database is enough.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use botyard_tests::{Database, Mint, TestApp, binary};
use serde_json::Value;
use tempfile::TempDir;

use super::command::{Ran, run};

/// A project on the server that the tests share, and a folder of files to work in.
struct Remote {
    address: String,
    token: String,
    bot: String,
    folder: TempDir,
}

impl Remote {
    fn new() -> Self {
        let app = TestApp::shared(Database::Sqlite);
        let tenant = app.tenant();
        let folder = TempDir::new().unwrap();
        for (name, text) in [
            ("hours.md", "# Hours\n\nFrom 9 to 17."),
            ("books/a.txt", "A book."),
            ("books/deep/b.txt", "Another book."),
            ("books/.hidden", "Not this one."),
        ] {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        symlink("../hours.md", folder.path().join("books/link.md")).unwrap();
        Self {
            address: app.server().url(),
            token: tenant.project_token(Mint::default()).secret().to_owned(),
            bot: tenant.bot().to_string(),
            folder,
        }
    }

    #[track_caller]
    fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(binary());
        command.arg("remote").args(arguments).current_dir(self.folder.path());
        let ran = run(command.env("ADDRESS", &self.address).env("PROJECT_TOKEN", &self.token));
        assert!(!ran.says(&self.token), "{arguments:?} shows the token");
        ran
    }

    #[track_caller]
    fn documents(&self) -> Vec<Value> {
        self.run(&["documents", "--json"]).json().as_array().unwrap().clone()
    }

    fn file(&self, name: impl AsRef<Path>) -> Option<String> {
        fs::read_to_string(self.folder.path().join(name)).ok()
    }
}

fn names(documents: &[Value]) -> Vec<&str> {
    documents.iter().map(|document| document["fileName"].as_str().unwrap()).collect()
}

#[test]
fn the_token_and_the_bots_are_shown() {
    let remote = Remote::new();
    let token = remote.run(&["token", "--json"]).json();
    assert_eq!(token["scheme"], "APIKeyHeaderProject");
    assert!(remote.run(&["token"]).done().contains("projectdoc:write"));
    let bots = remote.run(&["bots"]);
    assert!(bots.done().starts_with(&remote.bot), "{bots:?}");
}

#[test]
fn files_and_what_is_in_folders_become_documents() {
    let remote = Remote::new();
    let uploaded = remote.run(&["upload", "books", "hours.md", "--bot", &remote.bot]);
    let lines: Vec<_> = uploaded.done().lines().collect();
    assert!(
        matches!(lines[..], [a, b, c] if a.ends_with("1 chunks  a.txt") && b.ends_with("b.txt") && c.ends_with("hours.md")),
        "{lines:?}"
    );
    let documents = remote.documents();
    assert_eq!(names(&documents), ["a.txt", "b.txt", "hours.md"]);
}

#[test]
fn a_refused_file_does_not_stop_the_others() {
    let remote = Remote::new();
    fs::write(remote.folder.path().join("books/empty.txt"), "").unwrap();
    let ran = remote.run(&["upload", "books"]);
    let (printed, said) = ran.half_done();
    assert_eq!(printed.lines().count(), 2, "{ran:?}");
    assert!(said.starts_with("botyard: books/empty.txt: ") && said.lines().count() == 1, "{said}");
    let missing = remote.run(&["upload", "hours.md", "missing.md"]);
    let (printed, said) = missing.half_done();
    assert!(
        printed.ends_with("hours.md\n") && said.starts_with("botyard: missing.md: "),
        "{missing:?}"
    );
    assert_eq!(names(&remote.documents()), ["a.txt", "b.txt", "hours.md"]);
}

#[test]
fn a_file_that_is_there_can_be_skipped_or_replaced() {
    let remote = Remote::new();
    let size = |remote: &Remote| {
        let documents = remote.documents();
        assert_eq!(names(&documents), ["hours.md"]);
        documents[0]["size"].as_u64().unwrap()
    };
    remote.run(&["upload", "hours.md"]).done();
    let before = size(&remote);
    fs::write(remote.folder.path().join("hours.md"), "other").unwrap();
    remote.run(&["upload", "hours.md", "--on-duplicate", "skip"]).done();
    assert_eq!(size(&remote), before);
    fs::create_dir(remote.folder.path().join("copy")).unwrap();
    fs::write(remote.folder.path().join("copy/hours.md"), "third").unwrap();
    for what in ["skip", "replace"] {
        let refused = remote.run(&["upload", "hours.md", "copy", "--on-duplicate", what]);
        assert!(refused.failed().contains("have one name"), "{refused:?}");
    }
    remote.run(&["upload", "hours.md", "--on-duplicate", "replace"]).done();
    assert_eq!(size(&remote), 5);
}

#[test]
fn a_download_has_the_name_of_the_document_and_overwrites_nothing() {
    let remote = Remote::new();
    remote.run(&["upload", "hours.md"]).done();
    let id = remote.documents()[0]["_id"].as_str().unwrap().to_owned();
    let refused = remote.run(&["download", &id]);
    assert_eq!(refused.failed(), "hours.md is there already");
    fs::remove_file(remote.folder.path().join("hours.md")).unwrap();
    assert_eq!(remote.run(&["download", &id]).done(), "22 bytes in hours.md\n");
    assert_eq!(remote.file("hours.md").as_deref(), Some("# Hours\n\nFrom 9 to 17."));
    remote.run(&["download", &id, "--to", "books/copy.md"]).done();
    assert_eq!(remote.file("books/copy.md"), remote.file("hours.md"));
}

#[test]
fn why_it_failed_is_said_without_the_token() {
    let mut remote = Remote::new();
    remote.run(&["download", "01a2009b-547d-741c-8f60-e84cc2226cc6"]).failed();
    remote.token = "byp_wrong".to_owned();
    let refused = remote.run(&["bots"]);
    assert!(refused.failed().ends_with("(unauthenticated)"), "{refused:?}");
    remote.address = "http://127.0.0.1:9".to_owned();
    let unreachable = remote.run(&["bots"]);
    assert!(unreachable.failed().starts_with("no answer from the server: "), "{unreachable:?}");
    remote.address = "localhost".to_owned();
    assert!(remote.run(&["bots"]).failed().contains("http or https URL"));
    let mut command = Command::new(binary());
    let without = run(command.args(["remote", "bots"]).env_remove("PROJECT_TOKEN"));
    assert!(without.failed().contains("PROJECT_TOKEN"), "{without:?}");
    let mut command = Command::new(binary());
    let odd = OsStr::from_bytes(b"byp_secret\xa0");
    let odd = run(command.args(["remote", "bots"]).env("PROJECT_TOKEN", odd));
    assert!(
        odd.failed().contains("characters that no token has") && !odd.says("secret"),
        "{odd:?}"
    );
}
