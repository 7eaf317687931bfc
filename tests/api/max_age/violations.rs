//! What is refused, and how.

use botyard_tests::{Tenant, each_database};
use serde_json::json;

use super::{RULES, make, path};

/// An identifier that nothing has.
const NOBODY: &str = "0190c7a0-1111-7222-8333-444455556666";

/// Creates and updates with the same body; both must be refused alike, and change nothing.
#[track_caller]
fn refused(tenant: &Tenant<'_>, body: &str, expected: &[(&str, &str)]) {
    let client = tenant.as_project();
    let rule = make(&client, &tenant.text("own"), 60);
    let before = tenant.snapshot();
    client.request("POST", RULES).body(body).send().has_violations(expected);
    client.request("PUT", &path(&rule)).body(body).send().has_violations(expected);
    before.assert_unchanged(tenant);
}

each_database! {
    fn every_wrong_type_is_reported_at_once(app: &TestApp) {
        let tenant = app.tenant();
        for (pattern, seconds) in [
            (json!(1), json!("60")),
            (json!(true), json!(false)),
            (json!(["*"]), json!([60])),
            (json!({}), json!({})),
        ] {
            let body = json!({"keyPattern": pattern, "maxAgeSeconds": seconds});
            let wrong = [("/keyPattern", "wrong_type"), ("/maxAgeSeconds", "wrong_type")];
            refused(&tenant, &body.to_string(), &wrong);
        }
    }

    fn an_age_is_a_number_above_0(app: &TestApp) {
        let tenant = app.tenant();
        for seconds in ["0", "-1", "0.0", "-0", "-0.5", "1e999", "-1e999", "1e-999"] {
            let body = format!(r#"{{"keyPattern":"*","maxAgeSeconds":{seconds}}}"#);
            refused(&tenant, &body, &[("/maxAgeSeconds", "out_of_range")]);
        }
        for seconds in ["NaN", "Infinity", "+1", ".5", "1.", "0x10", "01"] {
            let body = format!(r#"{{"keyPattern":"*","maxAgeSeconds":{seconds}}}"#);
            refused(&tenant, &body, &[("", "malformed_json")]);
        }
    }

    fn a_pattern_has_1_to_1024_bytes_and_a_whole_end(app: &TestApp) {
        let tenant = app.tenant();
        for (pattern, code) in [
            (String::new(), "too_short"),
            ("a".repeat(1_025), "too_long"),
            ("ü".repeat(513), "too_long"),
            ("\\".to_owned(), "bad_format"),
            ("a*\\\\\\".to_owned(), "bad_format"),
        ] {
            let body = json!({"keyPattern": pattern, "maxAgeSeconds": 1});
            refused(&tenant, &body.to_string(), &[("/keyPattern", code)]);
        }
        for character in ["\\u0000", "\\ud800"] {
            let body = format!(r#"{{"keyPattern":"a{character}","maxAgeSeconds":1}}"#);
            refused(&tenant, &body, &[("/keyPattern", "bad_character")]);
        }
        let client = tenant.as_project();
        for pattern in ["a".repeat(1_024), "ü".repeat(512), "\\\\".to_owned(), " ".to_owned()] {
            assert_eq!(make(&client, &pattern, 1)["keyPattern"], pattern);
        }
    }

    fn every_violation_is_reported_at_once(app: &TestApp) {
        refused(
            &app.tenant(),
            r#"{"_id":"x","keyPattern":"","keypattern":"*","maxAgeSeconds":-1,"createdAt":null}"#,
            &[
                ("/_id", "unknown_field"),
                ("/keyPattern", "too_short"),
                ("/keypattern", "unknown_field"),
                ("/maxAgeSeconds", "out_of_range"),
                ("/createdAt", "unknown_field"),
            ],
        );
    }

    fn a_body_is_an_object_without_repetition(app: &TestApp) {
        let tenant = app.tenant();
        for (body, pointer, code) in [
            ("", "", "malformed_json"),
            ("null", "", "not_an_object"),
            ("[]", "", "not_an_object"),
            ("{\"keyPattern\":\"*\"", "", "malformed_json"),
            (r#"{"keyPattern":"*","keyPattern":"*","maxAgeSeconds":1}"#, "/keyPattern", "duplicate_field"),
        ] {
            refused(&tenant, body, &[(pointer, code)]);
        }
    }

    fn a_new_rule_needs_both_members(app: &TestApp) {
        let client = app.tenant().as_project();
        let missing = [("/keyPattern", "missing_field"), ("/maxAgeSeconds", "missing_field")];
        for body in [json!({}), json!({"keyPattern": null, "maxAgeSeconds": null})] {
            client.post(RULES, &body).has_violations(&missing);
        }
        client.post(RULES, &json!({"keyPattern": "*"})).has_violations(&missing[1..]);
        client.post(RULES, &json!({"maxAgeSeconds": 1})).has_violations(&missing[..1]);
        assert_eq!(client.get(RULES).text(), "[]");
    }

    fn an_update_changes_something_and_unsets_nothing(app: &TestApp) {
        let client = app.tenant().as_project();
        let rule = make(&client, "a", 60);
        client.put(&path(&rule), &json!({})).has_violations(&[("", "no_fields")]);
        let nulls = client.put(&path(&rule), &json!({"keyPattern": null, "maxAgeSeconds": null}));
        nulls.has_violations(&[("/keyPattern", "null"), ("/maxAgeSeconds", "null")]);
        assert_eq!(client.get(RULES).items(), [rule]);
    }

    fn a_malformed_rule_id_is_a_violation_of_the_path(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let rule = make(&client, "a", 60);
        let own = rule["_id"].as_str().unwrap();
        for id in [
            "x".to_owned(),
            "%20".to_owned(),
            "%00".to_owned(),
            "..".to_owned(),
            own.to_uppercase(),
            own.replace('-', ""),
            format!("%7B{own}%7D"),
            format!("{own}%20"),
            format!("{own}%2Fx"),
            format!("urn:uuid:{own}"),
        ] {
            let at = format!("{RULES}/{id}");
            for answer in [client.delete(&at), client.put(&at, &json!({"maxAgeSeconds": 1}))] {
                answer.has_violations(&[("/ruleId", "bad_format")]);
                let problem = answer.problem(422, "bad_format");
                assert_eq!(problem["errors"][0]["in"], "path", "{answer}");
            }
        }
        assert_eq!(client.get(RULES).items(), [rule]);
    }

    fn violations_of_path_query_and_body_are_reported_together(app: &TestApp) {
        let client = app.tenant().as_project();
        let answer = client.put(&format!("{RULES}/x?limit=1"), &json!({"maxAgeSeconds": 0}));
        answer.has_violations(&[
            ("/limit", "bad_query"),
            ("/maxAgeSeconds", "out_of_range"),
            ("/ruleId", "bad_format"),
        ]);
        answer.problem(422, "bad_query");
        let answer = client.put(&format!("{RULES}/x"), &json!({"maxAgeSeconds": 0}));
        answer.problem(422, "invalid_body");
        client.delete(&format!("{RULES}/x?a=1")).has_violations(&[("/a", "bad_query"), ("/ruleId", "bad_format")]);
    }

    fn violations_come_before_a_rule_that_is_not_there(app: &TestApp) {
        let client = app.tenant().as_project();
        let at = format!("{RULES}/{NOBODY}");
        client.put(&at, &json!({})).has_violations(&[("", "no_fields")]);
        client.delete(&format!("{at}?a=1")).has_violations(&[("/a", "bad_query")]);
        client.put(&at, &json!({"maxAgeSeconds": 1})).problem(404, "max_age_rule_not_found");
        client.delete(&at).problem(404, "max_age_rule_not_found");
    }

    fn queries_are_those_of_lists(app: &TestApp) {
        let client = app.tenant().as_project();
        for (query, parameter) in [
            ("limit=0", "/limit"),
            ("limit=1001", "/limit"),
            ("cursor=x", "/cursor"),
            ("cursor=", "/cursor"),
            ("keyPattern=a", "/keyPattern"),
            ("limit=1&limit=1", "/limit"),
        ] {
            client.get(&format!("{RULES}?{query}")).has_violations(&[(parameter, "bad_query")]);
        }
        client.post(&format!("{RULES}?limit=1"), &json!({"keyPattern": "*", "maxAgeSeconds": 1}))
            .has_violations(&[("/limit", "bad_query")]);
    }
}
