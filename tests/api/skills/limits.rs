//! How long, how many, how large.

use botyard_tests::{OnBot, each_scheme};
use serde_json::{Value, json};

use super::{make, path};

const MIB: usize = 1 << 20;

/// Creates and updates with the largest that fits; returns what the field holds then. Nothing large
/// stays, because others read whole tables.
#[track_caller]
fn fits(bot: &OnBot<'_>, field: &str, largest: &Value) {
    let mut body = json!({"name": "created"});
    body[field] = largest.clone();
    let made = bot.post("/skills", &body).ok();
    assert!(made[field] == *largest, "{field} of a new skill");
    let rel = path(made["_id"].as_str().unwrap());
    assert!(bot.get(&rel).ok()[field] == *largest, "{field} of a new skill, read");
    let _ = bot.delete(&rel).ok();
    let updated = bot.put(&path("own"), &json!({field: largest})).ok();
    assert!(updated[field] == *largest, "{field} of an updated skill");
    if field != "name" {
        let _ = bot.put(&path("own"), &json!({field: null})).ok();
    }
}

/// Creates and updates with what is too large.
#[track_caller]
fn fits_not(bot: &OnBot<'_>, field: &str, value: &Value, violation: (&str, &str)) {
    let before = (bot.get("/skills").items(), bot.get("/changelog").items());
    let mut body = json!({"name": "created"});
    body[field] = value.clone();
    bot.post("/skills", &body).has_violations(&[violation]);
    bot.put(&path("own"), &json!({field: value})).has_violations(&[violation]);
    assert!(before == (bot.get("/skills").items(), bot.get("/changelog").items()));
}

each_scheme! {
    fn a_name_has_at_most_200_characters(bot: &OnBot) {
        let _ = make(bot, "own");
        for letter in ["n", "ä", "𝄞"] {
            fits(bot, "name", &json!(letter.repeat(200)));
            fits_not(bot, "name", &json!(letter.repeat(201)), ("/name", "too_long"));
        }
        let padded = format!("  {} ", "m".repeat(200));
        assert_eq!(
            bot.put(&path("own"), &json!({"name": padded})).ok()["name"],
            json!("m".repeat(200))
        );
    }

    fn a_description_has_at_most_10_000_characters(bot: &OnBot) {
        let _ = make(bot, "own");
        for letter in ["n", "𝄞"] {
            fits(bot, "description", &json!(letter.repeat(10_000)));
            fits_not(
                bot,
                "description",
                &json!(letter.repeat(10_001)),
                ("/description", "too_long"),
            );
        }
    }

    fn content_takes_at_most_1_mib(bot: &OnBot) {
        let _ = make(bot, "own");
        fits(bot, "content", &json!("x".repeat(MIB)));
        fits(bot, "content", &json!("ä".repeat(MIB / 2)));
        fits_not(bot, "content", &json!("x".repeat(MIB + 1)), ("/content", "too_long"));
        // It is the bytes that count.
        fits_not(bot, "content", &json!("ä".repeat(MIB / 2 + 1)), ("/content", "too_long"));
    }

    fn lists_have_at_most_10_000_items(bot: &OnBot) {
        let _ = make(bot, "own");
        for (field, item) in [("params", json!({})), ("toolCallAnswer", json!("x"))] {
            fits(bot, field, &json!(vec![item.clone(); 10_000]));
            let pointer = format!("/{field}");
            fits_not(bot, field, &json!(vec![item; 10_001]), (&pointer, "too_many_items"));
        }
    }

    fn an_answer_takes_at_most_1_mib(bot: &OnBot) {
        let _ = make(bot, "own");
        fits(bot, "toolCallAnswer", &json!(["a", "x".repeat(MIB)]));
        let long = json!(["a", "x".repeat(MIB + 1)]);
        fits_not(bot, "toolCallAnswer", &long, ("/toolCallAnswer/1", "too_long"));
    }

    fn params_take_at_most_1_mib_in_all(bot: &OnBot) {
        let _ = make(bot, "own");
        // With its name, colon, quotes and braces, such an object takes 8 bytes more than its text.
        let params = |more: usize| {
            let object = |length: usize| json!({"a": "x".repeat(length - 8)});
            json!([object(MIB / 2), object(MIB / 2 + more)])
        };
        fits(bot, "params", &params(0));
        fits_not(bot, "params", &params(1), ("/params", "too_long"));
        let one = json!([{"a": "x".repeat(MIB)}]);
        let before = bot.get("/skills").items();
        let refused = bot.put(&path("own"), &json!({"params": one}));
        assert!(refused.violations().iter().all(|(_, code)| code == "too_long"), "{refused}");
        assert_eq!(bot.get("/skills").items(), before);
    }

    fn every_limit_is_reported_at_once(bot: &OnBot) {
        let _ = make(bot, "own");
        let body = json!({
            "name": "n".repeat(201), "skillId": "x".repeat(129), "description": "d".repeat(10_001),
            "content": "c".repeat(MIB + 1), "params": vec![json!({}); 10_001],
            "toolCallAnswer": vec!["x"; 10_001],
        });
        let expected = [
            ("/name", "too_long"),
            ("/skillId", "bad_format"),
            ("/description", "too_long"),
            ("/content", "too_long"),
            ("/params", "too_many_items"),
            ("/toolCallAnswer", "too_many_items"),
        ];
        bot.post("/skills", &body).has_violations(&expected);
        bot.put(&path("own"), &body).has_violations(&expected);
    }

    fn a_body_takes_at_most_2_mib(bot: &OnBot) {
        let _ = make(bot, "own");
        let before = bot.get("/skills").items();
        // Each of the fields alone would do.
        let body = json!({
            "name": "x", "content": "x".repeat(MIB),
            "toolCallAnswer": ["x".repeat(MIB / 2), "x".repeat(MIB / 2)],
        });
        bot.post("/skills", &body).problem(413, "body_too_large");
        bot.put(&path("own"), &body).problem(413, "body_too_large");
        assert_eq!(bot.get("/skills").items(), before);
    }
}
