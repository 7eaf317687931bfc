//! Extractions that outlive the server which began them.

use std::net::SocketAddr;

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{Caller, Database, TestApp, each_database};
use serde_json::{Value, json};

use super::processes::{until_an_image_is_read, until_no_worker_is_left, workers};
use super::programs::{Programs, image, own_settings, start};
use super::{UPLOAD, at, chunks_at, get, id, is_going, post, project, status};
use crate::process::wire::Wire;

/// A document of a server that may go, and the token that reaches it.
struct Left {
    document: String,
    token: String,
    marker: String,
}

impl Left {
    /// One that is being read.
    #[track_caller]
    fn running(app: &TestApp) -> Self {
        let bot = project(app);
        let form = image("a.png", &bot.text("Words"));
        let document = id(&post(&bot.client, UPLOAD, &form).ok()["projectDoc"]);
        until("it runs", || status(&get(&bot.client, &document)) == "running");
        until_an_image_is_read(app);
        let Caller::Project(token) = bot.client.caller() else { panic!("a project token") };
        let (token, marker) = (token.secret().to_owned(), bot.tenant.marker().to_owned());
        Self { document, token, marker }
    }

    #[track_caller]
    fn ask(&self, address: SocketAddr, path: &str) -> Value {
        let mut wire = Wire::open(address).expect("the server listens");
        wire.set_project_token(&self.token);
        wire.ask("GET", path, None).expect("an answer").ok()
    }

    #[track_caller]
    fn ended(&self, address: SocketAddr) -> Value {
        eventually("the extraction ends", || {
            let document = self.ask(address, &at(&self.document));
            (!is_going(&document)).then_some(document)
        })
    }

    /// Waits until it has all of its chunks.
    #[track_caller]
    fn finishes(&self, address: SocketAddr) {
        let document = self.ended(address);
        assert_eq!(
            (status(&document), &document["extraction"]["error"]),
            ("finished", &Value::Null)
        );
        assert_eq!(document["extraction"]["chunkCount"], json!(1));
        let chunks = self.ask(address, &chunks_at(&self.document));
        assert_eq!(chunks[0]["text"], json!(format!("Words {}", self.marker)));
        assert_eq!(chunks.as_array().unwrap().len(), 1);
    }
}

each_database! {
    fn an_extraction_is_done_after_its_server_was_killed(database: Database) {
        let programs = Programs::that_wait();
        let mut app = start(database, &programs, &[]);
        let left = Left::running(&app);
        app.server_mut().kill();
        // The processes that read files for the server do not outlive it.
        until_no_worker_is_left(&app);
        let path = programs.and_others();
        let mut server = app.installation().serve(&own_settings(&path));
        assert_eq!(status(&left.ask(server.address(), &at(&left.document))), "running");
        until_an_image_is_read(&app);
        programs.release();
        left.finishes(server.address());
        assert_eq!(server.stop(), 0);
    }

    fn an_extraction_that_gets_nowhere_is_given_up(database: Database) {
        let programs = Programs::that_wait();
        let mut app = start(database, &programs, &[]);
        let left = Left::running(&app);
        app.server_mut().kill();
        let path = programs.and_others();
        let settings = own_settings(&path);
        for _ in 0..2 {
            until_no_worker_is_left(&app);
            let mut server = app.installation().serve(&settings);
            until_an_image_is_read(&app);
            server.kill();
        }
        let mut server = app.installation().serve(&settings);
        let document = left.ended(server.address());
        assert_eq!((status(&document), &document["extraction"]["error"]), ("failed", &json!("interrupted")));
        assert!(document["extraction"]["finishedAt"].is_string());
        assert_eq!(left.ask(server.address(), &chunks_at(&left.document)), json!([]));
        assert_eq!(server.stop(), 0);
    }

    fn a_server_that_is_stopped_gives_its_extraction_back(database: Database) {
        let programs = Programs::that_wait();
        // Within this lease no other server takes a job over that was not released.
        let mut app = start(database, &programs, &[("JOBS__LEASE", "1d")]);
        let left = Left::running(&app);
        assert_eq!(app.server_mut().stop(), 0);
        assert_eq!(workers(&app), Vec::<std::path::PathBuf>::new());
        let path = programs.and_others();
        let settings = [("PATH", path.as_str()), ("JOBS__LEASE", "1d")];
        let mut server = app.installation().serve(&settings);
        until_an_image_is_read(&app);
        programs.release();
        left.finishes(server.address());
        assert_eq!(server.stop(), 0);
    }
}

#[test]
fn another_server_takes_an_extraction_over_from_one_that_was_killed_postgres() {
    let programs = Programs::that_wait();
    let mut app = start(Database::Postgres, &programs, &[]);
    let left = Left::running(&app);
    let path = programs.and_others();
    let mut other = app.installation().serve(&own_settings(&path));
    app.server_mut().kill();
    programs.release();
    left.finishes(other.address());
    assert_eq!(other.stop(), 0);
}
