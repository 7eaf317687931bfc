//! What the server writes to standard error.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};

use botyard_tests::waiting::eventually;
use botyard_tests::{Client, Installation, TestApp, audit, each_database};
use serde_json::{Value, json};

use super::setup::{BOT, BOTS};
use super::wire::Wire;

/// A server whose standard error is a pipe that nobody reads.
struct Unread(Child);

impl Unread {
    fn start(installation: &Installation, settings: &[(&str, &str)]) -> (Self, Wire) {
        let mut command = installation.command(settings);
        let command = command.arg("serve").stdin(Stdio::null());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut unread = Self(child.expect("the server can be started"));
        let mut line = String::new();
        let stdout = unread.0.stdout.as_mut().expect("the output is piped");
        BufReader::new(stdout).read_line(&mut line).expect("the listening line");
        let address = line.trim().strip_prefix("listening on http://").expect("an address");
        (unread, Wire::open(address.parse().expect("an address")).expect("the server listens"))
    }

    /// Tells it to end, and returns its exit code.
    fn end(&mut self) -> Option<i32> {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap().success());
        let ended = || self.0.try_wait().expect("the server is a child of this process");
        eventually("the server ends", ended).code()
    }
}

impl Drop for Unread {
    fn drop(&mut self) {
        let _ = self.0.kill().and_then(|()| self.0.wait());
    }
}

/// How many lines were dropped, by the metrics.
fn dropped(wire: &mut Wire) -> u64 {
    let metrics = wire.ask("GET", "/metrics", None).expect("an answer").text().to_owned();
    let line =
        metrics.lines().find_map(|line| line.strip_prefix("botyard_log_lines_dropped_total "));
    line.map_or(0, |number| number.parse().expect("a number"))
}

/// The lines of a log in JSON.
#[track_caller]
fn lines(log: &str) -> Vec<Value> {
    let line = |line: &str| {
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in the line {line}"))
    };
    // The last one may still be on its way.
    log.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(line).collect()
}

/// Sends a request with an id of its own and returns what the log says of it.
#[track_caller]
fn logged(client: &Client<'_>, path: &str, id: &str, forwarded: &[&str]) -> Value {
    let mut request = client.request("GET", path).header("X-Request-Id", id);
    for hops in forwarded {
        request = request.header("X-Forwarded-For", hops);
    }
    assert_eq!(request.send().header("x-request-id"), Some(id));
    eventually("the request is in the log", || {
        let lines = lines(&client.app().server().log());
        lines.into_iter().find(|line| line["request_id"] == id)
    })
}

