//! Connections that are used again, and heads that are none.

use botyard_tests::{each_database, each_scheme};
use serde_json::json;

use crate::bots::BOTS;

each_scheme! {
    fn a_connection_goes_on_after_a_refusal(bot: &OnBot) {
        let mut connection = bot.connect();
        let length = "Content-Length: 17";
        for _ in 0..3 {
            let answer = connection.exchange("GET", &bot.path("/nope"), &[], b"");
            answer.problem(404, "unknown_path");
            let answer = connection.exchange("DELETE", &bot.path("/changelog"), &[], b"");
            answer.problem(405, "method_not_allowed");
            let answer = connection.exchange("GET", &bot.path("?x=1"), &[], b"");
            answer.problem(422, "bad_query");
            let answer = connection.exchange("PUT", bot.base(), &[length], br#"{"isPublic":null!"#);
            answer.problem(422, "malformed_json");
            let answer = connection.exchange("PUT", bot.base(), &["Content-Length: 0"], b"");
            answer.problem(422, "malformed_json");
            let answer = connection.exchange("GET", bot.base(), &[], b"");
            let _ = answer.ok();
        }
    }

    fn a_refusal_that_leaves_a_body_unread_closes_the_connection(bot: &OnBot) {
        for (method, path, status) in [
            ("POST", bot.path("/nope"), 404),
            ("PATCH", bot.path(""), 405),
            ("GET", bot.path("?x=1"), 422),
        ] {
            let mut connection = bot.connect();
            let body = r#"{"websearch":false}"#;
            let length = format!("Content-Length: {}", body.len());
            let answer = connection.exchange(method, &path, &[&length], body.as_bytes());
            assert_eq!(answer.status(), status, "{answer}");
            assert_eq!(answer.header("connection"), Some("close"), "{answer}");
            connection.expect_closed();
        }
    }

    fn requests_sent_at_once_are_answered_in_their_order(bot: &OnBot) {
        let mut connection = bot.connect();
        let paths = [bot.path(""), bot.path("/changelog"), bot.path("/nope"), bot.path("")];
        let heads: String = paths.iter().map(|path| connection.head("GET", path, &[])).collect();
        connection.send(heads).unwrap();
        let statuses: Vec<_> =
            paths.iter().map(|path| connection.read("GET", path).status()).collect();
        assert_eq!(statuses, [200, 200, 404, 200]);
    }

    fn a_client_that_wants_to_close_is_obeyed(bot: &OnBot) {
        let mut connection = bot.connect();
        let _ = connection.exchange("GET", bot.base(), &["Connection: close"], b"").ok();
        connection.expect_closed();
    }

    fn a_request_does_not_hide_in_the_body_of_another(bot: &OnBot) {
        let hidden = format!("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", bot.path(""));
        for lines in [
            ["Content-Length: 5", "Content-Length: 6"],
            ["Content-Length: 5", "Transfer-Encoding: chunked"],
            ["Transfer-Encoding: chunked, identity", "Transfer-Encoding: identity"],
            ["Content-Length: +5", "X: y"],
            ["Transfer-Encoding: xchunked", "X: y"],
        ] {
            let before = bot.tenant.snapshot();
            let mut connection = bot.connect();
            let head = connection.head("PUT", bot.base(), &lines);
            let _ = connection.send(format!("{head}0\r\n\r\n{hidden}"));
            connection.read("PUT", bot.base()).problem(400, "malformed_request");
            before.assert_unchanged(&bot.tenant);
            connection.expect_closed();
        }
    }
}

each_database! {
    fn a_head_that_is_none_is_a_problem(app: &TestApp) {
        for odd in [
            "no HTTP at all\r\n\r\n",
            "GET\r\n\r\n",
            "GET / HTTP/9.9\r\n\r\n",
            "GET / HTTP/1.1\r\nno colon\r\n\r\n",
            "GET / HTTP/1.1\r\nA B: c\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\r\n\r\n",
            "GET / HTTP/1.1\nHost: a\n\n",
            "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n",
            "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\r\n\r\n",
        ] {
            let client = app.anonymous();
            let mut connection = client.connect();
            connection.send(odd).unwrap();
            connection.read("GET", "/").problem(400, "malformed_request");
            connection.expect_closed();
        }
    }

    fn a_head_with_too_many_headers_is_refused(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let lines: Vec<_> = (0..200).map(|number| format!("X-{number}: y")).collect();
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        let mut connection = client.connect();
        let head = connection.head("GET", BOTS, &lines);
        connection.send(head).unwrap();
        connection.read("GET", BOTS).problem(431, "head_too_large");
    }

    fn http_1_0_is_understood(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let mut connection = client.connect();
        let head = connection.head("GET", BOTS, &[]).replace("HTTP/1.1", "HTTP/1.0");
        connection.send(head).unwrap();
        let answer = connection.read("GET", BOTS);
        assert_eq!(answer.header("transfer-encoding"), None);
        assert_eq!(answer.ok().as_array().map(Vec::len), Some(1));
        assert_eq!(answer.ok()[0]["_id"], json!(tenant.bot().to_string()));
    }

    fn links_do_not_follow_the_host_of_the_request(app: &TestApp) {
        let tenant = app.tenant();
        let _ = tenant.new_bot("second");
        let client = tenant.as_project();
        let path = format!("{BOTS}?limit=1");
        let lines = [
            "Host: evil.example",
            "X-Forwarded-Host: evil.example",
            "Forwarded: host=evil.example;proto=https",
        ];
        let mut connection = client.connect();
        let head = connection.head("GET", &path, &lines[1..]).replace("Host: localhost", lines[0]);
        connection.send(head).unwrap();
        let answer = connection.read("GET", &path);
        assert!(answer.next_page().unwrap().starts_with(BOTS));
        assert!(!answer.text().contains("evil.example"));
    }
}
