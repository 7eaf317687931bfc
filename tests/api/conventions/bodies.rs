//! How large a body may be, and how it may come.

use botyard_tests::{Mint, OnBot, Response, each_database, each_scheme};
use serde_json::json;

use crate::bots::BOTS;

const MIB: usize = 1 << 20;
/// The setting `limits.bot_body`.
const BOT_BODY: usize = 20 * MIB;
/// The setting `limits.json_body`.
const JSON_BODY: usize = 2 * MIB;

/// An update, filled up with blanks to so many bytes.
fn update_of(bytes: usize) -> Vec<u8> {
    let mut body = br#"{"websearch":false}"#.to_vec();
    body.resize(bytes, b' ');
    body
}

/// Sends a body in chunks, as far as the server takes it, and reads the answer.
#[track_caller]
fn chunked(bot: &OnBot<'_>, method: &str, path: &str, body: &[u8]) -> Response {
    bot.connect().exchange_in_chunks((method, path), &[], (body, MIB / 2))
}

each_scheme! {
    fn an_update_may_have_20_mib(bot: &OnBot) {
        let answer = bot.put_bytes("", update_of(BOT_BODY));
        assert_eq!(answer.ok()["websearch"], json!(false));
    }

    fn an_update_of_more_than_20_mib_is_too_large(bot: &OnBot) {
        // One byte more than allowed is announced, and not sent at all.
        let length = format!("Content-Length: {}", BOT_BODY + 1);
        let mut connection = bot.connect();
        let answer = connection.exchange("PUT", bot.base(), &[&length], b"");
        answer.problem(413, "body_too_large");
        assert_eq!(bot.get("").ok()["websearch"], json!(true));
    }

    fn an_update_in_chunks_may_have_20_mib(bot: &OnBot) {
        let answer = chunked(bot, "PUT", bot.base(), &update_of(BOT_BODY));
        assert_eq!(answer.ok()["websearch"], json!(false));
    }

    fn an_update_in_chunks_of_more_than_20_mib_is_too_large(bot: &OnBot) {
        let answer = chunked(bot, "PUT", bot.base(), &update_of(BOT_BODY + 1));
        answer.problem(413, "body_too_large");
        assert_eq!(bot.get("").ok()["websearch"], json!(true));
    }

    fn other_bodies_have_at_most_2_mib(bot: &OnBot) {
        let body = |bytes: usize| {
            let mut body = br#"{"name":null}"#.to_vec();
            body.resize(bytes, b' ');
            body
        };
        let path = bot.path("/duplicate");
        let send = |bytes| bot.client.request("POST", &path).body(body(bytes)).send();
        let _ = send(JSON_BODY).ok();
        let refused = send(JSON_BODY + 1).problem(413, "body_too_large");
        let detail = "The body is larger than the 2097152 bytes that this operation takes.";
        assert_eq!(refused["detail"], detail);
        chunked(bot, "POST", &path, &body(JSON_BODY + 1)).problem(413, "body_too_large");
        let mut delete = br#"{"mode":"archive"}"#.to_vec();
        delete.resize(JSON_BODY + 1, b' ');
        let answer = bot.client.request("DELETE", bot.base()).body(delete).send();
        answer.problem(413, "body_too_large");
        let _ = bot.get("").ok();
    }

    fn a_client_that_is_still_sending_reads_that_it_is_too_much(bot: &OnBot) {
        for lines in [
            vec![format!("Content-Length: {}", 30 * MIB)],
            vec!["Transfer-Encoding: chunked".to_owned()],
        ] {
            let lines: Vec<_> = lines.iter().map(String::as_str).collect();
            let mut connection = bot.connect();
            let head = connection.head("PUT", bot.base(), &lines);
            connection.send(head).unwrap();
            let piece = vec![b' '; 64 << 10];
            let is_chunked = lines[0].starts_with("Transfer");
            for _ in 0..(30 * MIB / piece.len()) {
                let sent = if is_chunked {
                    connection
                        .send(format!("{:x}\r\n", piece.len()))
                        .and_then(|()| connection.send(&piece))
                        .and_then(|()| connection.send("\r\n"))
                } else {
                    connection.send(&piece)
                };
                if sent.is_err() {
                    break;
                }
            }
            let answer = connection.read("PUT", bot.base());
            answer.problem(413, "body_too_large");
            assert_eq!(answer.header("connection"), Some("close"), "{answer}");
            connection.expect_closed();
        }
    }

    fn a_compressed_body_is_refused(bot: &OnBot) {
        for encoding in ["gzip", "br", "deflate", "zstd", "x", "gzip, identity", "GZIP"] {
            let request = bot.client.request("PUT", bot.base());
            let request = request.header("Content-Encoding", encoding);
            let answer = request.body(r#"{"websearch":false}"#).send();
            answer.problem(415, "unsupported_content_encoding");
        }
        assert_eq!(bot.get("").ok()["websearch"], json!(true));
    }

    fn a_body_in_the_encoding_identity_is_taken(bot: &OnBot) {
        for encoding in ["identity", "Identity"] {
            let request = bot.client.request("PUT", bot.base());
            let request = request.header("Content-Encoding", encoding);
            let answer = request.body(r#"{"websearch":false}"#).send();
            assert_eq!(answer.ok()["websearch"], json!(false), "{encoding}");
        }
    }

    fn a_body_that_breaks_off_changes_nothing(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        for (lines, rest) in [
            ("Content-Length: 100", r#"{"websearch":false}"#),
            ("Transfer-Encoding: chunked", "13\r\n{\"websearch\":false}\r\n"),
            ("Transfer-Encoding: chunked", "ff\r\n{\"websearch\":false}"),
        ] {
            let mut connection = bot.connect();
            let head = connection.head("PUT", bot.base(), &[lines]);
            connection.send(head).unwrap();
            connection.send(rest).unwrap();
            connection.finish().unwrap();
            connection.read("PUT", bot.base()).problem(400, "broken_body");
            connection.expect_closed();
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn malformed_chunks_are_a_problem_behind_the_answers_before_it(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        let long = "x".repeat(1 << 20);
        for rest in [
            "zz\r\n{}\r\n0\r\n\r\n",
            "2\n{}\r\n0\r\n\r\n",
            "2\r\n{}0\r\n\r\n",
            "2\r\n{}\r\n0\r\nX: y\n\r\n",
            &format!("2;{long}\r\n{{}}\r\n0\r\n\r\n"),
        ] {
            let mut connection = bot.connect();
            let first = connection.head("GET", bot.base(), &[]);
            let head = connection.head("PUT", bot.base(), &["Transfer-Encoding: chunked"]);
            connection.send(format!("{first}{head}{rest}")).unwrap();
            let _ = connection.read("GET", bot.base()).ok();
            connection.read("PUT", bot.base()).problem(400, "broken_body");
            connection.expect_closed();
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_client_that_expects_100_continue_can_go_on(bot: &OnBot) {
        let mut connection = bot.connect();
        let body = r#"{"websearch":false}"#;
        let lines = [format!("Content-Length: {}", body.len()), "Expect: 100-continue".to_owned()];
        let lines: Vec<_> = lines.iter().map(String::as_str).collect();
        let head = connection.head("PUT", bot.base(), &lines);
        connection.send(head).unwrap();
        connection.send(body).unwrap();
        assert_eq!(connection.read("PUT", bot.base()).ok()["websearch"], json!(false));
    }

    fn a_body_where_none_is_due_is_passed_over(bot: &OnBot) {
        for body in ["{}", "{\"limit\":0}", "no JSON"] {
            let request = bot.client.request("GET", bot.base()).body(body);
            let _ = request.send().ok();
        }
    }
}

each_database! {
    fn a_large_body_is_refused_before_it_is_checked(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        let length = format!("Content-Length: {}", 100 * MIB);
        let send = |method: &str, path: &str| {
            bot.connect().exchange(method, path, &[&length], b"")
        };
        send("POST", BOTS).problem(413, "body_too_large");
        // But the token, the scope and the bot come first.
        let missing = format!("{BOTS}/01900000-0000-7000-8000-000000000000");
        send("PUT", &missing).problem(404, "bot_not_found");
        let reader = bot.tenant.bearer(bot.scheme, Mint::read_only());
        let answer = reader.connect().exchange("POST", BOTS, &[&length], b"");
        answer.problem(403, "read_only_token");
        let stranger = bot.tenant.anonymous();
        let answer = stranger.connect().exchange("POST", BOTS, &[&length], b"");
        answer.problem(401, "unauthenticated");
        let answer = stranger.connect().exchange("POST", "/nope", &[&length], b"");
        answer.problem(404, "unknown_path");
    }

    fn a_limit_of_bodies_is_a_setting(database_app: &TestApp) {
        let settings = [("LIMITS__BOT_BODY", "1KiB"), ("LIMITS__JSON_BODY", "512")];
        let app = botyard_tests::TestApp::start(database_app.database(), &settings);
        let bot = app.tenant().with_bot_token();
        let _ = bot.put_bytes("", update_of(1_024)).ok();
        bot.put_bytes("", update_of(1_025)).problem(413, "body_too_large");
        let path = bot.path("/duplicate");
        let request = bot.client.request("POST", &path).body(update_of(513));
        request.send().problem(413, "body_too_large");
    }
}
