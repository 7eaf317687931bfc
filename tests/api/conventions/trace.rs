//! `traceparent`, which says to which trace a request belongs.

use botyard_tests::waiting::eventually;
use botyard_tests::{Response, TestApp, each_database};
use serde_json::Value;

const PATH: &str = "/api/external/projectapi/checkauth";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// The span of a request, as its answer says.
#[track_caller]
fn span(answer: &Response, flags: &str) -> String {
    let value = answer.header("traceresponse").unwrap_or_else(|| panic!("no trace: {answer}"));
    let rest = value.strip_prefix(&format!("00-{TRACE}-")).unwrap_or_else(|| panic!("{value}"));
    let span = rest.strip_suffix(&format!("-{flags}")).unwrap_or_else(|| panic!("{value}"));
    assert!(span.len() == 16 && span.bytes().all(|byte| byte.is_ascii_hexdigit()), "{value}");
    span.to_owned()
}

/// The line of the log about a request.
fn logged(app: &TestApp, request_id: &str) -> Value {
    eventually("the request is in the log", || {
        let log = app.server().log();
        let mut lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.find(|line| line["message"] == "request" && line["request_id"] == request_id)
    })
}

each_database! {
    fn the_trace_of_a_caller_is_in_the_answer_and_in_the_log(app: &TestApp) {
        let client = app.tenant().as_project();
        let parent = format!("00-{TRACE}-00f067aa0ba902b7-01");
        let send = || {
            let request = client.request("GET", PATH).header("traceparent", &parent);
            request.header("tracestate", "vendor=opaque").send()
        };
        let (first, second) = (send(), send());
        let _ = first.ok();
        let (one, other) = (span(&first, "01"), span(&second, "01"));
        assert!(one != other && one != "00f067aa0ba902b7", "{one} {other}");
        assert_eq!(first.header("tracestate"), None);
        let request_id = first.header("x-request-id").unwrap();
        let line = logged(app, request_id);
        assert_eq!((&line["trace_id"], &line["span_id"]), (&TRACE.into(), &one.into()));

        // Whatever the answer is.
        let refused = app.anonymous().request("GET", PATH).header("traceparent", &parent).send();
        refused.problem(401, "unauthenticated");
        span(&refused, "01");
        let missing = app.anonymous().request("GET", "/nope").header("TraceParent", &parent).send();
        missing.problem(404, "unknown_path");
        span(&missing, "01");
    }

    fn a_request_without_a_valid_trace_has_none(app: &TestApp) {
        let client = app.tenant().as_project();
        let plain = client.get(PATH);
        for value in ["", "00", &format!("00-{TRACE}-0000000000000000-01"), &TRACE.to_uppercase()] {
            let answer = client.request("GET", PATH).header("traceparent", value).send();
            let _ = answer.ok();
            assert_eq!(answer.header("traceresponse"), None, "{value}");
        }
        assert_eq!(plain.header("traceresponse"), None);
        let line = logged(app, plain.header("x-request-id").unwrap());
        assert_eq!((&line["trace_id"], &line["span_id"]), (&Value::Null, &Value::Null));
    }
}
