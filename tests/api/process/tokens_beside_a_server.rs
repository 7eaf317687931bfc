//! What commands do to tokens and bots, a running server minds.

use std::net::SocketAddr;

use botyard_tests::waiting::until;
use botyard_tests::{Database, Installation, Response, each_database};
use serde_json::{Value, json};

use super::command::botyard;
use super::setup::{BOT, bot, bot_token, id_of, minted, project, project_token, text};
use super::wire::Wire;

const CHECKAUTH: &str = "/api/external/checkauth";
const PROJECT_CHECKAUTH: &str = "/api/external/projectapi/checkauth";

/// Asks with a project token on a new connection.
#[track_caller]
fn as_project(address: SocketAddr, token: &str) -> Response {
    let mut wire = Wire::open(address).expect("the server listens");
    wire.set_project_token(token);
    wire.ask("GET", PROJECT_CHECKAUTH, None).expect("an answer")
}

/// Asks with a bot token on a new connection.
#[track_caller]
fn as_bot(address: SocketAddr, token: &str, path: &str) -> Response {
    let mut wire = Wire::open(address).expect("the server listens");
    wire.set_bot_token(token);
    wire.ask("GET", path, None).expect("an answer")
}

#[track_caller]
fn delete(address: SocketAddr, token: &str, body: &Value) {
    let mut wire = Wire::open(address).expect("the server listens");
    wire.set_bot_token(token);
    let _ = wire.ask("DELETE", BOT, Some(body)).expect("an answer").ok();
}

#[track_caller]
fn refuses(address: SocketAddr, token: &str) {
    as_project(address, token).problem(401, "unauthenticated");
}

each_database! {
    fn a_minted_token_works_at_once(database: Database) {
        let installation = Installation::new(database);
        let server = installation.serve(&[]);
        let project = project(&installation);
        let mut bots = Vec::new();
        for _ in 0..3 {
            let minted = minted(&installation, &["--project", &project]);
            let token = text(&minted["token"]);
            let own = as_project(server.address(), &token).ok();
            assert_eq!((id_of(&own), text(&own["projectId"])), (id_of(&minted), project.clone()));
            bots.push(bot(server.address(), &token, "Bot"));
        }
        for bot in bots {
            let token = bot_token(&installation, &bot);
            assert_eq!(id_of(&as_bot(server.address(), &token, BOT).ok()), bot);
        }
    }

    fn a_revoked_token_is_refused_and_no_other(database: Database) {
        let installation = Installation::new(database);
        let server = installation.serve(&[]);
        let project = project(&installation);
        let [revoked, other] = [(); 2].map(|()| minted(&installation, &["--project", &project]));
        let [token, other] = [&revoked, &other].map(|minted| text(&minted["token"]));
        // The server has seen both, and remembers them.
        for token in [&token, &other] {
            let _ = as_project(server.address(), token).ok();
        }
        botyard(&installation, &["token", "revoke", &id_of(&revoked)]).done();
        until("the revoked token is refused", || {
            as_project(server.address(), &token).status() == 401
        });
        for _ in 0..20 {
            refuses(server.address(), &token);
            let _ = as_project(server.address(), &other).ok();
        }
    }

    fn a_token_that_was_minted_for_a_while_ends(database: Database) {
        let installation = Installation::new(database);
        let server = installation.serve(&[]);
        let project = project(&installation);
        // Longer where the machine is so slow that a second is over before the token is used.
        let token = ["1s", "4s", "16s"].into_iter().find_map(|time| {
            let minted = minted(&installation, &["--project", &project, "--expires-in", time]);
            let token = text(&minted["token"]);
            (as_project(server.address(), &token).status() == 200).then_some(token)
        });
        let token = token.expect("one of them was used in time");
        until("the token has ended", || as_project(server.address(), &token).status() == 401);
    }

    fn a_restored_bot_is_found_at_once(database: Database) {
        let installation = Installation::new(database);
        let server = installation.serve(&[]);
        let project_token = project_token(&installation, &project(&installation));
        let bot = bot(server.address(), &project_token, "Bot");
        let token = bot_token(&installation, &bot);
        for mode in ["archive", "trash"] {
            delete(server.address(), &token, &json!({"mode": mode}));
            as_bot(server.address(), &token, BOT).problem(404, "bot_not_found");
            let _ = as_bot(server.address(), &token, CHECKAUTH).ok();
            botyard(&installation, &["bot", "restore", &bot]).done();
            assert_eq!(id_of(&as_bot(server.address(), &token, BOT).ok()), bot);
        }
    }
}

#[test]
fn a_revoked_token_is_refused_by_every_server_on_the_database_postgres() {
    let installation = Installation::new(Database::Postgres);
    let servers = [installation.serve(&[]), installation.serve(&[])];
    let project = project(&installation);
    let revoked = minted(&installation, &["--project", &project]);
    let token = text(&revoked["token"]);
    for server in &servers {
        let _ = as_project(server.address(), &token).ok();
    }
    botyard(&installation, &["token", "revoke", &id_of(&revoked)]).done();
    for server in &servers {
        until("the revoked token is refused", || {
            as_project(server.address(), &token).status() == 401
        });
    }
    for server in servers.iter().cycle().take(20) {
        refuses(server.address(), &token);
    }
}

#[test]
fn a_token_that_one_server_saw_die_with_its_bot_is_refused_by_the_other_postgres() {
    let installation = Installation::new(Database::Postgres);
    let servers = [installation.serve(&[]), installation.serve(&[])];
    let project_token = project_token(&installation, &project(&installation));
    let bot = bot(servers[0].address(), &project_token, "Bot");
    let token = bot_token(&installation, &bot);
    for server in &servers {
        let _ = as_bot(server.address(), &token, CHECKAUTH).ok();
    }
    delete(servers[0].address(), &token, &json!({}));
    as_bot(servers[0].address(), &token, CHECKAUTH).problem(401, "unauthenticated");
    until("the other server refuses the token", || {
        as_bot(servers[1].address(), &token, CHECKAUTH).status() == 401
    });
}
