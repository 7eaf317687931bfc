//! What is answered to a file before its first byte is read.
//!
//! Each request announces more than it sends, so a server that read on would answer nothing.

use botyard_tests::{Client, Form, Mint, OnBot, Response, each_database};
use domain::bot::DeleteMode;
use serde_json::json;

use super::{UPLOAD, get, on_bot, project, replace_at, text_form, upload_plain};
use crate::fusion::before_the_body;
use crate::fusion::files::stored;
use crate::fusion::held::Held;
use crate::skills::NEVER;

/// The answers to a form of which not all comes.
#[track_caller]
fn unread(client: &Client<'_>, method: &str, path: &str) -> Vec<Response> {
    let form = text_form("a.txt", &"Words ".repeat(100));
    before_the_body::unread(client, (method, path), &form)
}

/// The ways to send a file: method and path.
fn ways(bot: &OnBot<'_>, document: &str) -> [(&'static str, String); 3] {
    [("POST", UPLOAD.to_owned()), ("POST", bot.path("/doc/upload")), ("PUT", replace_at(document))]
}

each_database! {
    fn a_token_that_may_not_is_reported_first(app: &TestApp) {
        let bot = project(app);
        let document = upload_plain(&bot, "a");
        let scopes = Mint::scopes("projectdoc:read,projectdoc:chunk,bots:write");
        let without_scope = bot.tenant.bearer(bot.scheme, scopes);
        let read_only = bot.tenant.bearer(bot.scheme, Mint::read_only());
        let (before, kept) = (bot.tenant.snapshot(), stored(&bot.tenant));
        let mut ways = Vec::from(ways(&bot, &document));
        // Not even whether the bot or the document is there.
        ways.extend([("POST", on_bot(NEVER, "upload")), ("PUT", replace_at(NEVER))]);
        for (method, path) in &ways {
            for answer in unread(&without_scope, method, path) {
                let problem = answer.problem(403, "missing_scope");
                assert_eq!(problem["requiredScopes"], json!(["projectdoc:write"]));
            }
            for answer in unread(&read_only, method, path) {
                answer.problem(403, "read_only_token");
            }
            for answer in unread(&bot.tenant.anonymous(), method, path) {
                answer.problem(401, "unauthenticated");
            }
            for answer in unread(&bot.tenant.as_bot(bot.id()), method, path).into_iter().take(1) {
                answer.problem(401, "unauthenticated");
            }
        }
        // But for the token that was made meanwhile.
        assert_eq!(bot.tenant.snapshot().rows_but_tokens(), before.rows_but_tokens());
        assert_eq!(stored(&bot.tenant), kept);
    }

    fn a_document_that_is_not_there_is_reported_first(app: &TestApp) {
        let bot = project(app);
        let foreign = {
            let other = bot.tenant.sibling().with_project_token();
            upload_plain(&other, "foreign")
        };
        let before = bot.tenant.snapshot();
        for document in [NEVER, "x", &foreign] {
            for answer in unread(&bot.client, "PUT", &replace_at(document)) {
                answer.problem(404, "document_not_found");
            }
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_bot_that_is_not_there_is_reported_first(app: &TestApp) {
        let bot = project(app);
        let foreign = bot.tenant.sibling().bot().to_string();
        bot.tenant.delete_bot(bot.id(), DeleteMode::Archive);
        let before = bot.tenant.snapshot();
        for on in [NEVER, "x", &foreign, &bot.id().to_string()] {
            for answer in unread(&bot.client, "POST", &on_bot(on, "upload")) {
                answer.problem(404, "bot_not_found");
            }
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn what_happens_meanwhile_counts(app: &TestApp) {
        let bot = project(app);
        let form = text_form("a.txt", &bot.text("Words"));
        let half = form.bytes().len() / 2;
        let document = upload_plain(&bot, "a");
        let held = Held::at(&bot.client, ("PUT", &replace_at(&document)), &form, half);
        let _ = bot.client.delete(&super::at(&document)).ok();
        held.finish().problem(404, "document_not_found");

        let path = bot.path("/doc/upload");
        let held = Held::at(&bot.client, ("POST", &path), &form, half);
        bot.tenant.delete_bot(bot.id(), DeleteMode::Archive);
        held.finish().problem(404, "bot_not_found");
        bot.tenant.restore_bot(bot.id());
        // Neither is there a document of the project.
        assert_eq!(bot.client.get(super::FILES).text(), "[]");
    }

    fn a_client_that_goes_away_leaves_nothing(app: &TestApp) {
        let bot = project(app);
        let document = upload_plain(&bot, "a");
        let (before, kept) = (bot.tenant.snapshot(), stored(&bot.tenant));
        let form = Form::new().file("b", "application/octet-stream", &vec![1; 1 << 20]);
        for (method, path) in &ways(&bot, &document) {
            for part in [30, 1 << 19, form.bytes().len() - 3] {
                drop(Held::at(&bot.client, (*method, path), &form, part));
            }
        }
        // All eight slots are free again, so each of those uploads is over.
        let path = UPLOAD.to_owned();
        botyard_tests::waiting::until("all is over", || {
            let held: Vec<_> =
                (0..8).map(|_| Held::at(&bot.client, ("POST", &path), &form, 30)).collect();
            let answer = bot.client.request("POST", UPLOAD).body("no form").send();
            drop(held);
            answer.status() == 429
        });
        before.assert_unchanged(&bot.tenant);
        assert_eq!(stored(&bot.tenant), kept);
        let _ = get(&bot.client, &document);
    }
}