each_database! {
    fn every_line_is_json_where_no_person_reads(database: Database) {
        for settings in [&[][..], &[("LOG__FORMAT", "json"), ("LOG__LEVEL", "debug")]] {
            let mut app = TestApp::start(database, settings);
            {
                let tenant = app.tenant();
                let _ = tenant.as_project().get(BOTS).ok();
                app.anonymous().get(BOT).problem(401, "unauthenticated");
                app.anonymous().get("/nowhere").problem(404, "unknown_path");
            }
            assert_eq!(app.server_mut().stop(), 0);
            let log = app.server().log();
            assert!(!audit::has_token(&log));
            let lines = lines(&log);
            for line in &lines {
                for member in ["timestamp", "level", "message", "target"] {
                    assert!(line[member].is_string(), "no {member} in {line}");
                }
            }
            // Whether the server is ready was asked by the harness.
            let is_of_test = |line: &&Value| (&line["operation"], &line["status"]) != (&json!("none"), &json!(200));
            let requests = lines.iter().filter(|line| line["message"] == "request").filter(is_of_test);
            let targets: Vec<_> = requests.map(|line| &line["target"]).collect();
            assert_eq!(targets, ["botyard::requests"; 3], "{lines:?}");
        }
    }

    fn the_start_is_a_line_that_says_what_serves_which_data(database: Database) {
        let installation = Installation::new(database);
        let mut server = installation.serve(&[]);
        let log = lines(&server.log());
        let line = log.iter().find(|line| line["message"] == "botyard serves").expect("the line");
        assert_eq!((&line["level"], &line["version"]), (&json!("INFO"), &json!(env!("CARGO_PKG_VERSION"))));
        // The address of a server, without what may be secret: its password and its options. Through a pooler its
        // port is that of the pooler.
        let (url, _) = installation.database_url().split_once('?').unwrap_or((installation.database_url(), ""));
        let (_, name) = url.rsplit_once('/').unwrap();
        let shown = line["database"].as_str().unwrap();
        assert!(shown.ends_with(&format!("/{name}")) && shown.matches(':').count() <= 2, "{shown}");
        assert_eq!(line["files"], format!("file:{}/blobs", installation.data_dir().display()));
        assert_eq!(server.stop(), 0);
    }

    fn a_request_is_one_line_that_says_who_did_what(database: Database) {
        let app = TestApp::start(database, &[]);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let token = client.get("/api/external/projectapi/checkauth").ok()["_id"].clone();
        let line = logged(&client, BOTS, "of-a-bearer.1", &[]);
        for (member, value) in [
            ("operation", json!("listBots")),
            ("method", json!("GET")),
            ("status", json!(200)),
            ("token", token),
            ("client", json!("127.0.0.1")),
            ("level", json!("INFO")),
        ] {
            assert_eq!(line[member], value, "{member}");
        }
        assert!(line["ms"].is_number(), "{line}");
        // Paths, queries and names may hold what belongs to tenants.
        let text = line.to_string();
        for word in ["byp_", "/api", tenant.marker(), &tenant.project().id.to_string()] {
            assert!(!text.contains(word), "{word} in {text}");
        }

        let line = logged(&tenant.anonymous(), BOT, "of-nobody", &[]);
        assert_eq!((&line["status"], &line["operation"]), (&json!(401), &json!("getBot")));
        assert!(line.get("token").is_none_or(Value::is_null), "{line}");
        let line = logged(&tenant.anonymous(), "/nowhere", "of-no-operation", &[]);
        assert_eq!((&line["status"], &line["operation"]), (&json!(404), &json!("none")));

        let log = lines(&app.server().log());
        let ids = log.iter().filter_map(|line| line["request_id"].as_str());
        let ids: Vec<_> = ids.collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    }

    fn a_log_for_people_has_the_same_in_words(database: Database) {
        let app = TestApp::start(database, &[("LOG__FORMAT", "text")]);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let _ = client.request("GET", BOTS).header("X-Request-Id", "for-people").send().ok();
        let line = eventually("the request is in the log", || {
            let log = app.server().log();
            log.lines().find(|line| line.contains("for-people")).map(str::to_owned)
        });
        for word in ["INFO", "request_id=\"for-people\"", "operation=\"listBots\"", "status=200", "token="] {
            assert!(line.contains(word), "{word} in {line}");
        }
        // Colours are for terminals.
        assert!(!line.contains('\u{1b}') && !audit::has_token(&app.server().log()), "{line}");
    }

    fn a_log_that_nobody_reads_stops_neither_requests_nor_the_end(database: Database) {
        let installation = Installation::new(database);
        for (settings, drops) in [(&[][..], false), (&[("LOG__BUFFER", "64KiB")], true)] {
            let (mut server, mut wire) = Unread::start(&installation, settings);
            // A pipe holds 64 KiB, and a line has more than 100 bytes.
            for _ in 0..2_000 {
                assert_eq!(wire.ask("GET", "/healthz", None).expect("an answer").status(), 200);
            }
            assert_eq!(dropped(&mut wire) > 0, drops, "{settings:?}");
            assert_eq!(server.end(), Some(0), "{settings:?}");
        }
    }

    fn a_log_that_is_read_again_says_what_it_lost(database: Database) {
        let installation = Installation::new(database);
        let (mut server, mut wire) = Unread::start(&installation, &[("LOG__BUFFER", "64KiB")]);
        while dropped(&mut wire) == 0 {}
        let mut stderr = server.0.stderr.take().expect("the log is piped");
        let reading = std::thread::spawn(move || {
            let mut log = String::new();
            stderr.read_to_string(&mut log).map(|_| log)
        });
        assert_eq!(server.end(), Some(0));
        let log = reading.join().expect("a reader").expect("a log");
        let lost = lines(&log).into_iter().find(|line| line["lines"].is_number());
        assert_eq!(lost.expect("a line about those that are missing")["level"], "WARN");
        assert!(log.lines().last().is_some_and(|line| line.contains("\"ended\"")), "{log}");
    }

    fn the_level_decides_what_is_written(database: Database) {
        let mut app = TestApp::start(database, &[("LOG__LEVEL", "warn")]);
        app.anonymous().get(BOT).problem(401, "unauthenticated");
        assert_eq!(app.server_mut().stop(), 0);
        assert_eq!(app.server().log(), "");
    }

    fn a_peer_that_is_no_proxy_is_the_client_whatever_it_says(database: Database) {
        for settings in [&[][..], &[("TRUSTED_PROXIES", "10.0.0.0/8,::1")]] {
            let app = TestApp::start(database, settings);
            let line = logged(&app.anonymous(), "/healthz", "own-words", &["203.0.113.9"]);
            assert_eq!(line["client"], "127.0.0.1");
        }
    }

    fn a_trusted_proxy_is_believed_as_far_as_trust_goes(database: Database) {
        let app = TestApp::start(database, &[("TRUSTED_PROXIES", "127.0.0.1,10.0.0.0/8")]);
        for (number, (forwarded, client)) in [
            (&[][..], "127.0.0.1"),
            (&["203.0.113.9"], "203.0.113.9"),
            (&["2001:db8::7"], "2001:db8::7"),
            // Whatever stands before the first address that is not a proxy's, anybody can write.
            (&["198.51.100.1, 203.0.113.9, 10.1.2.3"], "203.0.113.9"),
            (&["198.51.100.1", "203.0.113.9,10.1.2.3", "10.0.0.1"], "203.0.113.9"),
            (&["10.0.0.1, 10.0.0.2"], "127.0.0.1"),
        ]
        .into_iter()
        .enumerate()
        {
            let id = format!("forwarded-{number}");
            let line = logged(&app.anonymous(), "/healthz", &id, forwarded);
            assert_eq!(line["client"], client, "{forwarded:?}");
        }
    }

    fn what_a_forwarding_proxy_garbles_is_not_believed(database: Database) {
        let app = TestApp::start(database, &[("TRUSTED_PROXIES", "127.0.0.1")]);
        for (number, forwarded) in ["", "unknown", "203.0.113.9, unknown", "203.0.113.9:80", "_x"]
            .into_iter()
            .enumerate()
        {
            let id = format!("garbled-{number}");
            let line = logged(&app.anonymous(), "/healthz", &id, &[forwarded]);
            assert_eq!(line["client"], "127.0.0.1", "{forwarded}");
        }
        // What anybody writes stands left of what the proxy adds.
        let forwarded = ["198.51.100.1, unknown, 203.0.113.9"];
        let line = logged(&app.anonymous(), "/healthz", "garbled-before", &forwarded);
        assert_eq!(line["client"], "203.0.113.9");
    }
}
