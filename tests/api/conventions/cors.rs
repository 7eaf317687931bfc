//! Browsers on other websites.

use botyard_tests::{Response, TestApp, each_database};
use serde_json::json;

use crate::bots::BOTS;

const HOME: &str = "https://app.example.org";
const SETTINGS: [(&str, &str); 1] =
    [("CORS__ALLOWED_ORIGINS", "https://app.example.org,http://localhost:3000")];

fn preflight(app: &TestApp, origin: &str, method: &str, headers: &str) -> Response {
    app.anonymous()
        .request("OPTIONS", BOTS)
        .header("Origin", origin)
        .header("Access-Control-Request-Method", method)
        .header("Access-Control-Request-Headers", headers)
        .send()
}

fn words(answer: &Response, header: &str) -> Vec<String> {
    let value = answer.header(header).unwrap_or_default().to_lowercase();
    let mut words: Vec<_> = value.split(',').map(|word| word.trim().to_owned()).collect();
    words.sort();
    words
}

each_database! {
    fn a_preflight_of_a_known_origin_is_answered(database: Database) {
        let app = TestApp::sharing(database, &SETTINGS);
        for origin in [HOME, "http://localhost:3000"] {
            for method in ["GET", "POST", "PUT", "DELETE"] {
                let headers = "x-project-api-key, x-api-key, content-type, x-request-id, traceparent, tracestate";
                let answer = preflight(app, origin, method, headers);
                assert!(matches!(answer.status(), 200 | 204), "{answer}");
                assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
                assert!(words(&answer, "access-control-allow-methods").contains(&method.to_lowercase()));
                let allowed = words(&answer, "access-control-allow-headers");
                for header in headers.split(", ") {
                    assert!(allowed.contains(&header.to_owned()), "{header}: {allowed:?}");
                }
                assert_eq!(answer.header("access-control-allow-credentials"), None);
            }
        }
    }

    fn a_preflight_of_another_origin_allows_nothing(database: Database) {
        let app = TestApp::sharing(database, &SETTINGS);
        for origin in [
            "https://example.org",
            "http://app.example.org",
            "https://app.example.org.evil.test",
            "https://app.example.org:8443",
            "null",
        ] {
            let answer = preflight(app, origin, "GET", "x-api-key");
            assert_eq!(answer.header("access-control-allow-origin"), None, "{origin}");
        }
        let answer = preflight(app, HOME, "TRACE", "x-api-key");
        assert!(!words(&answer, "access-control-allow-methods").contains(&"trace".to_owned()));
    }

    fn answers_say_who_may_read_them(database: Database) {
        let app = TestApp::sharing(database, &SETTINGS);
        let client = app.tenant().as_project();
        let valid = client.request("GET", BOTS).header("Origin", HOME).send();
        assert_eq!(valid.items().len(), 1);
        let refused = client.request("PUT", BOTS).header("Origin", HOME).json(&json!({})).send();
        refused.problem(405, "method_not_allowed");
        let invalid = client.request("POST", BOTS).header("Origin", HOME).json(&json!({})).send();
        invalid.problem(422, "missing_field");
        for answer in [valid, refused, invalid] {
            assert_eq!(answer.header("access-control-allow-origin"), Some(HOME), "{answer}");
            assert!(words(&answer, "vary").contains(&"origin".to_owned()), "{answer}");
            let exposed = words(&answer, "access-control-expose-headers");
            for header in ["link", "x-request-id", "traceresponse", "retry-after"] {
                assert!(exposed.contains(&header.to_owned()), "{header}: {answer}");
            }
        }
    }

    fn a_request_of_another_origin_is_answered_but_not_for_scripts_to_read(database: Database) {
        let app = TestApp::sharing(database, &SETTINGS);
        let client = app.tenant().as_project();
        let answer = client.request("GET", BOTS).header("Origin", "https://example.org").send();
        assert_eq!(answer.items().len(), 1);
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }

    fn callers_that_are_no_browsers_are_served_as_ever(database: Database) {
        let app = TestApp::sharing(database, &SETTINGS);
        let client = app.tenant().as_project();
        let answer = client.get(BOTS);
        assert_eq!(answer.items().len(), 1);
        assert_eq!(answer.header("access-control-allow-origin"), None);
        client.get("/nope").problem(404, "unknown_path");
    }
}
