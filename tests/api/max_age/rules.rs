//! What can be done with rules.

use botyard_tests::{Mint, at_once, each_database};
use domain::access::Scheme;
use serde_json::{Value, json};

use super::{ENTRIES, RULES, make, path};

const CALLERS: usize = 40;

each_database! {
    fn a_new_rule_comes_back_as_given(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        assert_eq!(client.get(RULES).text(), "[]");
        let pattern = tenant.text("a\\*b?🤖*");
        let rule = make(&client, &pattern, 60);
        let mut members: Vec<_> = rule.as_object().unwrap().keys().map(String::as_str).collect();
        members.sort_unstable();
        assert_eq!(members, ["_id", "createdAt", "keyPattern", "maxAgeSeconds", "updatedAt"]);
        assert_eq!(rule["keyPattern"], pattern.as_str());
        assert_eq!(rule["createdAt"], rule["updatedAt"]);
        assert_eq!(client.get(RULES).items(), [rule]);
    }

    fn an_age_is_a_number_of_whatever_size(app: &TestApp) {
        let client = app.tenant().as_project();
        for (given, shown) in [
            ("1", "1"),
            ("3600.0", "3600"),
            ("0.001", "0.001"),
            ("5e-324", "5e-324"),
            ("2592000", "2592000"),
            ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ] {
            let body = format!(r#"{{"keyPattern":"*","maxAgeSeconds":{given}}}"#);
            let answer = client.request("POST", RULES).body(body).send();
            assert_eq!(answer.status(), 200, "{answer}");
            let member = format!("\"maxAgeSeconds\":{shown},");
            assert!(answer.text().contains(&member), "{answer}");
            assert!(client.get(RULES).text().contains(&member), "{member}");
        }
    }

    fn rules_are_listed_oldest_first_also_page_by_page(app: &TestApp) {
        let client = app.tenant().as_project();
        let made: Vec<_> = (1..=5).map(|number| make(&client, &format!("k{number}"), number)).collect();
        // What is changed does not move.
        let changed = client.put(&path(&made[0]), &json!({"maxAgeSeconds": 9})).ok();
        let expected = [&[changed], &made[1..]].concat();
        assert_eq!(client.get(RULES).items(), expected);
        let (mut all, mut next) = (Vec::new(), Some(format!("{RULES}?limit=2")));
        while let Some(page) = next {
            let answer = client.get(&page);
            assert!(answer.items().len() <= 2, "{answer}");
            all.extend(answer.items());
            next = answer.next_page();
        }
        assert_eq!(all, expected);
    }

    fn what_is_named_changes_and_nothing_else(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_project();
        let mut rule = make(&client, "a*", 60);
        for (member, value) in [
            ("keyPattern", json!(tenant.text("b"))),
            ("maxAgeSeconds", json!(0.5)),
        ] {
            let long_ago = "UPDATE max_age_rules SET created_at = 0, updated_at = 0";
            let id = rule["_id"].as_str().unwrap();
            tenant.app().sql().execute(&format!("{long_ago} WHERE id = '{id}'"));
            rule[member] = value.clone();
            rule["createdAt"] = json!("1970-01-01T00:00:00.000Z");
            let updated = client.put(&path(&rule), &json!({member: value})).ok();
            assert_ne!(updated["updatedAt"], rule["createdAt"]);
            rule["updatedAt"] = updated["updatedAt"].clone();
            assert_eq!(updated, rule);
            // An update that changes nothing leaves no trace.
            let before = tenant.snapshot();
            let given = json!({"keyPattern": rule["keyPattern"], "maxAgeSeconds": rule["maxAgeSeconds"]});
            assert_eq!(client.put(&path(&rule), &given).ok(), rule);
            before.assert_unchanged(&tenant);
        }
        assert_eq!(client.get(RULES).items(), [rule]);
    }

    fn a_deleted_rule_is_gone(app: &TestApp) {
        let client = app.tenant().as_project();
        let [gone, left] = ["gone", "left"].map(|pattern| make(&client, pattern, 60));
        let confirmed = client.delete(&path(&gone)).ok();
        assert_eq!(confirmed, json!({"deleted": true, "_id": gone["_id"]}));
        assert_eq!(client.get(RULES).items(), [left]);
        client.delete(&path(&gone)).problem(404, "max_age_rule_not_found");
        let update = client.put(&path(&gone), &json!({"maxAgeSeconds": 1}));
        update.problem(404, "max_age_rule_not_found");
    }

    fn rules_are_those_of_their_project(app: &TestApp) {
        let tenant = app.tenant();
        let rule = make(&tenant.as_project(), &tenant.text("own"), 60);
        let before = tenant.snapshot();
        for other in [tenant.sibling(), app.tenant()] {
            let client = other.as_project();
            assert_eq!(client.get(RULES).text(), "[]");
            let from = client.get(&format!("{RULES}?limit=9&cursor={}", rule["_id"].as_str().unwrap()));
            assert_eq!(from.text(), "[]");
            client.delete(&path(&rule)).problem(404, "max_age_rule_not_found");
            let update = client.put(&path(&rule), &json!({"maxAgeSeconds": 1}));
            update.problem(404, "max_age_rule_not_found");
        }
        before.assert_unchanged(&tenant);
    }

    fn any_project_token_will_do_but_a_reading_one_for_writing(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.bearer(Scheme::Project, Mint::scopes("stats:read"));
        let rule = make(&client, "a", 60);
        let reader = tenant.bearer(Scheme::Project, Mint::read_only());
        assert_eq!(reader.get(RULES).items(), std::slice::from_ref(&rule));
        reader.post(RULES, &json!({})).problem(403, "read_only_token");
        reader.put(&path(&rule), &json!({})).problem(403, "read_only_token");
        reader.delete(&path(&rule)).problem(403, "read_only_token");
        tenant.as_bot(tenant.bot()).get(RULES).problem(401, "unauthenticated");
        assert_eq!(client.delete(&path(&rule)).ok()["deleted"], true);
    }

    /// Otherwise a misspelt request could delete the entries of a user of that name.
    fn the_path_is_never_that_of_a_user(app: &TestApp) {
        let client = app.tenant().as_project();
        for method in ["PUT", "DELETE", "PATCH"] {
            let answer = client.request(method, RULES).send();
            answer.problem(405, "method_not_allowed");
            assert_eq!(answer.header("allow"), Some("GET, HEAD, POST"), "{answer}");
        }
        let answer = client.delete(&format!("{ENTRIES}/maxage/x/y"));
        answer.problem(404, "unknown_path");
    }

    fn creates_at_once_are_all_done(app: &TestApp) {
        let client = app.tenant().as_project();
        let made = at_once(CALLERS, |_| make(&client, "same", 60));
        let listed = client.get(RULES).items();
        assert_eq!(listed.len(), CALLERS);
        assert!(made.iter().all(|rule| listed.contains(rule)));
    }

    fn updates_of_different_fields_do_not_undo_each_other(app: &TestApp) {
        let client = app.tenant().as_project();
        let rule = make(&client, "a", 60);
        let _ = at_once(CALLERS, |number| {
            let body = if number.is_multiple_of(2) { json!({"keyPattern": "b"}) } else { json!({"maxAgeSeconds": 7}) };
            client.put(&path(&rule), &body).ok()
        });
        let after = &client.get(RULES).items()[0];
        assert_eq!((&after["keyPattern"], &after["maxAgeSeconds"]), (&json!("b"), &json!(7)));
    }

    fn of_deletes_of_one_rule_one_is_done(app: &TestApp) {
        let client = app.tenant().as_project();
        let rule = make(&client, "a", 60);
        let answers = at_once(20, |_| client.delete(&path(&rule)));
        let refused: Vec<_> = answers.iter().filter(|answer| answer.status() != 200).collect();
        assert_eq!(refused.len(), 19);
        for answer in refused {
            answer.problem(404, "max_age_rule_not_found");
        }
        assert_eq!(client.get(RULES).items(), Vec::<Value>::new());
    }
}
