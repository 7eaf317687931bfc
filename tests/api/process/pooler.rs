//! PostgreSQL behind PgBouncer, which gives each transaction whichever session is free.

use std::thread;

use botyard_tests::waiting::until;
use botyard_tests::{Database, Installation};
use serde_json::json;
use test_postgres::{Pooler, not_run};

use super::command::{botyard, run};
use super::setup::{BOTS, id_of, minted, project, text};
use super::wire::Wire;

/// Fewer than a node has, so that they are shared.
const SESSIONS: usize = 2;

/// A pooler before the server of an installation, and the address through it; none where it can't be had.
fn pooler(installation: &Installation) -> Option<(Pooler, String)> {
    let program = test_postgres::pgbouncer()?;
    let direct = installation.database_url();
    let port = direct.strip_prefix("postgres://postgres@127.0.0.1:");
    let port = port.and_then(|rest| rest.split('/').next()?.parse().ok());
    let Some(port) = port else {
        not_run("the PostgreSQL of these tests is not the throw-away one");
        return None;
    };
    let pooler = Pooler::start(&program, port, SESSIONS).unwrap();
    let url = test_databases::through(direct, pooler.port());
    Some((pooler, url))
}

#[test]
fn clients_are_served_on_shared_sessions_postgres() {
    let installation = Installation::empty(Database::Postgres);
    let Some((_pooler, url)) = pooler(&installation) else { return };
    let direct = installation.database_url();
    let server = installation.serve(&[("DATABASE_URL", &url), ("DATABASE__LISTEN_URL", direct)]);
    let project = project(&installation);
    let token = minted(&installation, &["--project", &project]);
    let (id, token) = (id_of(&token), text(&token["token"]));
    thread::scope(|scope| {
        for client in 0..8 {
            let (address, token) = (server.address(), &token);
            scope.spawn(move || {
                let mut wire = Wire::open(address).unwrap();
                wire.set_project_token(token);
                for number in 0..5 {
                    let body = json!({"name": format!("Bot {client} {number}")});
                    let bot = id_of(&wire.ask("POST", BOTS, Some(&body)).unwrap().ok());
                    let path = format!("{BOTS}/{bot}");
                    let change = json!({"temperature": 0.5});
                    let _ = wire.ask("PUT", &path, Some(&change)).unwrap().ok();
                    let read = wire.ask("GET", &path, None).unwrap().ok();
                    assert_eq!(read["temperature"], 0.5);
                }
            });
        }
    });
    let mut wire = Wire::open(server.address()).unwrap();
    wire.set_project_token(&token);
    assert_eq!(wire.ask("GET", BOTS, None).unwrap().ok().as_array().unwrap().len(), 40);
    // What another process changes is announced past the pooler.
    botyard(&installation, &["token", "revoke", &id]).done();
    until("the token is refused", || {
        let mut wire = Wire::open(server.address()).unwrap();
        wire.set_project_token(&token);
        wire.ask("GET", BOTS, None).unwrap().status() == 401
    });
}

#[test]
fn a_pooler_without_an_address_to_listen_at_is_refused_postgres() {
    let installation = Installation::new(Database::Postgres);
    let Some((_pooler, url)) = pooler(&installation) else { return };
    let settings = [("DATABASE_URL", url.as_str()), ("DATABASE__PREPARED_STATEMENTS", "false")];
    let ran = run(installation.command(&settings).args(["project", "list"]));
    assert!(
        ran.failed().contains("`database.listen_url` must lead to the same database"),
        "{ran:?}"
    );
    // Nor does another database do.
    let other = Installation::new(Database::Postgres);
    let settings = [("DATABASE_URL", url.as_str()), ("DATABASE__LISTEN_URL", other.database_url())];
    let ran = run(installation.command(&settings).args(["project", "list"]));
    assert!(
        ran.failed().contains("`database.listen_url` must lead to the same database"),
        "{ran:?}"
    );
}
