//! `POST {bot}/stages`

use botyard_tests::{OnBot, each_scheme};
use domain::id::StageId;
use serde_json::{Value, json};

use super::{OPTIONAL, full, path};
use crate::skills::id;

/// The whole answer to a new stage that was given this; `title` and `name` are among it.
fn expected(bot: &OnBot<'_>, given: &Value, made: &Value) -> Value {
    let mut expected = given.clone();
    for field in OPTIONAL {
        if expected.get(field).is_none() {
            expected[field] = Value::Null;
        }
    }
    expected["_id"] = made["_id"].clone();
    expected["botId"] = json!(bot.id().to_string());
    expected["createdAt"] = made["createdAt"].clone();
    expected["updatedAt"] = made["createdAt"].clone();
    expected
}

each_scheme! {
    fn a_stage_is_made_with_every_field(bot: &OnBot) {
        let given = full(bot);
        let made = bot.post("/stages", &given).ok();
        assert_eq!(made, expected(bot, &given, &made));
        assert_eq!(bot.get(&path(&made)).ok(), made);
        assert_eq!(bot.get("/stages").items(), [made]);
    }

    fn title_and_name_stand_in_for_each_other(bot: &OnBot) {
        for (given, title, name) in [
            (json!({"title": "t"}), "t", "t"),
            (json!({"name": "n"}), "n", "n"),
            (json!({"title": "t", "name": "n"}), "t", "n"),
            (json!({"title": null, "name": " n "}), "n", "n"),
            (json!({"title": "\tt\n", "name": null}), "t", "t"),
            (json!({"title": " a  b ", "name": "\u{3000}n"}), "a  b", "n"),
        ] {
            let made = bot.post("/stages", &given).ok();
            assert_eq!(
                made,
                expected(bot, &json!({"title": title, "name": name}), &made),
                "{given}"
            );
            assert_eq!(bot.get(&path(&made)).ok(), made);
        }
    }

    fn one_of_them_is_needed(bot: &OnBot) {
        let before = bot.tenant.snapshot();
        for body in [
            json!({}),
            json!({"title": null}),
            json!({"title": null, "name": null}),
            json!({"hidden": true}),
        ] {
            bot.post("/stages", &body).has_violations(&[("/title", "missing_field")]);
        }
        for (body, violation) in [
            (json!({"title": ""}), ("/title", "too_short")),
            (json!({"name": " \n"}), ("/name", "too_short")),
            // The other one does not stand in for one that is wrong.
            (json!({"title": "t", "name": ""}), ("/name", "too_short")),
            (json!({"title": 1, "name": "n"}), ("/title", "wrong_type")),
        ] {
            bot.post("/stages", &body).has_violations(&[violation]);
        }
        bot.client
            .request("POST", &bot.path("/stages"))
            .send()
            .has_violations(&[("", "malformed_json")]);
        before.assert_unchanged(&bot.tenant);
    }

    fn null_is_the_same_as_left_out(bot: &OnBot) {
        let mut given = json!({"title": "t", "name": "n"});
        for field in OPTIONAL {
            given[field] = Value::Null;
        }
        let made = bot.post("/stages", &given).ok();
        assert_eq!(made, expected(bot, &given, &made));
    }

    fn what_is_empty_is_not_null(bot: &OnBot) {
        let given = json!({
            "title": "t", "name": "n", "skills": [], "enterJS": "", "exitJS": "", "preConditionJS": "",
            "hidden": false, "footer": false, "forceSkills": false,
        });
        let made = bot.post("/stages", &given).ok();
        assert_eq!(made, expected(bot, &given, &made));
        assert_eq!(bot.get("/stages").items(), [made]);
    }

    fn skills_keep_their_order_and_need_not_exist(bot: &OnBot) {
        let _ = crate::skills::make(bot, "real");
        let skills = json!([
            "z",
            "real",
            "a",
            "Z",
            "unknown one",
            "ä𝄞",
            "a,b",
            "\"",
            "\\",
            "'",
            " z",
            "\u{1}",
            crate::skills::NEVER,
            &"x".repeat(128),
            &"𝄞".repeat(128),
        ]);
        let made = bot.post("/stages", &json!({"name": "n", "skills": skills})).ok();
        assert_eq!(made["skills"], skills);
        assert_eq!(bot.get(&path(&made)).ok()["skills"], skills);
        let reversed: Vec<_> = skills.as_array().unwrap().iter().rev().cloned().collect();
        let updated = bot.put(&path(&made), &json!({"skills": reversed})).ok();
        assert_eq!(updated["skills"], json!(reversed));
        assert_eq!(bot.get("/stages").items()[0]["skills"], json!(reversed));
    }

    fn a_new_stage_has_a_uuid_and_the_time(bot: &OnBot) {
        let made = bot.post("/stages", &json!({"name": "n"})).ok();
        let id = id(&made);
        assert!(StageId::parse(&id).is_some() && &id[14..15] == "7", "{id}");
        let form = made["createdAt"]
            .as_str()
            .unwrap()
            .replace(|letter: char| letter.is_ascii_digit(), "0");
        assert_eq!(form, "0000-00-00T00:00:00.000Z");
    }

    fn stages_may_have_the_same_names(bot: &OnBot) {
        let (one, other) =
            (bot.post("/stages", &full(bot)).ok(), bot.post("/stages", &full(bot)).ok());
        assert_ne!(one["_id"], other["_id"]);
        assert_eq!((&one["name"], &one["title"]), (&other["name"], &other["title"]));
    }

    fn control_characters_are_characters_like_others(bot: &OnBot) {
        let odd: String = (1..0x20).chain(0x7f..0xa0).filter_map(char::from_u32).collect();
        let text = format!("x{odd}\u{2028}\u{feff}x");
        let given = json!({
            "title": text, "name": text, "enterJS": text, "exitJS": text, "preConditionJS": text,
            "skills": [text], "hidden": true, "footer": true, "forceSkills": true,
        });
        let made = bot.post("/stages", &given).ok();
        assert_eq!(made, expected(bot, &given, &made));
        assert_eq!(bot.get("/stages").items(), [made]);
    }

    fn both_schemes_see_the_same_stage(bot: &OnBot) {
        let made = bot.post("/stages", &full(bot)).ok();
        let by_bot = format!("/api/external/bot{}", path(&made));
        let by_project = format!("{}/{}{}", crate::bots::BOTS, bot.id(), path(&made));
        assert_eq!(bot.tenant.as_bot(bot.id()).get(&by_bot).ok(), made);
        assert_eq!(bot.tenant.as_project().get(&by_project).ok(), made);
    }
}
