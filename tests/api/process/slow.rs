//! Clients that are slow or hold more than their share, and others beside them.

use std::process::Command;

use botyard_tests::memory::Memory;
use botyard_tests::raw::Connection;
use botyard_tests::waiting::until;
use botyard_tests::{OnBot, TestApp, each_database, wrapped};
use serde_json::json;

use super::setup::BOTS;

/// Many slow clients; each holds a connection.
const MANY: usize = 50;

/// Sends the head of a change, and a part of its body.
fn half_a_body<'a>(bot: &'a OnBot<'_>, part: &str) -> Connection<'a> {
    let mut connection = bot.connect();
    let head = connection.head("PUT", bot.base(), &["Content-Length: 10000"]);
    connection.send(format!("{head}{part}")).unwrap();
    connection
}

each_database! {
    fn bodies_that_stop_or_trickle_are_given_up_and_others_go_on(database: Database) {
        let pause = [("LIMITS__BODY_PAUSE", "200ms")];
        let trickle = [("LIMITS__BODY_RATE", "1MiB"), ("LIMITS__BODY_RATE_AFTER", "200ms")];
        // Long enough for the bot of each request to be found, which this time includes.
        let at_the_end = [("LIMITS__HANDLER_TIMEOUT", "3s")];
        for settings in [&pause[..], &trickle, &at_the_end] {
            let app = TestApp::start(database, settings);
            let bot = app.tenant().with_project_token();
            let mut slow: Vec<_> = (0..MANY).map(|_| half_a_body(&bot, "{\"websea")).collect();
            assert_eq!(bot.put("", &json!({"websearch": false})).ok()["websearch"], false);
            for connection in &mut slow {
                let answer = connection.read("PUT", bot.base());
                answer.problem(408, "too_slow");
                assert_eq!(answer.header("connection"), Some("close"), "{answer}");
                connection.expect_closed();
            }
        }
    }

    fn later_heads_that_do_not_end_are_given_up_and_others_go_on(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__REQUEST_HEAD_TIMEOUT", "500ms")]);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let begin = |_| {
            let mut connection = client.connect();
            let _ = connection.exchange("GET", BOTS, &[], b"").ok();
            connection.send("GET / HTTP/1.1\r\nHo").unwrap();
            connection
        };
        let mut slow: Vec<_> = (0..MANY).map(begin).collect();
        let _ = client.get(BOTS).ok();
        for connection in &mut slow {
            connection.read("GET", "/").problem(408, "too_slow");
            connection.expect_closed();
        }
    }

    fn a_list_that_is_not_read_is_given_up_and_others_go_on(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__STANDSTILL_TIMEOUT", "500ms")]);
        let [bot, other] = [(); 2].map(|()| app.tenant().with_project_token());
        // Large enough to fill what the system keeps, and small enough that none waits for room in memory.
        let large = json!({"botInstruction": "x".repeat(100_000)});
        let _ = bot.put("", &large).ok();
        let _ = other.get("").ok();
        let memory = Memory::of(&app);
        let mut standing: Vec<_> = (0..MANY).map(|_| bot.connect()).collect();
        for connection in &mut standing {
            let head = connection.head("GET", BOTS, &[]);
            connection.send(head.repeat(200)).unwrap();
        }
        let _ = other.get("").ok();
        let closed = || {
            let metrics = app.anonymous().get("/metrics").text().to_owned();
            let line = "botyard_http_connections_closed_total{reason=\"standstill\"} ";
            let count = metrics.lines().find_map(|one| one.strip_prefix(line)?.parse().ok());
            count == Some(MANY)
        };
        until("all that do not read are closed", closed);
        memory.is_given_back(8 << 20);
        let _ = other.get("").ok();
    }

    fn what_many_requests_took_at_once_is_given_back(database: Database) {
        let app = TestApp::start(database, &[]);
        let bot = app.tenant().with_project_token();
        let body = json!({"websearch": "x".repeat(60_000)}).to_string();
        let (most, last) = body.split_at(body.len() - 1);
        let length = format!("Content-Length: {}", body.len());
        let _ = bot.get("").ok();
        let memory = Memory::of(&app);
        let mut connections: Vec<_> = (0..500).map(|_| bot.connect()).collect();
        for connection in &mut connections {
            let head = connection.head("PUT", bot.base(), &[&length]);
            connection.send(format!("{head}{most}")).unwrap();
        }
        for connection in &mut connections {
            connection.send(last).unwrap();
        }
        for connection in &mut connections {
            connection.read("PUT", bot.base()).problem(422, "wrong_type");
        }
        drop(connections);
        memory.is_given_back(4 << 20);
    }

    fn connections_are_left_where_the_system_grants_few_open_files(database: Database) {
        let app = TestApp::launch(database, &[], |command| {
            let mut shell = Command::new("sh");
            // Both limits, so that the server can't raise its own.
            shell.args(["-c", "ulimit -n 256; exec \"$@\"", "sh"]);
            wrapped(shell, &command)
        });
        let bot = app.tenant().with_project_token();
        let mut held: Vec<_> = (0..MANY).map(|_| bot.connect()).collect();
        for connection in &mut held {
            let _ = connection.exchange("GET", bot.base(), &[], b"").ok();
        }
        let _ = bot.put("", &json!({"websearch": false})).ok();
    }

    fn an_address_gets_no_more_than_its_connections(database: Database) {
        let few = [("LIMITS__CONNECTIONS_PER_ADDRESS", "20")];
        let proxy = [few[0], ("TRUSTED_PROXIES", "127.0.0.0/8")];
        for (settings, is_bounded) in [(&few[..], true), (&proxy, false)] {
            let app = TestApp::start(database, settings);
            let client = app.anonymous();
            let mut answered = 0;
            let _held: Vec<_> = (0..40)
                .map(|_| {
                    let mut connection = client.connect();
                    let head = connection.head("GET", "/healthz", &[]);
                    let sent = connection.send(head);
                    let answer = sent.and_then(|()| connection.try_read("GET", "/healthz"));
                    answered += usize::from(answer.is_ok());
                    connection
                })
                .collect();
            assert_eq!(answered == 20, is_bounded, "{answered}");
            assert!(answered == 20 || answered == 40, "{answered}");
        }
    }
}
