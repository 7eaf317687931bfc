//! When key-value entries were read last: each server collects it and writes it from time to time.

use std::net::SocketAddr;

use botyard_tests::waiting::until;
use botyard_tests::{Database, Installation, each_database};
use serde_json::{Value, json};

use super::setup::{project, project_token};
use super::wire::Wire;

const ENTRIES: &str = "/api/external/projectapi/keyval";
const OFTEN: [(&str, &str); 1] = [("CLEANUP__INTERVAL", "1s")];

/// A connection on which a project token is sent.
fn connect(address: SocketAddr, token: &str) -> Wire {
    let mut wire = Wire::open(address).expect("the server listens");
    wire.set_project_token(token);
    wire
}

fn ask(wire: &mut Wire, method: &str, path: &str, body: Option<&Value>) -> Value {
    wire.ask(method, &format!("{ENTRIES}{path}"), body).expect("an answer").ok()
}

fn put(wire: &mut Wire, key: &str) {
    let _ = ask(wire, "PUT", &format!("/u/t/{key}"), Some(&json!({"value": 1})));
}

fn keys(wire: &mut Wire) -> Vec<String> {
    let entries = ask(wire, "GET", "", None);
    let entries = entries.as_array().expect("a list");
    entries.iter().map(|entry| entry["key"].as_str().expect("a key").to_owned()).collect()
}

each_database! {
    fn the_last_accesses_are_written_before_the_end(database: Database) {
        let installation = Installation::new(database);
        let mut server = installation.serve(&[]);
        let token = project_token(&installation, &project(&installation));
        let mut wire = connect(server.address(), &token);
        put(&mut wire, "read");
        installation.sql().execute("UPDATE keyval_entries SET accessed_at = 1");
        assert_eq!(ask(&mut wire, "GET", "/u/t/read", None)["value"], 1);
        assert_eq!(server.stop(), 0);
        let late = "SELECT count(*) AS value FROM keyval_entries WHERE accessed_at > 1";
        assert_eq!(installation.sql().number(late), 1);
    }
}

#[test]
fn what_is_read_on_one_server_is_kept_by_the_others_postgres() {
    let installation = Installation::new(Database::Postgres);
    let (mut first, mut second) = (installation.serve(&OFTEN), installation.serve(&OFTEN));
    let token = project_token(&installation, &project(&installation));
    let mut here = connect(first.address(), &token);
    let mut there = connect(second.address(), &token);
    for key in ["read-here", "read-there", "read-nowhere"] {
        put(&mut here, key);
    }
    let rule = json!({"keyPattern": "read-*", "maxAgeSeconds": 1});
    let _ = ask(&mut here, "POST", "/maxage", Some(&rule));
    // Which of the two cleans up is up to them, so they do it for a while.
    for round in ["first", "second", "third"] {
        until(round, || {
            let _ = ask(&mut here, "GET", "/u/t/read-here", None);
            let _ = ask(&mut there, "GET", "/u/t/read-there", None);
            keys(&mut here) == ["read-here", "read-there"]
        });
        put(&mut here, "read-nowhere");
    }
    until("what is read no more is gone", || keys(&mut here).is_empty());
    for server in [&mut first, &mut second] {
        assert_eq!(server.stop(), 0);
    }
}
