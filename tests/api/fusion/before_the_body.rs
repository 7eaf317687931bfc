//! What is answered to an upload before its first byte is read.
//!
//! Each request announces more than it sends, so a server that read on would answer nothing.

use botyard_tests::{Client, Form, Mint, Response, each_scheme};
use domain::bot::DeleteMode;
use serde_json::json;

use super::files::stored;
use super::held::Held;
use super::{NOBODY, archive, at, id_of, new_view, new_view_of, upload_at};

/// Announces a form in all ways in which the announcement can be wrong as well, sends half of it,
/// and reads the answers.
#[track_caller]
pub fn unread(client: &Client<'_>, (method, path): (&str, &str), form: &Form) -> Vec<Response> {
    let bytes = form.bytes();
    let content_type = format!("Content-Type: {}", form.content_type());
    let length = "Content-Length: 1000000";
    let announcements: [&[&str]; 6] = [
        &[&content_type, length],
        &[&content_type, "Transfer-Encoding: chunked"],
        &[&content_type, "Content-Length: 1000000000000"],
        &[&content_type, "Content-Encoding: gzip", length],
        &["Content-Type: application/json", length],
        &["Content-Type: multipart/form-data", length],
    ];
    let answers = announcements.map(|lines| {
        let mut connection = client.connect();
        let head = connection.head(method, path, lines);
        connection.send(head).unwrap();
        if lines.contains(&"Transfer-Encoding: chunked") {
            connection.send("100000\r\n").unwrap();
        }
        connection.send(&bytes[..bytes.len() / 2]).unwrap();
        let answer = connection.read(method, path);
        assert_eq!(answer.header("connection"), Some("close"), "{answer}");
        answer
    });
    answers.into()
}

#[track_caller]
fn unread_upload(client: &Client<'_>, path: &str) -> Vec<Response> {
    unread(client, ("POST", path), &Form::archive(&archive("content")))
}

each_scheme! {
    fn a_view_that_is_not_there_is_reported_first(bot: &OnBot) {
        let tenant = &bot.tenant;
        let other = tenant.as_bot(tenant.new_bot("other"));
        let body = json!({"type": "h5p", "title": "of another"});
        let foreign = id_of(&other.post("/api/external/bot/fusion", &body).ok());
        let before = tenant.snapshot();
        for id in [NOBODY, "x", &foreign] {
            for answer in unread_upload(&bot.client, &bot.path(&upload_at(id))) {
                answer.problem(404, "fusion_view_not_found");
            }
        }
        before.assert_unchanged(tenant);
        assert_eq!(stored(tenant), [""; 0]);
    }

    fn a_type_without_packages_is_reported_first(bot: &OnBot) {
        let id = new_view_of(bot, "video");
        let before = bot.tenant.snapshot();
        for answer in unread_upload(&bot.client, &bot.path(&upload_at(&id))) {
            answer.problem(415, "upload_not_supported");
        }
        before.assert_unchanged(&bot.tenant);
        assert_eq!(stored(&bot.tenant), [""; 0]);
    }

    fn a_token_that_may_not_is_reported_first(bot: &OnBot) {
        let id = new_view(bot);
        let scopes = Mint::scopes("fusion:read,skills:write,stages:write");
        let without_scope = bot.tenant.bearer(bot.scheme, scopes);
        let read_only = bot.tenant.bearer(bot.scheme, Mint::read_only());
        let before = bot.tenant.snapshot();
        // Not even whether the view is there.
        for path in [&id, NOBODY, "x"].map(|id| bot.path(&upload_at(id))) {
            for answer in unread_upload(&without_scope, &path) {
                let problem = answer.problem(403, "missing_scope");
                assert_eq!(problem["requiredScopes"], json!(["fusion:write"]));
            }
            for answer in unread_upload(&read_only, &path) {
                answer.problem(403, "read_only_token");
            }
            for answer in unread_upload(&bot.tenant.anonymous(), &path) {
                answer.problem(401, "unauthenticated");
            }
        }
        before.assert_unchanged(&bot.tenant);
        assert_eq!(stored(&bot.tenant), [""; 0]);
    }

    fn a_bot_that_is_not_active_is_reported_first(bot: &OnBot) {
        let id = new_view(bot);
        bot.tenant.delete_bot(bot.id(), DeleteMode::Archive);
        let before = bot.tenant.snapshot();
        for answer in unread_upload(&bot.client, &bot.path(&upload_at(&id))) {
            answer.problem(404, "bot_not_found");
        }
        before.assert_unchanged(&bot.tenant);
        assert_eq!(stored(&bot.tenant), [""; 0]);
    }

    fn the_connection_closes_after_such_an_answer(bot: &OnBot) {
        let path = bot.path(&upload_at(NOBODY));
        let mut connection = bot.connect();
        let head = connection.head("POST", &path, &["Content-Length: 100"]);
        connection.send(head).unwrap();
        connection.read("POST", &path).problem(404, "fusion_view_not_found");
        connection.expect_closed();
    }

    fn what_happens_to_the_view_meanwhile_counts(bot: &OnBot) {
        let form = Form::archive(&archive("content"));
        let id = new_view(bot);
        let held = Held::half(bot, &id, &form);
        let _ = bot.delete(&at(&id)).ok();
        held.finish().problem(404, "fusion_view_not_found");

        let id = new_view(bot);
        let before = bot.tenant.snapshot();
        let held = Held::half(bot, &id, &form);
        bot.tenant.delete_bot(bot.id(), DeleteMode::Archive);
        held.finish().problem(404, "bot_not_found");
        bot.tenant.restore_bot(bot.id());
        let after = bot.get(&at(&id)).ok();
        assert_eq!(after["file"], json!(null));
        let gained = bot.tenant.snapshot().rows().len() - before.rows().len();
        assert_eq!(gained, 4, "the entries and the events of archive and restore");
        assert_eq!(stored(&bot.tenant), [""; 0]);
    }
}
