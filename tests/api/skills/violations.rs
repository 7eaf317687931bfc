//! Everything that can be wrong with the body of a skill. Nothing of such a body takes effect.

use botyard_tests::{OnBot, Response, each_scheme};
use serde_json::{Value, json};

use super::{make, path, post_bytes};

/// Creates and updates with the same body; both must be refused alike, and change nothing.
#[track_caller]
fn refused(bot: &OnBot<'_>, body: &str, expected: &[(&str, &str)]) {
    let update: Response = bot.put_bytes(&path("own"), body);
    update.has_violations(expected);
    post_bytes(bot, body).has_violations(expected);
}

each_scheme! {
    fn every_wrong_type_is_reported_at_once(bot: &OnBot) {
        let _ = make(bot, "own");
        let before = bot.tenant.snapshot();
        let fields = [
            "name",
            "skillId",
            "description",
            "enabled",
            "content",
            "params",
            "toolCallAnswer",
            "answerMode",
        ];
        for (value, fitting) in [
            (json!(1), &[][..]),
            (json!(0.5), &[]),
            (json!(true), &["enabled"]),
            (json!({}), &[]),
            (json!({"a": []}), &[]),
            (json!([]), &["params", "toolCallAnswer"]),
        ] {
            let wrong = fields.iter().filter(|field| !fitting.contains(field));
            let pointers: Vec<_> = wrong.clone().map(|field| format!("/{field}")).collect();
            let expected: Vec<_> =
                pointers.iter().map(|pointer| (pointer.as_str(), "wrong_type")).collect();
            let mut body = json!({});
            for field in wrong {
                body[*field] = value.clone();
            }
            refused(bot, &body.to_string(), &expected);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn every_wrong_item_is_reported_with_its_place(bot: &OnBot) {
        let _ = make(bot, "own");
        refused(
            bot,
            r#"{"name":"x","params":[{},1,null,"{}",[],{"a":null}],"toolCallAnswer":["a",null,1,{},[],""]}"#,
            &[
                ("/params/1", "wrong_type"),
                ("/params/2", "wrong_type"),
                ("/params/3", "wrong_type"),
                ("/params/4", "wrong_type"),
                ("/toolCallAnswer/1", "wrong_type"),
                ("/toolCallAnswer/2", "wrong_type"),
                ("/toolCallAnswer/3", "wrong_type"),
                ("/toolCallAnswer/4", "wrong_type"),
            ],
        );
    }

    fn texts_do_not_stand_for_other_values(bot: &OnBot) {
        let _ = make(bot, "own");
        refused(
            bot,
            r#"{"name":"x","enabled":"true","params":"[]","toolCallAnswer":"yes","answerMode":"none"}"#,
            &[
                ("/enabled", "wrong_type"),
                ("/params", "wrong_type"),
                ("/toolCallAnswer", "wrong_type"),
                ("/answerMode", "not_allowed"),
            ],
        );
    }

    fn fields_that_no_client_sets_are_unknown(bot: &OnBot) {
        let _ = make(bot, "own");
        let before = bot.tenant.snapshot();
        let names = [
            "_id",
            "id",
            "botId",
            "createdAt",
            "updatedAt",
            "projectId",
            "Name",
            "skillid",
            "skill_id",
            "title",
            "type",
            "extra",
            "__proto__",
            "",
        ];
        let members = names.map(|name| (name.to_owned(), json!(null)));
        let mut body: Value = members.into_iter().collect();
        body["name"] = json!("x");
        let pointers = names.map(|name| format!("/{name}"));
        let expected: Vec<_> =
            pointers.iter().map(|pointer| (pointer.as_str(), "unknown_field")).collect();
        refused(bot, &body.to_string(), &expected);
        // Not even what is so already may be said.
        let own = bot.get(&path("own")).ok();
        let frame = ["_id", "botId", "createdAt", "updatedAt"];
        let expected = frame.map(|name| format!("/{name}"));
        let expected: Vec<_> =
            expected.iter().map(|pointer| (pointer.as_str(), "unknown_field")).collect();
        bot.put(&path("own"), &own).has_violations(&expected);
        before.assert_unchanged(&bot.tenant);
    }

    fn a_nul_is_refused_wherever_it_stands(bot: &OnBot) {
        let _ = make(bot, "own");
        let before = bot.tenant.snapshot();
        refused(
            bot,
            r#"{"name":"a\u0000b","skillId":"x\u0000","description":"\u0000","content":"\u0000x",
                "params":[{},{"a":["\u0000"]},{"b\u0000":1}],"toolCallAnswer":["","\u0000"],
                "answerMode":"\u0000"}"#,
            &[
                ("/name", "bad_character"),
                ("/skillId", "bad_character"),
                ("/description", "bad_character"),
                ("/content", "bad_character"),
                ("/params/1/a/0", "bad_character"),
                ("/params/2/b\0", "bad_character"),
                ("/toolCallAnswer/1", "bad_character"),
                ("/answerMode", "bad_character"),
            ],
        );
        refused(
            bot,
            r#"{"name":"\ud800","content":"\udc00\ud800","params":[{"a":"\ud83d"}]}"#,
            &[
                ("/name", "bad_character"),
                ("/content", "bad_character"),
                ("/params/0/a", "bad_character"),
            ],
        );
        before.assert_unchanged(&bot.tenant);
    }

    fn a_member_twice_is_refused_at_every_level(bot: &OnBot) {
        let _ = make(bot, "own");
        refused(
            bot,
            r#"{"name":"x","name":"x","content":"y","c\u006fntent":"y","params":[{"a":1,"b":{"c":1,"c":1},"a":1}]}"#,
            &[
                ("/name", "duplicate_field"),
                ("/content", "duplicate_field"),
                ("/params/0/a", "duplicate_field"),
                ("/params/0/b/c", "duplicate_field"),
            ],
        );
    }

    fn a_body_is_an_object(bot: &OnBot) {
        let _ = make(bot, "own");
        let before = bot.tenant.snapshot();
        for (body, code) in [
            ("null", "not_an_object"),
            ("[]", "not_an_object"),
            (r#"[{"name":"x"}]"#, "not_an_object"),
            (r#""name""#, "not_an_object"),
            ("", "malformed_json"),
            (r#"{"name":"x""#, "malformed_json"),
            (r#"{"name":"x"}{}"#, "malformed_json"),
            (r#"{'name':'x'}"#, "malformed_json"),
        ] {
            refused(bot, body, &[("", code)]);
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn params_may_be_as_deep_as_a_body(bot: &OnBot) {
        // The body is the first level, the list the second, and its object the third.
        let deep = |levels: usize| {
            let (open, close) = ("[".repeat(levels - 3), "]".repeat(levels - 3));
            format!(r#"{{"name":"x","skillId":"own","params":[{{"a":{open}{close}}}]}}"#)
        };
        let made = post_bytes(bot, deep(128));
        assert_eq!(made.status(), 200, "{made}");
        assert!(bot.get(&path("own")).text().contains(&"[".repeat(125)));
        bot.put_bytes(&path("own"), deep(129)).problem(422, "too_deep");
        post_bytes(bot, deep(129)).problem(422, "too_deep");
    }

    fn an_unknown_query_is_refused(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        let answer = bot.client.post(&bot.path("/skills?dry=1"), &json!({"name": 1}));
        answer.has_violations(&[("/dry", "bad_query"), ("/name", "wrong_type")]);
        before.assert_unchanged(&bot.tenant);
    }
}
