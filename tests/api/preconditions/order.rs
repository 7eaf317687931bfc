//! In which order preconditions and other reasons to refuse a request are found.

use botyard_tests::{each_database, each_scheme};
use serde_json::json;

use super::{put_if_match, tag_of};

each_scheme! {
    fn what_is_not_there_is_said_first_and_what_is_taken_last(bot: &OnBot) {
        let _ = bot.post("/skills", &json!({"name": "a", "skillId": "a"})).ok();
        let skill = bot.post("/skills", &json!({"name": "b", "skillId": "b"}));
        let stale = tag_of(&skill);
        let _ = bot.put("/skills/b", &json!({"enabled": false})).ok();
        let put = |rel: &str, tag: &str, body| put_if_match(&bot.client, &bot.path(rel), tag, &body);
        put("/skills/none", &stale, json!({"name": "a"})).problem(404, "skill_not_found");
        put("/skills/b", &stale, json!({"name": ""})).problem(422, "too_short");
        let refused = put("/skills/b", &stale, json!({"name": "a"}));
        refused.problem(412, "precondition_failed");
        let current = refused.header("etag").unwrap().to_owned();
        assert_eq!(tag_of(&bot.get("/skills/b")), current);
        put("/skills/b", &current, json!({"name": "a"})).problem(409, "taken");
        let _ = put("/skills/b", &current, json!({"name": "c"})).ok();
    }

    fn a_change_that_changes_nothing_is_refused_as_well(bot: &OnBot) {
        let stale = tag_of(&bot.put("", &json!({"websearch": true})));
        let _ = bot.put("", &json!({"websearch": false})).ok();
        let again = put_if_match(&bot.client, bot.base(), &stale, &json!({"websearch": false}));
        again.problem(412, "precondition_failed");
    }
}

each_database! {
    fn an_entry_that_is_not_there_has_no_state_and_can_be_made(app: &TestApp) {
        let tenant = app.tenant();
        for (client, base) in [
            (tenant.as_bot(tenant.bot()), "/api/external/keyval"),
            (tenant.as_project(), "/api/external/projectapi/keyval"),
        ] {
            let path = format!("{base}/u/t/k");
            for tag in ["*", "\"00000000000000000000000000000000\""] {
                let refused = put_if_match(&client, &path, tag, &json!({"value": 1}));
                refused.problem(412, "precondition_failed");
                assert_eq!(refused.header("etag"), None);
                let request = client.request("DELETE", &path).header("If-Match", tag);
                request.send().problem(404, "keyval_entry_not_found");
            }
            client.get(&path).problem(404, "keyval_entry_not_found");
            let make = |value: i32| {
                let request = client.request("PUT", &path).header("If-None-Match", "*");
                request.json(&json!({"value": value})).send()
            };
            let made = tag_of(&make(1));
            let refused = make(2);
            refused.problem(412, "precondition_failed");
            assert_eq!(refused.header("etag"), Some(&*made));
            assert_eq!(client.get(&path).ok()["value"], 1);
            let _ = put_if_match(&client, &path, &made, &json!({"value": 3})).ok();
            put_if_match(&client, &path, &made, &json!({"value": 4})).problem(412, "precondition_failed");
            assert_eq!(client.get(&path).ok()["value"], 3);
        }
    }
}
