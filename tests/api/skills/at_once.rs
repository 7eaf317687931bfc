//! Many callers who want the same.

use std::collections::HashSet;

use botyard_tests::{OnBot, Response, at_once, each_scheme};
use serde_json::{Value, json};

use super::{each, id, make, path};

const CALLERS: usize = 50;

/// How many of the answers are successes; all others are conflicts of this one member.
#[track_caller]
fn winners(answers: &[Response], conflict: (&str, &str)) -> usize {
    let refused: Vec<_> = answers.iter().filter(|answer| answer.status() != 200).collect();
    for answer in &refused {
        answer.has_conflicts(&[conflict]);
    }
    answers.len() - refused.len()
}

/// How many rows of skills the bot has.
fn rows(bot: &OnBot<'_>) -> i64 {
    let query = format!("SELECT COUNT(*) AS value FROM skills WHERE bot_id = '{}'", bot.id());
    bot.tenant.app().sql().number(&query)
}

fn distinct(values: &[Value]) -> bool {
    values.iter().map(Value::to_string).collect::<HashSet<_>>().len() == values.len()
}

/// Five skills, and fifty callers who give each of them one of six values in turn.
fn rename_all(bot: &OnBot<'_>, field: &str, conflict: (&str, &str)) -> Vec<Value> {
    let made: Vec<_> = (0..5).map(|number| make(bot, &format!("s{number}"))).collect();
    let values: Vec<_> = (0..6).map(|number| json!(format!("s{number}"))).collect();
    for (skill, value) in made.iter().zip(&values) {
        let _ = bot.put(&path(&id(skill)), &json!({field: value})).ok();
    }
    let answers = at_once(CALLERS, |number| {
        let (skill, value) = (&made[number % 5], &values[(number / 5 + number) % 6]);
        bot.put(&path(&id(skill)), &json!({field: value}))
    });
    // A caller who asks for the value that the skill has already changes nothing, and succeeds.
    assert!(winners(&answers, conflict) > 0);
    let after = bot.get("/skills").items();
    assert_eq!(after.len(), 5);
    assert!(distinct(&each(&after, field)), "{after:?}");
    assert!(each(&after, field).iter().all(|value| values.contains(value)), "{after:?}");
    after
}

each_scheme! {
    fn of_creates_of_one_skill_id_one_is_done(bot: &OnBot) {
        let answers = at_once(CALLERS, |number| {
            bot.post("/skills", &json!({"name": format!("n{number}"), "skillId": "wanted"}))
        });
        assert_eq!(winners(&answers, ("/skillId", "skill_id_taken")), 1);
        assert_eq!((rows(bot), bot.get("/skills").items().len()), (1, 1));
        assert_eq!(bot.get("/changelog").items().len(), 2);
    }

    fn of_creates_of_one_name_one_is_done(bot: &OnBot) {
        let answers = at_once(CALLERS, |number| {
            bot.post("/skills", &json!({"name": "wanted", "skillId": format!("s{number}")}))
        });
        assert_eq!(winners(&answers, ("/name", "name_taken")), 1);
        assert_eq!((rows(bot), bot.get("/skills").items().len()), (1, 1));
    }

    fn creates_that_do_not_collide_are_all_done(bot: &OnBot) {
        let answers = at_once(CALLERS, |number| {
            bot.post("/skills", &json!({"name": bot.text(&format!("n{number}"))})).ok()
        });
        let listed = bot.get("/skills").items();
        assert_eq!(listed.len(), CALLERS);
        assert!(answers.iter().all(|answer| listed.contains(answer)));
        assert!(each(&listed, "_id").is_sorted_by(|one, other| one.as_str() < other.as_str()));
    }

    fn renames_onto_the_names_of_others_never_make_twins(bot: &OnBot) {
        let _ = rename_all(bot, "name", ("/name", "name_taken"));
    }

    fn renames_onto_the_skill_ids_of_others_never_make_twins(bot: &OnBot) {
        let skills: Vec<_> = (0..5).map(|number| format!("s{number}")).collect();
        let stage = json!({"name": bot.text("all"), "skills": skills});
        let stage = bot.post("/stages", &stage).ok();
        let after = rename_all(bot, "skillId", ("/skillId", "skill_id_taken"));
        // The stage has followed every single step.
        let followed = bot.get(&format!("/stages/{}", id(&stage))).ok();
        assert_eq!(followed["skills"], json!(each(&after, "skillId")));
    }

    fn updates_of_one_skill_are_all_done_one_after_the_other(bot: &OnBot) {
        let _ = make(bot, "x");
        let _ = bot.put(&path("x"), &json!({"content": "first"})).ok();
        let before = bot.get("/changelog").items().len();
        let answers = at_once(CALLERS, |number| {
            bot.put(&path("x"), &json!({"content": format!("c{number}")})).ok()["content"].clone()
        });
        assert!(distinct(&answers));
        let entries = bot.get("/changelog").items();
        assert_eq!(entries.len(), before + CALLERS);
        let mut value = bot.get(&path("x")).ok()["content"].clone();
        for entry in &entries[..CALLERS] {
            assert_eq!(entry["changes"][0]["to"], value);
            value = entry["changes"][0]["from"].clone();
        }
        assert_eq!(value, json!("first"));
    }

    fn of_deletes_of_one_skill_one_is_done(bot: &OnBot) {
        let _ = make(bot, "x");
        let before = bot.get("/changelog").items().len();
        let answers = at_once(20, |_| bot.delete(&path("x")));
        let done = answers.iter().filter(|answer| answer.status() == 200).count();
        for answer in answers.iter().filter(|answer| answer.status() != 200) {
            answer.problem(404, "skill_not_found");
        }
        assert_eq!((done, rows(bot)), (1, 0));
        assert_eq!(bot.get("/changelog").items().len(), before + 1);
    }

    fn skills_and_stages_that_change_at_once_fit_together_in_the_end(bot: &OnBot) {
        let made: Vec<_> = (0..4).map(|number| make(bot, &format!("s{number}"))).collect();
        let stage = json!({"name": bot.text("s"), "skills": ["s0", "s1", "s2", "s3"]});
        let stage = id(&bot.post("/stages", &stage).ok());
        let _ = at_once(40, |number| match number % 4 {
            // Some rename, one deletes, the others change the stage itself.
            0 => bot.put(&path(&id(&made[1])), &json!({"skillId": format!("r{number}")})).ok(),
            1 => bot.put(&path(&id(&made[2])), &json!({"skillId": format!("r{number}")})).ok(),
            2 => {
                bot.put(&format!("/stages/{stage}"), &json!({"enterJS": format!("{number}")})).ok()
            }
            _ if number == 3 => bot.delete(&path(&id(&made[3]))).ok(),
            _ => bot.put(&format!("/stages/{stage}"), &json!({"hidden": number > 20})).ok(),
        });
        let skills = each(&bot.get("/skills").items(), "skillId");
        assert_eq!(bot.get(&format!("/stages/{stage}")).ok()["skills"], json!(skills));
        assert_eq!(skills.len(), 3);
    }
}
