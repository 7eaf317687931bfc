//! `name` and `skillId`: each is unique among the skills of a bot, and a `skillId` has a form.

use botyard_tests::{OnBot, each_scheme};
use serde_json::{Value, json};

use super::{NEVER, id, make, make_plain, path};
use crate::bots::BOTS;

const NAME: (&str, &str) = ("/name", "name_taken");
const SKILL_ID: (&str, &str) = ("/skillId", "skill_id_taken");

/// Creates and updates with the same body.
#[track_caller]
fn both(bot: &OnBot<'_>, body: &Value, check: impl Fn(botyard_tests::Response)) {
    check(bot.post("/skills", body));
    check(bot.put(&path("own"), body));
}

each_scheme! {
    fn what_another_skill_has_is_taken(bot: &OnBot) {
        let [_, other, third] = ["own", "other", "third"].map(|skill_id| make(bot, skill_id));
        let free = json!("free");
        let before = bot.tenant.snapshot();
        for (name, skill_id, expected) in [
            (&other["name"], &free, &[NAME][..]),
            (&free, &other["skillId"], &[SKILL_ID]),
            (&other["name"], &other["skillId"], &[NAME, SKILL_ID]),
            (&other["name"], &third["skillId"], &[NAME, SKILL_ID]),
        ] {
            let body = json!({"name": name, "skillId": skill_id});
            both(bot, &body, |answer| answer.has_conflicts(expected));
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_conflict_has_the_form_of_a_problem(bot: &OnBot) {
        let other = make(bot, "other");
        let answer = bot.post("/skills", &json!({"name": other["name"], "skillId": "other"}));
        let problem = answer.problem(409, "taken");
        let places: Vec<_> = problem["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|error| (error["pointer"].clone(), error["in"].clone()))
            .collect();
        assert_eq!(
            places,
            [("/name", "body"), ("/skillId", "body")].map(|(at, place)| (json!(at), json!(place)))
        );
        // The names themselves do not come back.
        assert!(!answer.text().contains(bot.tenant.marker()), "{answer}");
    }

    fn a_name_is_taken_with_blanks_around_it_as_well(bot: &OnBot) {
        let [_, other] = ["own", "other"].map(|skill_id| make(bot, skill_id));
        let body = json!({"name": format!("\t{} ", other["name"].as_str().unwrap())});
        both(bot, &body, |answer| answer.has_conflicts(&[NAME]));
    }

    fn names_are_distinguished_to_the_byte(bot: &OnBot) {
        for name in
            ["x", "X", "x y", "x  y", "x_", "x%", "'", "ä", "a\u{308}", "\u{212b}", "Å", "ß", "ss"]
        {
            let _ = bot.post("/skills", &json!({"name": name})).ok();
            bot.post("/skills", &json!({"name": name})).has_conflicts(&[NAME]);
        }
        for skill_id in ["a", "A", "a.", "a_", "a-", "a_b", "a.b", "aab"] {
            let _ = make(bot, skill_id);
            let again = json!({"name": "again", "skillId": skill_id});
            bot.post("/skills", &again).has_conflicts(&[SKILL_ID]);
        }
    }

    fn what_one_has_oneself_is_not_taken(bot: &OnBot) {
        let own = make(bot, "own");
        for body in [
            json!({"name": own["name"], "content": bot.text("1")}),
            json!({"skillId": "own", "content": bot.text("2")}),
            json!({"name": own["name"], "skillId": "own", "content": bot.text("3")}),
        ] {
            assert_eq!(bot.put(&path("own"), &body).ok()["content"], body["content"]);
        }
    }

    fn a_name_and_a_skill_id_have_nothing_to_do_with_each_other(bot: &OnBot) {
        let _ = bot.post("/skills", &json!({"name": "a", "skillId": "b"})).ok();
        let _ = bot.post("/skills", &json!({"name": "b", "skillId": "a"})).ok();
        let made = make_plain(bot, "plain");
        let _ = bot.post("/skills", &json!({"name": id(&made), "skillId": "c"})).ok();
    }

    fn what_was_given_up_is_free_again(bot: &OnBot) {
        let own = make(bot, "own");
        let body = json!({"name": own["name"], "skillId": "own"});
        let new = json!({"name": bot.text("new"), "skillId": "new"});
        let _ = bot.put(&path("own"), &new).ok();
        let second = bot.post("/skills", &body).ok();
        bot.put(&path("new"), &body).has_conflicts(&[NAME, SKILL_ID]);
        let _ = bot.delete(&path("own")).ok();
        let third = bot.post("/skills", &body).ok();
        assert_ne!(second["_id"], third["_id"]);
        let _ = bot.delete(&path("own")).ok();
        let back = bot.put(&path("new"), &body).ok();
        assert_eq!(back["_id"], own["_id"]);
    }

    fn another_bot_may_use_the_same_names(bot: &OnBot) {
        let own = make(bot, "own");
        let other = bot.tenant.new_bot("other");
        let body = json!({"name": own["name"], "skillId": "own"});
        let client = bot.tenant.as_project();
        let copy = client.post(&format!("{BOTS}/{other}/skills"), &body).ok();
        assert_ne!(copy["_id"], own["_id"]);
        assert_eq!(bot.get(&path("own")).ok(), own);
        assert_eq!(client.get(&format!("{BOTS}/{other}/skills/own")).ok(), copy);
    }

    fn a_wrong_body_is_reported_before_what_is_taken(bot: &OnBot) {
        let [_, other] = ["own", "other"].map(|skill_id| make(bot, skill_id));
        let body = json!({"name": other["name"], "skillId": "other", "enabled": 1});
        both(bot, &body, |answer| answer.has_violations(&[("/enabled", "wrong_type")]));
    }

    fn a_skill_id_has_1_to_128_letters_digits_and_marks(bot: &OnBot) {
        let _ = make(bot, "own");
        let longest = "x".repeat(128);
        let made = bot.post("/skills", &json!({"name": "longest", "skillId": longest})).ok();
        assert_eq!(made["skillId"], json!(longest));
        let all = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
        let _ = bot.post("/skills", &json!({"name": "all", "skillId": all})).ok();
        let before = bot.tenant.snapshot();
        let too_long = "x".repeat(129);
        for bad in [
            "", " ", " x", "x ", "x y", "x\n", "x/y", "%78", "x%20", "ä", "x:y", "x,y", "x;y",
            "x'", "\"x\"", "{x}", "x\\", "x+y", "x@y", "x~y", "x\u{1}", "ｘ", "\u{212a}",
            &too_long,
        ] {
            let body = json!({"name": "bad", "skillId": bad});
            both(bot, &body, |answer| answer.has_violations(&[("/skillId", "bad_format")]));
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_skill_id_in_the_form_of_a_uuid_is_the_own_id(bot: &OnBot) {
        let [own, other] = ["own", "other"].map(|skill_id| make(bot, skill_id));
        let before = bot.tenant.snapshot();
        for bad in [
            id(&other),
            id(&own).to_uppercase(),
            NEVER.to_owned(),
            NEVER.to_uppercase(),
            "00000000-0000-0000-0000-000000000000".to_owned(),
            "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF".to_owned(),
            bot.id().to_string(),
        ] {
            let body = json!({"name": "bad", "skillId": bad});
            both(bot, &body, |answer| answer.has_violations(&[("/skillId", "not_allowed")]));
        }
        bot.post("/skills", &json!({"name": "bad", "skillId": id(&own)}))
            .has_violations(&[("/skillId", "not_allowed")]);
        before.assert_unchanged(&bot.tenant);
        let back = bot.put(&path("own"), &json!({"skillId": id(&own)})).ok();
        assert_eq!(back["skillId"], own["_id"]);
        assert_eq!(bot.put(&path(&id(&own)), &json!({"skillId": id(&own)})).ok(), back);
        // What only looks a little like one is a text like others.
        for good in [NEVER.replace('-', ""), format!("{NEVER}0"), NEVER.replace('0', "g")] {
            let _ = make(bot, &good);
        }
    }

    fn all_violations_of_a_new_skill_with_a_uuid_are_reported(bot: &OnBot) {
        let body = json!({"name": " ", "skillId": NEVER, "colour": 1});
        bot.post("/skills", &body).has_violations(&[
            ("/name", "too_short"),
            ("/skillId", "not_allowed"),
            ("/colour", "unknown_field"),
        ]);
    }
}
