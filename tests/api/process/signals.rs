//! A server that is asked to end by a signal.

use botyard_tests::waiting::{eventually, until};
use botyard_tests::{Database, Installation, Server, each_database};
use serde_json::{Map, json};

use super::setup::{BOT, BOTS, bot, bot_token, project, project_token};
use super::wire::{Wire, says_close};

/// Settings with which nothing ends by itself.
const PATIENT: [(&str, &str); 4] = [
    ("SHUTDOWN__GRACE", "1h"),
    ("LIMITS__HANDLER_TIMEOUT", "1h"),
    ("LIMITS__KEEP_ALIVE", "1h"),
    ("LIMITS__REQUEST_HEAD_TIMEOUT", "1h"),
];

/// Texts of a bot that may be as long as 1 MiB each.
const LONG: [&str; 10] = [
    "customJs",
    "customCss",
    "customChatCss",
    "customVoiceCss",
    "customAvatarCss",
    "customVendorAvatarCss",
    "botInstruction",
    "summarizePrompt",
    "helpUrls",
    "loadingMessages",
];

/// A server with a bot, and the bot's token.
fn with_a_bot(installation: &Installation, settings: &[(&str, &str)]) -> (Server, String) {
    let server = installation.serve(settings);
    let project_token = project_token(installation, &project(installation));
    let bot = bot(server.address(), &project_token, "Bot");
    (server, bot_token(installation, &bot))
}

fn connect(server: &Server, token: &str) -> Wire {
    let mut wire = Wire::open(server.address()).expect("the server listens");
    wire.set_bot_token(token);
    wire
}

fn as_project(server: &Server, token: &str) -> Wire {
    let mut wire = Wire::open(server.address()).expect("the server listens");
    wire.set_project_token(token);
    wire
}

/// Waits until the server has noticed that it was told to end.
fn has_noticed_the_signal(server: &Server) {
    until("the server has noticed the signal", || server.log().contains("told to end"));
}

fn is_closed(server: &Server) {
    until("new connections are refused", || Wire::open(server.address()).is_err());
}

#[track_caller]
fn ends(mut server: Server) -> i32 {
    eventually("the server ends", || server.has_ended())
}

/// A write whose body is only half there, with the server waiting for the rest.
struct HalfSent(Wire);

impl HalfSent {
    const BODY: &str = r#"{"model":"late"}"#;

    fn new(server: &Server, token: &str) -> Self {
        let mut wire = connect(server, token);
        let length = format!("Content-Length: {}", Self::BODY.len());
        wire.send("PUT", BOT, &[length, "Expect: 100-continue".to_owned()], None).unwrap();
        assert_eq!(wire.line(), "HTTP/1.1 100 Continue");
        assert_eq!(wire.line(), "");
        wire.send_bytes(&Self::BODY.as_bytes()[..5]).unwrap();
        Self(wire)
    }

    fn finish(mut self) {
        self.0.send_bytes(&Self::BODY.as_bytes()[5..]).expect("the server still listens");
        let answer = self.0.read("PUT", BOT).expect("a whole answer");
        assert_eq!(answer.ok()["model"], "late");
        assert!(says_close(&answer));
        self.0.expect_closed();
    }
}

