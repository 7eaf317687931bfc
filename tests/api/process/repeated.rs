//! Requests with keys that are repeated until each has its answer, while servers are killed and the database is
//! restarted: each takes effect once.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{Database, Installation, Server, at_once, each_database};
use diesel::prelude::*;
use serde_json::{Value, json};
use test_postgres::{Account, Cluster};

use super::setup::{BOTS, bot, project, project_token};
use super::wire::Wire;

const CLIENTS: usize = 64;

/// How many requests each client has answered: 12, or what `BOTYARD_TEST_REPEATED` says.
fn requests() -> usize {
    let said = std::env::var("BOTYARD_TEST_REPEATED");
    said.map_or(12, |said| said.parse().expect("a number"))
}

/// How often something breaks off meanwhile.
fn breaks() -> usize {
    (requests() / 3).clamp(4, 40)
}

/// Has all clients make skills of bots of their own, each request repeated until it has an answer. Between that,
/// `interrupt` is called again and again; requests go to what `address` says.
fn repeat_all(address: impl Fn() -> SocketAddr + Sync, token: &str, mut interrupt: impl FnMut()) {
    let answered = AtomicUsize::new(0);
    let all = CLIENTS * requests();
    let bot = || format!("{BOTS}/{}/skills", bot(address(), token, "Bot"));
    let paths: Vec<_> = (0..CLIENTS).map(|_| bot()).collect();
    thread::scope(|scope| {
        for (client, path) in paths.iter().enumerate() {
            let (address, answered) = (&address, &answered);
            scope.spawn(move || {
                let mut wire = None;
                for number in 0..requests() {
                    let name = format!("once {client}-{number}");
                    eventually("an answer", || {
                        let made = make(&mut wire, address(), (token, path), &name);
                        if !made {
                            wire = None;
                        }
                        made.then_some(())
                    });
                    answered.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for round in 1..=breaks() {
            let enough = all * round / (breaks() + 1);
            until("the clients are at work", || answered.load(Ordering::SeqCst) >= enough);
            interrupt();
        }
    });
}

/// Sends a request with a key; returns whether it was answered.
fn make(
    wire: &mut Option<Wire>,
    address: SocketAddr,
    (token, path): (&str, &str),
    name: &str,
) -> bool {
    let mut open = match wire.take() {
        Some(open) => open,
        None => match Wire::open(address) {
            Ok(open) => open,
            Err(_) => return false,
        },
    };
    open.set_project_token(token);
    let body = json!({"name": name}).to_string();
    let key = format!("Idempotency-Key: \"{}\"", name.replace(' ', "-"));
    let sent = open.send("POST", path, &[key], Some(&body)).is_ok();
    let Some(answer) = sent.then(|| open.read("POST", path).ok()).flatten() else { return false };
    match answer.status() {
        200 => {
            assert_eq!(answer.json()["name"], name);
            *wire = Some(open);
            true
        }
        409 => {
            answer.problem(409, "idempotency_in_progress");
            false
        }
        _ => {
            assert_eq!(answer.status(), 503, "{answer}");
            false
        }
    }
}

/// The skills, and their different names.
const COUNTS: [&str; 2] = [
    "SELECT count(*) AS value FROM skills WHERE name LIKE 'once %'",
    "SELECT count(DISTINCT name) AS value FROM skills WHERE name LIKE 'once %'",
];

#[track_caller]
fn assert_each_once(count: impl FnMut(&str) -> i64) {
    let all = (CLIENTS * requests()) as i64;
    assert_eq!(COUNTS.map(count), [all, all]);
}

each_database! {
    fn each_takes_effect_once_although_the_server_is_killed(database: Database) {
        let settings = [("LIMITS__CONTENT_PER_BOT", "0"), ("LOG__LEVEL", "error")];
        let installation = Installation::new(database);
        let server = installation.serve(&settings);
        let token = project_token(&installation, &project(&installation));
        let address = std::sync::Mutex::new(server.address());
        let mut server = Some(server);
        repeat_all(|| *address.lock().unwrap(), &token, || {
            if let Some(mut killed) = server.take() {
                killed.kill();
            }
            let next = installation.serve(&settings);
            *address.lock().unwrap() = next.address();
            server = Some(next);
        });
        drop(server);
        assert_each_once(|count| installation.sql().number(count));
    }
}

/// Sends a request until it is answered; returns what was answered, and whether it was answered before.
fn ask(address: SocketAddr, (token, path): (&str, &str), name: &str) -> (Value, bool) {
    eventually("an answer", || {
        let mut wire = Wire::open(address).ok()?;
        wire.set_project_token(token);
        let (body, key) = (json!({"name": name}).to_string(), format!("Idempotency-Key: {name}"));
        wire.send("POST", path, &[key], Some(&body)).ok()?;
        let answer = wire.read("POST", path).ok()?;
        if answer.status() == 409 {
            answer.problem(409, "idempotency_in_progress");
            return None;
        }
        Some((answer.ok(), answer.header("idempotency-replayed").is_some()))
    })
}

#[test]
fn one_of_many_on_two_nodes_takes_effect_postgres() {
    let installation = Installation::new(Database::Postgres);
    let settings = [("LOG__LEVEL", "error")];
    let nodes = [installation.serve(&settings), installation.serve(&settings)];
    let addresses = nodes.each_ref().map(Server::address);
    let token = project_token(&installation, &project(&installation));
    let path = format!("{BOTS}/{}/skills", bot(addresses[0], &token, "Bot"));
    for round in 0..10 {
        let name = format!("once-{round}");
        let answers = at_once(CLIENTS, |client| ask(addresses[client % 2], (&token, &path), &name));
        assert_eq!(answers.iter().filter(|(_, is_replayed)| !is_replayed).count(), 1);
        assert!(answers.iter().all(|(answer, _)| *answer == answers[0].0));
    }
    let made = "SELECT count(*) AS value FROM skills WHERE name LIKE 'once-%'";
    assert_eq!(installation.sql().number(made), 10);
}

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    value: i64,
}

#[test]
fn each_takes_effect_once_although_the_database_restarts_postgres() {
    let Some(programs) = test_postgres::programs() else { return };
    let cluster = Cluster::start(&programs, Account::for_server().unwrap().as_ref()).unwrap();
    let url = cluster.url();
    let installation = Installation::empty(Database::Sqlite);
    let settings =
        [("DATABASE_URL", &*url), ("LIMITS__CONTENT_PER_BOT", "0"), ("LOG__LEVEL", "error")];
    let mut first = installation.serve_with(&settings, &["--seed"]);
    let second = installation.serve(&settings);
    let line = first.printed().iter().find(|line| line.starts_with("token ")).unwrap();
    let token = line.split_whitespace().find(|word| word.starts_with("byp_")).unwrap().to_owned();
    // Every client goes from one node to the other.
    let turn = AtomicUsize::new(0);
    let addresses = [first.address(), second.address()];
    let address = || addresses[turn.fetch_add(1, Ordering::Relaxed) % 2];
    repeat_all(address, &token, || cluster.control(&["restart", "-m", "immediate"]).unwrap());
    let mut session = PgConnection::establish(&url).unwrap();
    assert_each_once(|count| {
        let counted = diesel::sql_query(count).get_result::<Counted>(&mut session);
        counted.unwrap().value
    });
}
