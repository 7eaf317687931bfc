//! How a path names a stage, and deleting one.

use botyard_tests::{OnBot, Response, each_scheme};
use serde_json::json;

use super::{full, make, path};
use crate::skills::{NEVER, id};

/// Sends a path as it stands, past any client that would tidy it up.
#[track_caller]
fn raw(bot: &OnBot<'_>, address: &str) -> Response {
    bot.connect().exchange("GET", &bot.path(&format!("/stages/{address}")), &[], b"")
}

each_scheme! {
    fn what_is_no_id_of_a_stage_is_not_found(bot: &OnBot) {
        let made = bot.post("/stages", &json!({"name": "called", "skills": ["x"]})).ok();
        let id = id(&made);
        let before = bot.tenant.snapshot();
        let odd = [
            "x",
            "0",
            "null",
            "called",
            "%20",
            "%00",
            "%2F",
            "%",
            "%zz",
            "%C3%A4",
            ".",
            "..",
            "%2E%2E",
            NEVER,
            "00000000-0000-0000-0000-000000000000",
        ];
        let mut odd: Vec<_> = odd.map(str::to_owned).into();
        odd.extend([
            id.to_uppercase(),
            id.replace('-', ""),
            format!("%7B{id}%7D"),
            format!("urn:uuid:{id}"),
            format!("{id}%20"),
            format!("{id}%00"),
            format!("%20{id}"),
            format!("{id}'%20OR%20'1'='1"),
            id[..35].to_owned(),
            format!("{id}0"),
            bot.id().to_string(),
            "a".repeat(4_096),
        ]);
        for address in odd {
            raw(bot, &address).problem(404, "stage_not_found");
            // Only clients that leave dots alone can say these.
            if !address.starts_with('.') && !address.starts_with("%z") && address != "%" {
                let rel = format!("/stages/{address}");
                bot.put(&rel, &json!({"hidden": true})).problem(404, "stage_not_found");
                bot.delete(&rel).problem(404, "stage_not_found");
            }
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn a_path_is_decoded_once(bot: &OnBot) {
        let made = make(bot, "x");
        let id = id(&made);
        assert_eq!(raw(bot, &id.replace('-', "%2D")).ok(), made);
        raw(bot, &id.replace('-', "%252D")).problem(404, "stage_not_found");
        for address in ["%ff", "", "/x", &format!("{id}/"), &format!("{id}/x")] {
            raw(bot, address).problem(404, "unknown_path");
        }
    }

    fn a_body_and_a_query_are_checked_before_the_stage_is_looked_for(bot: &OnBot) {
        let unknown = format!("/stages/{NEVER}");
        bot.put(&unknown, &json!({"colour": 1})).has_violations(&[("/colour", "unknown_field")]);
        bot.put(&unknown, &json!({})).has_violations(&[("", "no_fields")]);
        bot.get(&format!("{unknown}?x=1")).has_violations(&[("/x", "bad_query")]);
        bot.delete("/stages/x?force=true").has_violations(&[("/force", "bad_query")]);
        let violations = [("/x", "bad_query"), ("/hidden", "wrong_type")];
        bot.put("/stages/x?x=1", &json!({"hidden": 1})).has_violations(&violations);
    }

    fn a_delete_names_what_went_and_keeps_the_skills(bot: &OnBot) {
        let skill = crate::skills::make(bot, "a");
        let [gone, stays] = [full(bot), full(bot)].map(|given| bot.post("/stages", &given).ok());
        let done = json!({"deleted": true, "_id": gone["_id"]});
        assert_eq!(bot.delete(&path(&gone)).ok(), done);
        assert_eq!(bot.get("/stages").items(), [stays]);
        assert_eq!(bot.get("/skills").items(), [skill]);
        for answer in [
            bot.get(&path(&gone)),
            bot.put(&path(&gone), &json!({"hidden": true})),
            bot.delete(&path(&gone)),
        ] {
            answer.problem(404, "stage_not_found");
        }
    }

    fn a_delete_takes_no_visual_block(bot: &OnBot) {
        let made = bot.post("/stages", &json!({"name": "n", "skills": ["a"]})).ok();
        let blocks = ["ifthen_a".to_owned(), format!("ifthen_{}", id(&made))];
        crate::skills::visual_blocks::put(bot, bot.id(), &blocks);
        let _ = bot.delete(&path(&made)).ok();
        assert_eq!(crate::skills::visual_blocks::names(bot, bot.id()).len(), 2);
    }
}
