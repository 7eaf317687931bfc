//! `POST …/keyval/bulk-delete`: its body. What a filter means is tested with the filters.

use botyard_tests::{TestApp, each_database};
use serde_json::json;

use super::{addresses, each_level, padded};

each_level! {
    fn a_filter_is_needed(on: &OnKeyval) {
        on.store_all([("u", "t", "k")]);
        let before = on.tenant.snapshot();
        for body in [
            json!({}),
            json!({"keepPermanent": false}),
            json!({"userId": null, "type": null, "keyPrefix": null}),
        ] {
            on.bulk_delete(&body).has_violations(&[("", "no_filter")]);
            on.bulk_delete(&body).problem(422, "no_filter");
        }
        before.assert_unchanged(&on.tenant);
    }

    fn an_empty_prefix_says_everything_on_purpose(on: &OnKeyval) {
        on.store_all([("u", "t", "k"), ("v", "s", "l")]);
        on.record([("u", "t", "!p")]);
        assert_eq!(on.bulk_delete(&json!({"keyPrefix": ""})).text(), r#"{"deleted":2}"#);
        assert_eq!(addresses(&on.list()), [("u", "t", "!p")]);
        assert_eq!(on.bulk_delete(&json!({"keyPrefix": ""})).ok(), json!({"deleted": 0}));
    }

    fn null_is_the_same_as_left_out(on: &OnKeyval) {
        on.store_all([("u", "t", "k"), ("u", "s", "k"), ("v", "t", "k")]);
        on.record([("u", "t", "!p")]);
        let body = json!({"userId": "u", "type": null, "keyPrefix": null, "keepPermanent": null});
        assert_eq!(on.bulk_delete(&body).ok(), json!({"deleted": 2}));
        assert_eq!(addresses(&on.list()), [("u", "t", "!p"), ("v", "t", "k")]);
    }

    fn every_violation_is_reported_at_once(on: &OnKeyval) {
        on.store_all([("u", "t", "k")]);
        let before = on.tenant.snapshot();
        let (word, key) = ("x".repeat(257), "x".repeat(1_025));
        for (body, violations) in [
            (json!({"userId": "", "type": "", "keyPrefix": ""}), &[
                ("/userId", "too_short"),
                ("/type", "too_short"),
            ][..]),
            (json!({"userId": word, "type": word, "keyPrefix": key}), &[
                ("/userId", "too_long"),
                ("/type", "too_long"),
                ("/keyPrefix", "too_long"),
            ]),
            (json!({"userId": 1, "type": [], "keyPrefix": {}, "keepPermanent": "true"}), &[
                ("/userId", "wrong_type"),
                ("/type", "wrong_type"),
                ("/keyPrefix", "wrong_type"),
                ("/keepPermanent", "wrong_type"),
            ]),
            (json!({"userId": "u", "key": "k", "keyprefix": "", "all": true}), &[
                ("/key", "unknown_field"),
                ("/keyprefix", "unknown_field"),
                ("/all", "unknown_field"),
            ]),
            (json!({"key": "k"}), &[("", "no_filter"), ("/key", "unknown_field")]),
            (json!({"userId": ["u"]}), &[("/userId", "wrong_type")]),
            (json!({"userId": "u", "keepPermanent": 0}), &[("/keepPermanent", "wrong_type")]),
        ] {
            on.bulk_delete(&body).has_violations(violations);
        }
        before.assert_unchanged(&on.tenant);
    }

    fn a_body_is_an_object(on: &OnKeyval) {
        on.store_all([("u", "t", "k")]);
        let before = on.tenant.snapshot();
        let post = |body: &str| {
            let request = on.client.request("POST", &on.path("/bulk-delete"));
            request.body(body).send()
        };
        for (body, pointer, code) in [
            ("", "", "malformed_json"),
            ("{", "", "malformed_json"),
            ("[]", "", "not_an_object"),
            ("null", "", "not_an_object"),
            (r#""keyPrefix""#, "", "not_an_object"),
            (r#"{"userId":"u","userId":"u"}"#, "/userId", "duplicate_field"),
            (r#"{"userId":"\u0000"}"#, "/userId", "bad_character"),
            (r#"{"keyPrefix":"\ud800"}"#, "/keyPrefix", "bad_character"),
        ] {
            post(body).has_violations(&[(pointer, code)]);
        }
        let large = padded(r#"{"userId":"u"}"#, (2 << 20) + 1);
        post(&large).problem(413, "body_too_large");
        before.assert_unchanged(&on.tenant);
    }

    fn the_longest_filters_fit(on: &OnKeyval) {
        let (word, key) = ("𝄞".repeat(64), "𝄞".repeat(256));
        on.store_all([(&*word, &*word, &*key), ("u", "t", "k")]);
        let body = json!({"userId": word, "type": word, "keyPrefix": key});
        assert_eq!(on.bulk_delete(&body).ok(), json!({"deleted": 1}));
        assert_eq!(on.list().len(), 1);
    }
}

each_database! {
    fn a_body_that_does_not_come_is_not_waited_for(database: Database) {
        let app = TestApp::start(database, &[("LIMITS__HANDLER_TIMEOUT", "1s")]);
        let tenant = app.tenant();
        let client = tenant.as_project();
        let path = "/api/external/projectapi/keyval/bulk-delete";
        let answer = client.connect().exchange("POST", path, &["Content-Length: 20"], b"{");
        answer.problem(408, "too_slow");
    }
}
