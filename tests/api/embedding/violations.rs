//! Everything that can be wrong with the body of a crawl. Nothing of such a body takes effect.

use botyard_tests::{OnBot, each_scheme};
use serde_json::{Value, json};

use super::{CLOSED, full, make, path};

/// A body for a new crawl, one for an update, and the violations of each.
type Case<'a> = (Value, Value, &'a [(&'a str, &'a str)]);

/// Creates and updates with these bodies; all must be refused, and change nothing.
#[track_caller]
fn refused(bot: &OnBot<'_>, cases: &[Case<'_>]) {
    let own = make(bot, "own");
    let before = bot.tenant.snapshot();
    for (create, update, expected) in cases {
        bot.post("/embedding", create).has_violations(expected);
        bot.put(&path(&own), update).has_violations(expected);
    }
    before.assert_unchanged(&bot.tenant);
}

/// A valid body for a new crawl with these members besides.
fn with_url(body: &Value) -> Value {
    let mut body = body.clone();
    body["url"] = json!(CLOSED);
    body
}

each_scheme! {
    fn every_violation_of_a_new_crawl_is_reported_at_once(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        let body = json!({
            "url": 1, "depth": "1", "skillId": [], "description": {}, "name": true, "active": true,
            "status": "finished", "pages": [],
        });
        bot.post("/embedding", &body).has_violations(&[
            ("/url", "wrong_type"),
            ("/depth", "wrong_type"),
            ("/skillId", "wrong_type"),
            ("/description", "wrong_type"),
            ("/name", "wrong_type"),
            ("/active", "unknown_field"),
            ("/status", "unknown_field"),
            ("/pages", "unknown_field"),
        ]);
        for (body, violation) in [
            (json!({}), ("/url", "missing_field")),
            (json!({"url": null}), ("/url", "missing_field")),
            (json!({"name": "x", "depth": 1}), ("/url", "missing_field")),
            (json!({"url": [CLOSED]}), ("/url", "wrong_type")),
        ] {
            bot.post("/embedding", &body).has_violations(&[violation]);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_depth_lies_between_0_and_10(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        for (depth, code) in [
            (json!(-1), "out_of_range"),
            (json!(11), "out_of_range"),
            (json!(256), "out_of_range"),
            (json!(9_007_199_254_740_991_u64), "out_of_range"),
            (json!(9_007_199_254_740_992_u64), "out_of_range"),
            (json!(1.5), "wrong_type"),
            (json!(1.0), "wrong_type"),
            (json!(true), "wrong_type"),
        ] {
            bot.post("/embedding", &json!({"url": CLOSED, "depth": depth}))
                .has_violations(&[("/depth", code)]);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn texts_have_their_bounds(bot: &OnBot) {
        let cases = [
            (json!({"name": ""}), &[("/name", "too_short")]),
            (json!({"name": " \n\u{3000}"}), &[("/name", "too_short")]),
            (json!({"name": "ä".repeat(201)}), &[("/name", "too_long")]),
            (json!({"description": "ä".repeat(10_001)}), &[("/description", "too_long")]),
            (json!({"skillId": ""}), &[("/skillId", "too_short")]),
            (json!({"skillId": "ä".repeat(129)}), &[("/skillId", "too_long")]),
            (json!({"name": 1}), &[("/name", "wrong_type")]),
            (json!({"description": false}), &[("/description", "wrong_type")]),
            (json!({"skillId": 0.5}), &[("/skillId", "wrong_type")]),
        ];
        refused(bot, &cases.map(|(body, violations)| (with_url(&body), body, &violations[..])));
    }

    fn fields_that_no_client_sets_are_unknown(bot: &OnBot) {
        let names = [
            "_id", "id", "botId", "status", "error", "pagesScraped", "pagesFailed", "startedAt",
            "finishedAt", "createdAt", "updatedAt", "pages", "URL", "scrapeId", "skill", "",
        ];
        let body: Value = names.map(|name| (name.to_owned(), json!(null))).into_iter().collect();
        let pointers = names.map(|name| format!("/{name}"));
        let expected: Vec<_> =
            pointers.iter().map(|pointer| (pointer.as_str(), "unknown_field")).collect();
        refused(bot, &[(with_url(&body), body, &expected)]);
    }

    fn what_a_crawl_fetches_can_not_be_changed(bot: &OnBot) {
        let own = make(bot, "own");
        let before = bot.tenant.snapshot();
        let body = json!({"url": CLOSED, "depth": 1});
        bot.put(&path(&own), &body)
            .has_violations(&[("/url", "unknown_field"), ("/depth", "unknown_field")]);
        before.assert_unchanged(&bot.tenant);
    }

    fn what_a_crawl_must_have_can_not_be_unset(bot: &OnBot) {
        let own = make(bot, "own");
        let before = bot.tenant.snapshot();
        bot.put(&path(&own), &json!({"name": null, "active": null}))
            .has_violations(&[("/name", "null"), ("/active", "null")]);
        for active in [json!("true"), json!(0), json!([])] {
            bot.put(&path(&own), &json!({"active": active}))
                .has_violations(&[("/active", "wrong_type")]);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_nul_is_refused_wherever_it_stands(bot: &OnBot) {
        let mut body = full(bot);
        for field in ["name", "description", "skillId"] {
            body[field] = json!("a\0b");
        }
        let update = json!({"name": "a\0b", "description": "\0", "skillId": "\0"});
        let expected = ["/name", "/description", "/skillId"].map(|field| (field, "bad_character"));
        refused(bot, &[(body, update, &expected)]);
        bot.post("/embedding", &json!({"url": "http://10.0.0.1/\0"}))
            .has_violations(&[("/url", "bad_character")]);
    }
}
