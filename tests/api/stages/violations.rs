//! Everything that can be wrong with the body of a stage. Nothing of such a body takes effect.

use botyard_tests::{OnBot, each_scheme};
use serde_json::{Value, json};

use super::{make, path};

/// Creates and updates with the same body; both must be refused alike, and change nothing.
#[track_caller]
fn refused(bot: &OnBot<'_>, body: &str, expected: &[(&str, &str)]) {
    let own = make(bot, "own");
    let before = bot.tenant.snapshot();
    bot.put_bytes(&path(&own), body).has_violations(expected);
    let create = bot.client.request("POST", &bot.path("/stages")).body(body).send();
    create.has_violations(expected);
    before.assert_unchanged(&bot.tenant);
}

each_scheme! {
    fn every_wrong_type_is_reported_at_once(bot: &OnBot) {
        let fields = [
            "title",
            "name",
            "hidden",
            "footer",
            "forceSkills",
            "skills",
            "enterJS",
            "exitJS",
            "preConditionJS",
        ];
        for (value, fitting) in [
            (json!(1), &[][..]),
            (json!(0.5), &[]),
            (json!(false), &["hidden", "footer", "forceSkills"]),
            (json!({"a": 1}), &[]),
            (json!([]), &["skills"]),
        ] {
            let wrong = fields.iter().filter(|field| !fitting.contains(field));
            let body: Value =
                wrong.clone().map(|field| ((*field).to_owned(), value.clone())).collect();
            let pointers: Vec<_> = wrong.map(|field| format!("/{field}")).collect();
            let expected: Vec<_> =
                pointers.iter().map(|pointer| (pointer.as_str(), "wrong_type")).collect();
            refused(bot, &body.to_string(), &expected);
        }
    }

    fn texts_do_not_stand_for_other_values(bot: &OnBot) {
        refused(
            bot,
            r#"{"name":"n","hidden":"true","footer":"","forceSkills":"1","skills":"a,b"}"#,
            &[
                ("/hidden", "wrong_type"),
                ("/footer", "wrong_type"),
                ("/forceSkills", "wrong_type"),
                ("/skills", "wrong_type"),
            ],
        );
    }

    fn a_skill_stands_in_a_stage_once(bot: &OnBot) {
        for (skills, expected) in [
            (json!(["a", "a"]), &[("/skills/1", "duplicate_item")][..]),
            (
                json!(["a", "b", "a", "c", "b", "a"]),
                &[
                    ("/skills/2", "duplicate_item"),
                    ("/skills/4", "duplicate_item"),
                    ("/skills/5", "duplicate_item"),
                ],
            ),
            (json!(["a", "A", "a ", "\u{61}"]), &[("/skills/3", "duplicate_item")]),
        ] {
            refused(bot, &json!({"name": "n", "skills": skills}).to_string(), expected);
        }
    }

    fn items_of_skills_are_texts_of_1_to_128_characters(bot: &OnBot) {
        refused(
            bot,
            r#"{"name":"n","skills":["a",1,null,{},["a"],true]}"#,
            &[
                ("/skills/1", "wrong_type"),
                ("/skills/2", "wrong_type"),
                ("/skills/3", "wrong_type"),
                ("/skills/4", "wrong_type"),
                ("/skills/5", "wrong_type"),
            ],
        );
        let long = "ä".repeat(129);
        refused(
            bot,
            &json!({"name": "n", "skills": ["", "a", long, "a"]}).to_string(),
            &[
                ("/skills/0", "too_short"),
                ("/skills/2", "too_long"),
                ("/skills/3", "duplicate_item"),
            ],
        );
    }

    fn fields_that_no_client_sets_are_unknown(bot: &OnBot) {
        let names = [
            "_id",
            "id",
            "botId",
            "createdAt",
            "updatedAt",
            "skillId",
            "enterJs",
            "enterjs",
            "Title",
            "description",
            "",
        ];
        let mut body: Value =
            names.map(|name| (name.to_owned(), json!(null))).into_iter().collect();
        body["name"] = json!("n");
        let pointers = names.map(|name| format!("/{name}"));
        let expected: Vec<_> =
            pointers.iter().map(|pointer| (pointer.as_str(), "unknown_field")).collect();
        refused(bot, &body.to_string(), &expected);
    }

    fn a_nul_is_refused_wherever_it_stands(bot: &OnBot) {
        refused(
            bot,
            r#"{"title":"\u0000","name":"a\u0000b","skills":["a","\u0000"],"enterJS":"\u0000",
                "exitJS":"x\u0000","preConditionJS":"\ud800"}"#,
            &[
                ("/title", "bad_character"),
                ("/name", "bad_character"),
                ("/skills/1", "bad_character"),
                ("/enterJS", "bad_character"),
                ("/exitJS", "bad_character"),
                ("/preConditionJS", "bad_character"),
            ],
        );
    }

    fn a_body_is_an_object_without_repetition(bot: &OnBot) {
        for (body, pointer, code) in [
            ("null", "", "not_an_object"),
            ("[]", "", "not_an_object"),
            ("\"n\"", "", "not_an_object"),
            ("{\"name\":\"n\"", "", "malformed_json"),
            (r#"{"name":"n","name":"n"}"#, "/name", "duplicate_field"),
            (r#"{"name":"n","skills":["a"],"sk\u0069lls":["a"]}"#, "/skills", "duplicate_field"),
        ] {
            refused(bot, body, &[(pointer, code)]);
        }
    }

    fn every_violation_is_reported_at_once(bot: &OnBot) {
        refused(
            bot,
            r#"{"title":" ","name":2,"hidden":"x","skills":["a","a"],"enterJS":[],"colour":1,"exitJS":"\u0000"}"#,
            &[
                ("/title", "too_short"),
                ("/name", "wrong_type"),
                ("/hidden", "wrong_type"),
                ("/skills/1", "duplicate_item"),
                ("/enterJS", "wrong_type"),
                ("/colour", "unknown_field"),
                ("/exitJS", "bad_character"),
            ],
        );
    }
}
