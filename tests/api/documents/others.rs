//! Documents are reached through their own project alone, and with the scopes that are for them.

use botyard_tests::{Client, Mint, OnBot, Response, each_database};
use serde_json::{Value, json};

use super::{
    FILES, UPLOAD, assign, at, chunks_at, download_at, extract_at, get, on_bot, project,
    replace_at, text_form, upload_plain, upload_text,
};
use crate::skills::id;

/// All that can be asked of one document.
fn all_of(client: &Client<'_>, document: &str) -> [Response; 6] {
    let request =
        |method: &str, path: &str| client.request(method, path).header("X-Request-Id", "same");
    [
        request("GET", &at(document)).send(),
        request("GET", &chunks_at(document)).send(),
        request("GET", &download_at(document)).send(),
        request("POST", &extract_at(document)).json(&json!({})).send(),
        request("PUT", &replace_at(document)).form(&text_form("a", "b")).send(),
        request("DELETE", &at(document)).send(),
    ]
}

/// The scopes that each operation asks for.
fn operations(bot: &OnBot<'_>, document: &str) -> Vec<(&'static str, String, &'static str)> {
    let own = bot.id().to_string();
    vec![
        ("GET", FILES.to_owned(), "projectdoc:read"),
        ("GET", at(document), "projectdoc:read"),
        ("GET", chunks_at(document), "projectdoc:read"),
        ("GET", download_at(document), "projectdoc:read"),
        ("POST", UPLOAD.to_owned(), "projectdoc:write"),
        ("PUT", replace_at(document), "projectdoc:write"),
        ("POST", on_bot(&own, "upload"), "projectdoc:write"),
        ("POST", on_bot(&own, "assign"), "bots:write,projectdoc:write"),
        ("POST", on_bot(&own, "unassign"), "bots:write,projectdoc:write"),
        ("POST", extract_at(document), "projectdoc:chunk"),
        ("DELETE", at(document), "projectdoc:write"),
    ]
}

/// Sends what an operation wants.
fn send(client: &Client<'_>, method: &str, path: &str, document: &str) -> Response {
    let request = client.request(method, path);
    if path.contains("/upload") || path.contains("/replace/") {
        request.form(&text_form("a.txt", "Words").text("extract", "false")).send()
    } else if path.contains("assign") {
        request.json(&json!({"docIds": [document]})).send()
    } else {
        request.send()
    }
}

each_database! {
    fn missing_and_foreign_documents_are_the_same_to_the_byte(app: &TestApp) {
        let bot = project(app);
        let foreign = [bot.tenant.sibling(), app.tenant()].map(|tenant| {
            let other = tenant.with_project_token();
            let document = id(&upload_text(&other, "foreign.txt"));
            let before = other.tenant.snapshot();
            (other, document, before)
        });
        let missing = all_of(&bot.client, crate::skills::NEVER).map(|answer| {
            answer.problem(404, "document_not_found");
            answer.text()
        });
        for (other, document, before) in &foreign {
            assert_eq!(all_of(&bot.client, document).map(|answer| answer.text()), missing);
            before.assert_unchanged(&other.tenant);
        }
        assert_eq!(all_of(&bot.client, "x").map(|answer| answer.text()), missing);
        assert_eq!(bot.client.get(FILES).text(), "[]");
    }

    fn a_document_of_another_project_is_assigned_to_no_bot(app: &TestApp) {
        let bot = project(app);
        let other = bot.tenant.sibling().with_project_token();
        let (own, foreign) = (upload_plain(&bot, "own"), upload_plain(&other, "foreign"));
        let before = (bot.tenant.snapshot(), other.tenant.snapshot());
        for what in ["assign", "unassign"] {
            let path = on_bot(&bot.id().to_string(), what);
            let answer = bot.client.post(&path, &json!({"docIds": [own, foreign]}));
            answer.problem(404, "document_not_found");
            // Nor can its own project reach this bot.
            let answer = other.client.post(&path, &json!({"docIds": [foreign]}));
            answer.problem(404, "bot_not_found");
        }
        before.0.assert_unchanged(&bot.tenant);
        before.1.assert_unchanged(&other.tenant);
    }

    fn the_same_bytes_of_two_projects_are_two_files(app: &TestApp) {
        let bot = project(app);
        let other = bot.tenant.sibling().with_project_token();
        let words = "The same for everybody";
        let documents = [&bot, &other].map(|bot| id(&super::upload(bot, &text_form("a.txt", words))));
        let _ = bot.client.delete(&at(&documents[0])).ok();
        assert_eq!(super::texts(&other.client, &documents[1]), [words]);
        assert_eq!(other.client.get(&download_at(&documents[1])).text(), words);
        for bot in [&bot, &other] {
            assert_eq!(crate::fusion::files::stored(&bot.tenant).len(), 1);
        }
    }

    fn each_operation_asks_for_its_own_scopes(app: &TestApp) {
        let bot = project(app);
        let document = upload_plain(&bot, "a");
        let _ = assign(&bot.client, &bot.id().to_string(), &[&document]);
        let all = ["bots:write", "projectdoc:read", "projectdoc:write", "projectdoc:chunk"];
        for (method, path, scopes) in operations(&bot, &document) {
            let needed: Vec<_> = scopes.split(',').collect();
            for lacking in &needed {
                let others: Vec<_> = all.into_iter().filter(|scope| scope != lacking).collect();
                let client = bot.tenant.bearer(bot.scheme, Mint::scopes(&others.join(",")));
                let answer = send(&client, method, &path, &document);
                let problem = answer.problem(403, "missing_scope");
                assert_eq!(problem["requiredScopes"], json!(needed), "{method} {path}");
            }
            let client = bot.tenant.bearer(bot.scheme, Mint::scopes(scopes));
            let answer = send(&client, method, &path, &document);
            assert_eq!(answer.status(), 200, "{answer}");
        }
    }

    fn a_bot_token_opens_none_of_it(app: &TestApp) {
        let bot = project(app);
        let document = upload_plain(&bot, "a");
        let client = bot.tenant.as_bot(bot.id());
        for (method, path, _) in operations(&bot, &document) {
            send(&client, method, &path, &document).problem(401, "unauthenticated");
        }
        // In its own scheme there is nothing of the kind.
        for path in ["/api/external/bot/doc/upload", "/api/external/bot/doc/assign", "/api/external/doc/files"]
        {
            client.post(path, &json!({})).problem(404, "unknown_path");
        }
        assert_eq!(get(&bot.client, &document)["botIds"], Value::from(Vec::<Value>::new()));
    }

    fn a_read_only_token_reads(app: &TestApp) {
        let bot = project(app);
        let document = upload_plain(&bot, "a");
        let client = bot.tenant.bearer(bot.scheme, Mint::read_only());
        for (method, path, _) in operations(&bot, &document) {
            let answer = send(&client, method, &path, &document);
            if method == "GET" {
                assert_eq!(answer.status(), 200, "{answer}");
            } else {
                answer.problem(403, "read_only_token");
            }
        }
    }
}
