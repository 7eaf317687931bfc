//! Many callers who want the same.

use botyard_tests::{at_once, each_scheme};
use serde_json::json;

use super::{make, path};

const CALLERS: usize = 40;

each_scheme! {
    fn creates_are_all_done(bot: &OnBot) {
        let made =
            at_once(CALLERS, |_| bot.post("/stages", &json!({"name": bot.text("same")})).ok());
        let listed = bot.get("/stages").items();
        assert_eq!(listed.len(), CALLERS);
        assert!(made.iter().all(|stage| listed.contains(stage)));
    }

    fn updates_of_one_stage_are_all_done_one_after_the_other(bot: &OnBot) {
        let made = make(bot, "x");
        let before = bot.get("/changelog").items().len();
        let _ = at_once(CALLERS, |number| {
            bot.put(&path(&made), &json!({"skills": [format!("s{number}")]})).ok()
        });
        let entries = bot.get("/changelog").items();
        assert_eq!(entries.len(), before + CALLERS);
        let mut value = bot.get(&path(&made)).ok()["skills"].clone();
        for entry in &entries[..CALLERS] {
            assert_eq!(entry["changes"][0]["to"], value);
            value = entry["changes"][0]["from"].clone();
        }
        assert_eq!(value, json!(null));
    }

    fn updates_of_different_fields_do_not_undo_each_other(bot: &OnBot) {
        let made = make(bot, "x");
        let fields = ["enterJS", "exitJS", "preConditionJS", "title", "name"];
        let _ = at_once(CALLERS, |number| {
            bot.put(&path(&made), &json!({fields[number % fields.len()]: "set"})).ok()
        });
        let after = bot.get(&path(&made)).ok();
        assert!(fields.iter().all(|field| after[field] == json!("set")), "{after}");
    }

    fn of_deletes_of_one_stage_one_is_done(bot: &OnBot) {
        let made = make(bot, "x");
        let answers = at_once(20, |_| bot.delete(&path(&made)));
        let refused: Vec<_> = answers.iter().filter(|answer| answer.status() != 200).collect();
        assert_eq!(refused.len(), 19);
        for answer in refused {
            answer.problem(404, "stage_not_found");
        }
        assert_eq!(bot.get("/stages").text(), "[]");
    }
}
