//! How long, how many, how large.

use botyard_tests::{OnBot, each_scheme};
use serde_json::{Value, json};

use super::{make, path};

const MIB: usize = 1 << 20;

/// Creates and updates with the largest that fits. Nothing large stays, because others read whole
/// tables.
#[track_caller]
fn fits(bot: &OnBot<'_>, own: &Value, field: &str, largest: &Value) {
    let mut body = json!({"name": "created"});
    body[field] = largest.clone();
    let made = bot.post("/stages", &body).ok();
    assert!(made[field] == *largest, "{field} of a new stage");
    assert!(bot.get(&path(&made)).ok()[field] == *largest, "{field} of a new stage, read");
    let _ = bot.delete(&path(&made)).ok();
    let updated = bot.put(&path(own), &json!({field: largest})).ok();
    assert!(updated[field] == *largest, "{field} of an updated stage");
    let small = if matches!(field, "title" | "name") { json!("own") } else { Value::Null };
    let _ = bot.put(&path(own), &json!({field: small})).ok();
}

/// Creates and updates with what is too large.
#[track_caller]
fn fits_not(bot: &OnBot<'_>, own: &Value, field: &str, value: &Value, violation: (&str, &str)) {
    let before = (bot.get("/stages").items(), bot.get("/changelog").items());
    let mut body = json!({"name": "created"});
    body[field] = value.clone();
    bot.post("/stages", &body).has_violations(&[violation]);
    bot.put(&path(own), &json!({field: value})).has_violations(&[violation]);
    assert!(before == (bot.get("/stages").items(), bot.get("/changelog").items()));
}

each_scheme! {
    fn title_and_name_have_at_most_200_characters(bot: &OnBot) {
        let own = make(bot, "own");
        for field in ["title", "name"] {
            for letter in ["n", "𝄞"] {
                fits(bot, &own, field, &json!(letter.repeat(200)));
                let long = json!(letter.repeat(201));
                fits_not(bot, &own, field, &long, (&format!("/{field}"), "too_long"));
            }
        }
    }

    fn scripts_take_at_most_1_mib_each(bot: &OnBot) {
        let own = make(bot, "own");
        for field in ["enterJS", "exitJS", "preConditionJS"] {
            fits(bot, &own, field, &json!("x".repeat(MIB)));
            // It is the bytes that count.
            fits(bot, &own, field, &json!("ä".repeat(MIB / 2)));
            for long in ["x".repeat(MIB + 1), "ä".repeat(MIB / 2 + 1)] {
                fits_not(bot, &own, field, &json!(long), (&format!("/{field}"), "too_long"));
            }
        }
    }

    fn a_stage_has_at_most_10_000_skills(bot: &OnBot) {
        let own = make(bot, "own");
        let skills = |count: usize| -> Value {
            (0..count).map(|number| json!(format!("s{number}"))).collect()
        };
        fits(bot, &own, "skills", &skills(10_000));
        fits_not(bot, &own, "skills", &skills(10_001), ("/skills", "too_many_items"));
    }

    fn a_rename_reaches_the_last_of_10_000_skills(bot: &OnBot) {
        let _ = crate::skills::make(bot, "last");
        let mut skills: Vec<_> = (0..9_999).map(|number| format!("s{number}")).collect();
        skills.push("last".to_owned());
        let made = bot.post("/stages", &json!({"name": "n", "skills": skills})).ok();
        let _ = bot.put("/skills/last", &json!({"skillId": "new"})).ok();
        skills[9_999] = "new".to_owned();
        assert!(bot.get(&path(&made)).ok()["skills"] == json!(skills));
        let _ = bot.delete("/skills/new").ok();
        skills.pop();
        assert!(bot.get(&path(&made)).ok()["skills"] == json!(skills));
        let _ = bot.delete(&path(&made)).ok();
    }
}
