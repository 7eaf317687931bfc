//! `GET /api/external/projectapi/doc/files/{docId}/download`

use botyard_tests::{Form, OnBot, Response, each_database};
use serde_json::json;

use super::{UPLOAD, download_at, post, project, replace, text_form};
use crate::fusion::sha256;
use crate::skills::id;

/// Uploads these bytes without an extraction; returns the `_id`.
#[track_caller]
fn store(bot: &OnBot<'_>, name: &str, media_type: &str, bytes: &[u8]) -> String {
    let form = Form::new().file(name, media_type, bytes).text("extract", "false");
    id(&post(&bot.client, UPLOAD, &form).ok()["projectDoc"])
}

/// Asks for a download with these headers.
#[track_caller]
fn ask(bot: &OnBot<'_>, method: &str, document: &str, headers: &[(&str, &str)]) -> Response {
    let request = bot.client.request(method, &download_at(document));
    let request =
        headers.iter().fold(request, |request, (name, value)| request.header(name, value));
    request.send()
}

each_database! {
    fn a_download_is_the_file_as_it_came(app: &TestApp) {
        let bot = project(app);
        for (name, bytes, kind) in [
            ("a.txt", "Ähren\r\nim Feld\0".as_bytes(), None),
            ("a.txt", "Ähren\r\nim Feld".as_bytes(), Some("text/plain")),
            ("a.html", b"<script>alert(1)</script>", Some("text/html")),
            ("a.svg", b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", Some("image/svg+xml")),
            ("a.js", b"alert(1)", Some("text/javascript")),
            ("a.bin", b"\0\x01\xff", Some("application/octet-stream")),
        ] {
            let document = store(&bot, name, "application/octet-stream", bytes);
            let answer = ask(&bot, "GET", &document, &[]);
            assert_eq!(answer.status(), 200, "{answer}");
            assert_eq!(answer.bytes(), bytes, "{name}");
            let length = bytes.len().to_string();
            assert_eq!(answer.header("content-length"), Some(length.as_str()), "{name}");
            let tag = format!("\"{}\"", sha256(bytes));
            assert_eq!(answer.header("etag"), Some(tag.as_str()), "{name}");
            assert_eq!(answer.header("accept-ranges"), Some("bytes"), "{name}");
            assert_eq!(answer.header("content-range"), None, "{name}");
            let content_type = answer.header("content-type").unwrap();
            let stored = super::get(&bot.client, &document)["mimeType"].clone();
            assert_eq!(stored, json!(content_type.split(';').next()), "{name}");
            if let Some(kind) = kind {
                assert!(content_type.starts_with(kind), "{name}: {content_type}");
            }
        }
    }

    fn a_large_download_comes_whole(app: &TestApp) {
        let bot = project(app);
        let bytes: Vec<u8> = (0..9_000_000_u32).map(|n| (n.wrapping_mul(n) >> 9) as u8).collect();
        let document = store(&bot, "a", "application/octet-stream", &bytes);
        assert!(ask(&bot, "GET", &document, &[]).bytes() == bytes);
    }

    fn head_says_what_a_download_would(app: &TestApp) {
        let bot = project(app);
        let document = store(&bot, "a.txt", "text/plain", b"Words");
        let (get, head) = (ask(&bot, "GET", &document, &[]), ask(&bot, "HEAD", &document, &[]));
        assert_eq!((head.status(), head.bytes()), (200, &b""[..]));
        for name in ["content-length", "content-type", "etag", "content-disposition", "accept-ranges"]
        {
            assert_eq!(head.header(name), get.header(name), "{name}");
            assert!(head.header(name).is_some(), "{name}");
        }
    }

    fn a_client_that_has_the_file_already_is_answered_with_304(app: &TestApp) {
        let bot = project(app);
        let document = store(&bot, "a.txt", "text/plain", b"Words");
        let tag = format!("\"{}\"", sha256(b"Words"));
        let other = format!("\"{}\"", sha256(b"Other"));
        let weak = format!("W/{tag}");
        let list = format!("{other}, {tag}");
        for method in ["GET", "HEAD"] {
            for known in [&tag, &weak, &list, "*", &format!(" {tag} ")] {
                let answer = ask(&bot, method, &document, &[("If-None-Match", known)]);
                assert_eq!((answer.status(), answer.bytes()), (304, &b""[..]), "{known}");
                assert_eq!(answer.header("etag"), Some(tag.as_str()), "{known}");
                assert_eq!(answer.header("content-type"), None, "{known}");
            }
            for unknown in [&other, "\"\"", "W/\"x\"", &tag.to_uppercase()] {
                let answer = ask(&bot, method, &document, &[("If-None-Match", unknown)]);
                assert_eq!(answer.status(), 200, "{unknown}");
            }
        }
        // It counts before a range does.
        let both = [("If-None-Match", tag.as_str()), ("Range", "bytes=0-1")];
        assert_eq!(ask(&bot, "GET", &document, &both).status(), 304);
        let both = [("If-None-Match", tag.as_str()), ("Range", "bytes=99-")];
        assert_eq!(ask(&bot, "GET", &document, &both).status(), 304);
    }

    fn a_replaced_file_has_another_tag(app: &TestApp) {
        let bot = project(app);
        let document = store(&bot, "a.txt", "text/plain", b"Words");
        let tag = format!("\"{}\"", sha256(b"Words"));
        let _ = replace(&bot.client, &document, &text_form("b.txt", "Others")).ok();
        let answer = ask(&bot, "GET", &document, &[("If-None-Match", &tag)]);
        assert_eq!((answer.status(), answer.text().as_str()), (200, "Others"));
        let expected = format!("\"{}\"", sha256(b"Others"));
        assert_eq!(answer.header("etag"), Some(expected.as_str()));
    }

    fn a_download_that_is_read_slowly_comes_whole(app: &TestApp) {
        let bot = project(app);
        let bytes: Vec<u8> = (0..3_000_000_u32).map(|n| (n.wrapping_mul(n) >> 9) as u8).collect();
        let document = store(&bot, "a", "application/octet-stream", &bytes);
        let mut connection = bot.connect();
        let path = download_at(&document);
        let head = connection.head("GET", &path, &[]);
        connection.send(head).unwrap();
        connection.expect_answer();
        // What is deleted meanwhile is still read to its end: the bytes stay for their grace.
        let _ = bot.client.delete(&super::at(&document)).ok();
        assert!(connection.read("GET", &path).bytes() == bytes);
    }

    fn a_document_without_a_read_scope_is_not_downloaded(app: &TestApp) {
        let bot = project(app);
        let document = store(&bot, "a.txt", "text/plain", b"Words");
        let scopes = botyard_tests::Mint::scopes("projectdoc:write,projectdoc:chunk");
        let client = bot.tenant.bearer(bot.scheme, scopes);
        let problem = client.get(&download_at(&document)).problem(403, "missing_scope");
        assert_eq!(problem["requiredScopes"], json!(["projectdoc:read"]));
    }
}