each_database! {
    fn either_signal_ends_the_server_in_good_order(database: Database) {
        let installation = Installation::new(database);
        for signal in ["TERM", "INT"] {
            let mut server = installation.serve(&[]);
            let address = server.address();
            let mut idle = Wire::open(address).unwrap();
            assert_eq!(idle.ask("GET", "/readyz", None).unwrap().status(), 200);
            server.signal(signal);
            assert_eq!(server.wait(), 0, "{signal}");
            assert!(Wire::open(address).is_err(), "{signal}");
            idle.expect_closed();
            assert_eq!(server.printed(), [format!("listening on http://{address}")]);
            let log = server.log();
            assert!(log.lines().last().is_some_and(|line| line.contains("\"ended\"")), "{log}");
            assert!(!log.contains("WARN") && !log.contains("ERROR"), "{log}");
        }
    }

    fn a_request_in_progress_is_finished(database: Database) {
        let installation = Installation::new(database);
        let (server, token) = with_a_bot(&installation, &PATIENT);
        let begun = HalfSent::new(&server, &token);
        server.signal("TERM");
        is_closed(&server);
        begun.finish();
        assert_eq!(ends(server), 0);
        let server = installation.serve(&[]);
        let found = connect(&server, &token).ask("GET", BOT, None).unwrap().ok();
        assert_eq!(found["model"], "late");
    }

    fn the_server_is_not_ready_but_answers_during_the_delay(database: Database) {
        let installation = Installation::new(database);
        let settings = [&PATIENT[..], &[("SHUTDOWN__DELAY", "1h")]].concat();
        let (server, token) = with_a_bot(&installation, &settings);
        let mut kept = connect(&server, &token);
        assert!(!says_close(&kept.ask("GET", BOT, None).unwrap()));
        let before = connect(&server, &token).ask("GET", "/readyz", None).unwrap();
        assert_eq!((before.status(), says_close(&before)), (200, false));

        server.signal("TERM");
        let not_ready = eventually("the server is not ready", || {
            let answer = connect(&server, &token).ask("GET", "/readyz", None).unwrap();
            (answer.status() == 503).then_some(answer)
        });
        not_ready.problem(503, "not_ready");
        assert!(not_ready.header("retry-after").is_some() && says_close(&not_ready));
        for path in ["/healthz", BOT] {
            let answer = connect(&server, &token).ask("GET", path, None).unwrap();
            assert_eq!((answer.status(), says_close(&answer)), (200, true), "{path}");
        }
        let answer = kept.ask("PUT", BOT, Some(&json!({"model": "m"}))).unwrap();
        assert_eq!(answer.ok()["model"], "m");
        assert!(says_close(&answer));
        kept.expect_closed();

        // A second signal is the end, regardless of the delay.
        server.signal("TERM");
        assert_eq!(ends(server), 1);
    }

    fn a_second_signal_ends_at_once_and_loses_nothing_acknowledged(database: Database) {
        let installation = Installation::new(database);
        for (first, second) in [("TERM", "TERM"), ("INT", "TERM")] {
            let (server, token) = with_a_bot(&installation, &PATIENT);
            let address = server.address();
            let acknowledged = connect(&server, &token).ask("PUT", BOT, Some(&json!({"model": "m"})));
            let _ = acknowledged.unwrap().ok();
            let begun = HalfSent::new(&server, &token);
            server.signal(first);
            has_noticed_the_signal(&server);
            is_closed(&server);
            server.signal(second);
            assert_eq!(ends(server), 1);
            assert!(Wire::open(address).is_err());
            drop(begun);
            let server = installation.serve(&[]);
            let found = connect(&server, &token).ask("GET", BOT, None).unwrap().ok();
            assert_eq!(found["model"], "m");
        }
    }

    fn what_takes_longer_than_the_grace_is_cut_off(database: Database) {
        let installation = Installation::new(database);
        let settings = [&PATIENT[1..], &[("SHUTDOWN__GRACE", "100ms")]].concat();
        let (server, token) = with_a_bot(&installation, &settings);
        let _begun = HalfSent::new(&server, &token);
        server.signal("TERM");
        assert_eq!(ends(server), 0);
    }

    fn an_answer_on_its_way_to_a_slow_reader_is_finished(database: Database) {
        let installation = Installation::new(database);
        let mut server = installation.serve(&PATIENT);
        let token = project_token(&installation, &project(&installation));
        let bot = bot(server.address(), &token, "Bot");
        // Far more than the buffers of a connection hold.
        let text = json!("x".repeat(1 << 20));
        let config: Map<_, _> =
            LONG.iter().map(|field| ((*field).to_owned(), text.clone())).collect();
        let one = format!("{BOTS}/{bot}");
        let saved = as_project(&server, &token).ask("PUT", &one, Some(&json!(config)));
        let _ = saved.unwrap().ok();
        for path in [one.as_str(), BOTS] {
            let mut wire = as_project(&server, &token);
            wire.send("GET", path, &[], None).unwrap();
            wire.await_answer();
            server.signal("TERM");
            is_closed(&server);
            let answer = wire.read_slowly("GET", path).expect("a whole answer").ok();
            let found = if path == BOTS { &answer[0] } else { &answer };
            for field in LONG {
                assert_eq!(found[field].as_str().map(str::len), Some(1 << 20), "{field}");
            }
            drop(wire);
            assert_eq!(ends(server), 0);
            server = installation.serve(&PATIENT);
        }
    }
}

#[test]
fn the_database_is_one_complete_file_after_the_end_sqlite() {
    let installation = Installation::new(Database::Sqlite);
    let (mut server, _) = with_a_bot(&installation, &[]);
    assert_eq!(server.stop(), 0);
    let names: Vec<_> = installation
        .data_dir()
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("botyard.db"))
        .collect();
    assert_eq!(names, ["botyard.db"]);
}
