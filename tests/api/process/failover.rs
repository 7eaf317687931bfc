//! A PostgreSQL that goes away, comes back, and takes no changes for a while. The server under test is never
//! restarted.

use std::fs;

use botyard_tests::waiting::until;
use botyard_tests::{Database, Installation, Response, Server};
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use serde_json::json;
use test_postgres::{Account, Cluster};

use super::setup::BOTS;
use super::wire::Wire;

/// A server on a PostgreSQL of its own.
struct Setting {
    server: Server,
    token: String,
    cluster: Cluster,
    _installation: Installation,
}

impl Setting {
    /// None where there are no programs to start one.
    fn new() -> Option<Self> {
        let programs = test_postgres::programs()?;
        let cluster = Cluster::start(&programs, Account::for_server().unwrap().as_ref()).unwrap();
        let installation = Installation::empty(Database::Sqlite);
        let url = cluster.url();
        let mut server = installation.serve_with(&[("DATABASE_URL", &url)], &["--seed"]);
        let line = server.printed().iter().find(|line| line.starts_with("token ")).unwrap();
        let token = line.split_whitespace().find(|word| word.starts_with("byp_")).unwrap();
        let token = token.to_owned();
        Some(Self { server, token, cluster, _installation: installation })
    }

    #[track_caller]
    fn ask(&self, method: &str, path: &str) -> Response {
        let mut wire = Wire::open(self.server.address()).unwrap();
        wire.set_project_token(&self.token);
        let body = (method == "POST").then(|| json!({"name": "Bot"}));
        wire.ask(method, path, body.as_ref()).unwrap()
    }

    /// Waits until changes are made, and the server says that it is ready.
    #[track_caller]
    fn recovers(&self) {
        until("changes are made again", || self.ask("POST", BOTS).status() == 200);
        until("it is ready", || self.ask("GET", "/readyz").status() == 200);
    }

    /// Waits until changes are refused, as `storage_unavailable` and nothing else, while reading goes on.
    #[track_caller]
    fn refuses_changes(&self) {
        until("changes are refused", || {
            let answer = self.ask("POST", BOTS);
            if answer.status() == 200 {
                return false;
            }
            answer.problem(503, "storage_unavailable");
            true
        });
        until("it is not ready", || self.ask("GET", "/readyz").status() == 503);
        until("it reads", || self.ask("GET", BOTS).status() == 200);
    }

    fn execute(&self, statements: &[&str]) {
        let mut session = PgConnection::establish(&self.cluster.url()).unwrap();
        for statement in statements {
            session.batch_execute(statement).unwrap();
        }
    }
}

#[test]
fn what_takes_no_changes_is_not_overruled_postgres() {
    let Some(setting) = Setting::new() else { return };
    setting.recovers();
    let on = "ALTER SYSTEM SET default_transaction_read_only = on";
    setting.execute(&[on, "SELECT pg_reload_conf()"]);
    setting.refuses_changes();
    let off = "ALTER SYSTEM RESET default_transaction_read_only";
    setting.execute(&[off, "SELECT pg_reload_conf()"]);
    setting.recovers();
}

#[test]
fn a_database_that_goes_away_comes_back_and_fails_over_postgres() {
    let Some(setting) = Setting::new() else { return };
    setting.recovers();
    setting.cluster.control(&["stop", "-m", "fast"]).unwrap();
    until("all is refused", || setting.ask("GET", "/readyz").status() == 503);
    for method in ["GET", "POST"] {
        setting.ask(method, BOTS).problem(503, "storage_unavailable");
    }
    setting.cluster.control(&["start"]).unwrap();
    setting.recovers();
    setting.cluster.control(&["restart", "-m", "immediate"]).unwrap();
    setting.recovers();
    // It comes back as one that only follows another, and is promoted later.
    setting.cluster.control(&["stop", "-m", "fast"]).unwrap();
    fs::write(setting.cluster.data().join("standby.signal"), "").unwrap();
    setting.cluster.control(&["start"]).unwrap();
    setting.refuses_changes();
    setting.cluster.control(&["promote"]).unwrap();
    setting.recovers();
}
