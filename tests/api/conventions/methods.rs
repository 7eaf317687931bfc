//! HEAD, OPTIONS, and methods that a path does not have.

use std::collections::BTreeMap;

use botyard_tests::{each_database, each_scheme};
use http_actix::operations;
use serde_json::json;

use crate::bots::BOTS;

const ALL: [&str; 8] = ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"];

each_scheme! {
    fn head_answers_like_get_without_a_body(bot: &OnBot) {
        for rel in ["", "/changelog?limit=5"] {
            let mut connection = bot.connect();
            let get = connection.exchange("GET", &bot.path(rel), &["X-Request-Id: same"], b"");
            let head = connection.exchange("HEAD", &bot.path(rel), &["X-Request-Id: same"], b"");
            assert!(head.bytes().is_empty());
            let headers = |answer: &botyard_tests::Response| {
                let headers = answer.headers().iter().filter(|(name, _)| name != "date");
                headers.cloned().collect::<std::collections::BTreeSet<_>>()
            };
            assert_eq!(headers(&head), headers(&get), "{rel}");
            assert_eq!(head.header("content-length"), Some(get.bytes().len().to_string().as_str()));
        }
    }

    fn head_of_a_whole_list_has_no_body(bot: &OnBot) {
        let mut connection = bot.connect();
        let path = bot.path("/changelog");
        let head = connection.exchange("HEAD", &path, &[], b"");
        assert_eq!(head.status(), 200);
        // The connection goes on with the next answer.
        assert_eq!(connection.exchange("GET", &path, &[], b"").items().len(), 1);
    }

    fn head_of_what_is_not_there_has_the_status_of_get(bot: &OnBot) {
        assert_eq!(bot.client.head(&bot.path("/nope")).status(), 404);
        assert_eq!(bot.client.head(&bot.path("/duplicate")).status(), 405);
        assert_eq!(bot.client.head(&bot.path("?nope=1")).status(), 422);
        let head = bot.client.request("HEAD", bot.base()).without_token().send();
        assert_eq!(head.status(), 401);
        assert!(head.header("www-authenticate").is_some());
    }
}

each_database! {
    fn every_path_tells_which_methods_it_has(app: &TestApp) {
        let tenant = app.tenant();
        let mut methods: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for operation in operations() {
            methods.entry(operation.path).or_default().push(operation.method.to_string());
        }
        for (path, mut known) in methods {
            // What stands in place of a parameter is not looked at.
            let own = tenant.bot().to_string();
            let segments = path.split('/');
            let segments = segments.map(|one| if one.starts_with('{') { &*own } else { one });
            let path = segments.collect::<Vec<_>>().join("/");
            if known.contains(&"GET".to_owned()) {
                known.push("HEAD".to_owned());
            }
            known.sort();
            let allow = known.join(", ");
            for method in ALL.iter().filter(|method| !known.contains(&(**method).to_owned())) {
                let mut connection = app.anonymous();
                let answer = connection_exchange(&mut connection, method, &path);
                answer.problem(405, "method_not_allowed");
                assert_eq!(answer.header("allow"), Some(allow.as_str()), "{method} {path}");
            }
        }
    }

    fn a_method_that_a_path_does_not_have_changes_nothing(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let before = tenant.snapshot();
        let path = format!("{BOTS}/{}", tenant.bot());
        let body = json!({"name": tenant.text("x")});
        client.post(&path, &body).problem(405, "method_not_allowed");
        client.put(BOTS, &body).problem(405, "method_not_allowed");
        client.delete(BOTS).problem(405, "method_not_allowed");
        client.request("PATCH", &path).json(&body).send().problem(405, "method_not_allowed");
        let overridden = client.request("POST", &path).header("X-HTTP-Method-Override", "DELETE");
        overridden.send().problem(405, "method_not_allowed");
        before.assert_unchanged(&tenant);
    }

    fn methods_are_distinguished_by_case(app: &TestApp) {
        let client = app.tenant().as_project();
        let answer = client.connect().exchange("get", BOTS, &[], b"");
        answer.problem(405, "method_not_allowed");
    }

    fn without_origins_a_preflight_is_a_method_like_any_other(app: &TestApp) {
        let answer = app
            .anonymous()
            .request("OPTIONS", BOTS)
            .header("Origin", "https://example.org")
            .header("Access-Control-Request-Method", "GET")
            .send();
        answer.problem(405, "method_not_allowed");
        let cors = answer.headers().iter().find(|(name, _)| name.starts_with("access-control"));
        assert_eq!(cors, None);
    }
}

#[track_caller]
fn connection_exchange(
    client: &mut botyard_tests::Client<'_>,
    method: &str,
    path: &str,
) -> botyard_tests::Response {
    client.connect().exchange(method, path, &[], b"")
}
