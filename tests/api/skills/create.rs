//! `POST {bot}/skills`

use botyard_tests::{OnBot, each_scheme};
use domain::id::SkillId;
use serde_json::{Value, json};

use super::{full, id, path, post_bytes};

/// The whole answer to a new skill that was given this.
fn expected(bot: &OnBot<'_>, given: &Value, made: &Value) -> Value {
    let mut expected = json!({
        "_id": made["_id"],
        "botId": bot.id().to_string(),
        "skillId": made["_id"],
        "description": null,
        "enabled": true,
        "content": null,
        "params": null,
        "toolCallAnswer": null,
        "answerMode": "sequence",
        "createdAt": made["createdAt"],
        "updatedAt": made["createdAt"],
    });
    for (name, value) in given.as_object().unwrap().iter().filter(|(_, value)| !value.is_null()) {
        expected[name] = value.clone();
    }
    expected
}

each_scheme! {
    fn a_skill_is_made_with_every_field(bot: &OnBot) {
        let given = full(bot);
        let made = bot.post("/skills", &given).ok();
        assert_eq!(made, expected(bot, &given, &made));
        assert_eq!(bot.get(&path("full")).ok(), made);
        assert_eq!(bot.get("/skills").items(), [made]);
    }

    fn a_name_is_all_that_a_skill_needs(bot: &OnBot) {
        let given = json!({"name": bot.text("plain")});
        let made = bot.post("/skills", &given).ok();
        assert_eq!(made, expected(bot, &given, &made));
        assert_eq!(bot.get(&path(&id(&made))).ok(), made);
    }

    fn null_is_the_same_as_left_out(bot: &OnBot) {
        let mut given = full(bot);
        for value in given.as_object_mut().unwrap().values_mut() {
            *value = Value::Null;
        }
        given["name"] = json!(bot.text("plain"));
        let made = bot.post("/skills", &given).ok();
        assert_eq!(made, expected(bot, &given, &made));
    }

    fn what_is_empty_is_not_null(bot: &OnBot) {
        let given = json!({
            "name": bot.text("empty"), "description": "", "content": "", "params": [],
            "toolCallAnswer": [],
        });
        let made = bot.post("/skills", &given).ok();
        assert_eq!(made, expected(bot, &given, &made));
        assert_eq!(bot.get("/skills").items(), [made]);
    }

    fn a_new_skill_has_a_uuid_and_the_time(bot: &OnBot) {
        let made = bot.post("/skills", &json!({"name": bot.text("x")})).ok();
        let id = id(&made);
        assert!(SkillId::parse(&id).is_some(), "{id}");
        assert_eq!(&id[14..15], "7", "{id}");
        let time = made["createdAt"].as_str().unwrap();
        let form = time.replace(|letter: char| letter.is_ascii_digit(), "0");
        assert_eq!(form, "0000-00-00T00:00:00.000Z");
        assert!(made["createdAt"].as_str() >= bot.get("").ok()["createdAt"].as_str());
    }

    fn a_name_is_kept_without_the_blanks_around_it(bot: &OnBot) {
        let name = bot.text("in  the\tmiddle");
        let made = bot.post("/skills", &json!({"name": format!(" \t{name}\r\n\u{3000}")}));
        assert_eq!(made.ok()["name"], json!(name));
    }

    fn a_name_is_needed(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        for body in [json!({}), json!({"name": null}), json!({"skillId": "x"})] {
            bot.post("/skills", &body).has_violations(&[("/name", "missing_field")]);
        }
        for blank in ["", " \t\n"] {
            bot.post("/skills", &json!({"name": blank})).has_violations(&[("/name", "too_short")]);
        }
        bot.client
            .request("POST", &bot.path("/skills"))
            .send()
            .has_violations(&[("", "malformed_json")]);
        before.assert_unchanged(&bot.tenant);
    }

    fn every_answer_mode_can_be_chosen(bot: &OnBot) {
        for mode in ["sequence", "sequenceloop", "random"] {
            let made = bot.post("/skills", &json!({"name": bot.text(mode), "answerMode": mode}));
            assert_eq!(made.ok()["answerMode"], json!(mode));
        }
        for bad in ["", "Random", "sequence_loop", "sequence "] {
            let made = bot.post("/skills", &json!({"name": bot.text("x"), "answerMode": bad}));
            made.has_violations(&[("/answerMode", "not_allowed")]);
        }
    }

    fn numbers_and_members_of_params_come_back_as_written(bot: &OnBot) {
        let params =
            r#"[{"z":1.10,"a":12345678901234567890123,"m":[-0.0,1E+2,1e-7],"ä\u00e4":"\u0041"}]"#;
        let body = format!(r#"{{"name":"{}","skillId":"x","params":{params}}}"#, bot.text("x"));
        let made = post_bytes(bot, body);
        let _ = made.ok();
        let shown = format!("\"params\":{params}");
        assert!(made.text().contains(&shown), "{made}");
        let updated = bot.put(&path("x"), &json!({"enabled": false}));
        for answer in [bot.get(&path("x")), bot.get("/skills"), updated] {
            assert!(answer.text().contains(&shown), "{answer}");
        }
        let log = bot.get("/changelog").text();
        assert!(log.contains("1.10") && log.contains("12345678901234567890123"), "{log}");
    }

    fn control_characters_are_characters_like_others(bot: &OnBot) {
        let odd: String = (1..0x20).chain(0x7f..0xa0).filter_map(char::from_u32).collect();
        let text = format!("x{odd}\u{2028}\u{feff}\u{10ffff}x");
        let given = json!({
            "name": text, "description": text, "content": text, "params": [{(text.clone()): text}],
            "toolCallAnswer": [text],
        });
        let made = bot.post("/skills", &given).ok();
        assert_eq!(made, expected(bot, &given, &made));
        assert_eq!(bot.get("/skills").items(), [made]);
    }

    fn both_schemes_see_the_same_skill(bot: &OnBot) {
        let made = bot.post("/skills", &full(bot)).ok();
        let by_bot = bot.tenant.as_bot(bot.id()).get("/api/external/bot/skills/full").ok();
        let by_project = format!("{}/{}/skills/full", crate::bots::BOTS, bot.id());
        assert_eq!(by_bot, made);
        assert_eq!(bot.tenant.as_project().get(&by_project).ok(), made);
    }
}
