//! What a new `skillId` and a delete do to the stages of the bot.

use botyard_tests::{OnBot, each_scheme};
use serde_json::{Value, json};

use super::{LONG_AGO, age, each, id, make, make_plain, path};
use crate::bots::BOTS;

/// Makes a stage for each list of skills.
#[track_caller]
fn stages(bot: &OnBot<'_>, lists: &[Value]) -> Vec<Value> {
    let make = |(number, skills): (usize, &Value)| {
        let name = bot.text(&format!("stage {number}"));
        bot.post("/stages", &json!({"name": name, "skills": skills})).ok()
    };
    lists.iter().enumerate().map(make).collect()
}

/// The stages are as they were long ago, save that they have these skills; those whose skills
/// changed have changed by now.
#[track_caller]
fn now_have(bot: &OnBot<'_>, before: &[Value], lists: &[Value]) {
    let after = bot.get("/stages").items();
    assert_eq!(each(&after, "skills"), lists);
    for (before, after) in before.iter().zip(&after) {
        let mut expected = before.clone();
        expected["skills"] = after["skills"].clone();
        expected["createdAt"] = json!(LONG_AGO);
        expected["updatedAt"] = json!(LONG_AGO);
        if before["skills"] != after["skills"] {
            assert_ne!(after["updatedAt"], json!(LONG_AGO), "{after}");
            expected["updatedAt"] = after["updatedAt"].clone();
        }
        assert_eq!(*after, expected);
    }
}

/// The changelog's latest entries of stages, oldest first, as pairs of a stage and its change.
fn changes_of_stages(bot: &OnBot<'_>, count: usize) -> Vec<(Value, Value)> {
    let mut entries = bot.get("/changelog").items();
    entries.retain(|entry| entry["resource"] == "stage");
    entries.truncate(count);
    let latest = entries.into_iter().rev();
    latest
        .map(|entry| {
            assert_eq!(entry["action"], "update", "{entry}");
            (entry["resourceId"].clone(), entry["changes"].clone())
        })
        .collect()
}

each_scheme! {
    fn stages_follow_a_new_skill_id(bot: &OnBot) {
        for skill_id in ["a", "b", "c"] {
            let _ = make(bot, skill_id);
        }
        let before = stages(
            bot,
            &[
                json!(["a", "b", "c"]),
                json!(["b"]),
                json!(["c", "b", "a", "unknown"]),
                json!(["a", "c"]),
                json!([]),
                json!(null),
            ],
        );
        age(bot, "stages");
        let _ = bot.put(&path("b"), &json!({"skillId": "new"})).ok();
        now_have(
            bot,
            &before,
            &[
                json!(["a", "new", "c"]),
                json!(["new"]),
                json!(["c", "new", "a", "unknown"]),
                json!(["a", "c"]),
                json!([]),
                json!(null),
            ],
        );
    }

    fn a_duplicate_collapses_to_the_first(bot: &OnBot) {
        for skill_id in ["a", "b"] {
            let _ = make(bot, skill_id);
        }
        // No skill is called `z` so far, but stages may say so.
        let before = stages(
            bot,
            &[
                json!(["z", "a", "b"]),
                json!(["b", "a", "z"]),
                json!(["a", "b", "z", "c"]),
                json!(["z", "a"]),
            ],
        );
        age(bot, "stages");
        let _ = bot.put(&path("b"), &json!({"skillId": "z"})).ok();
        now_have(
            bot,
            &before,
            &[json!(["z", "a"]), json!(["z", "a"]), json!(["a", "z", "c"]), json!(["z", "a"])],
        );
    }

    fn a_rename_is_recorded_for_the_skill_and_each_changed_stage(bot: &OnBot) {
        let skill = make(bot, "b");
        let lists = [json!(["a", "b"]), json!(["a"]), json!(["b", "c"])];
        let stages = stages(bot, &lists);
        let before = bot.get("/changelog").items().len();
        let _ = bot.put(&path("b"), &json!({"skillId": "new"})).ok();
        let entries = bot.get("/changelog").items();
        assert_eq!(entries.len(), before + 3);
        let change =
            |field: &str, from: Value, to: Value| json!([{"field": field, "from": from, "to": to}]);
        assert_eq!(
            changes_of_stages(bot, 2),
            [
                (
                    stages[0]["_id"].clone(),
                    change("skills", json!(["a", "b"]), json!(["a", "new"]))
                ),
                (
                    stages[2]["_id"].clone(),
                    change("skills", json!(["b", "c"]), json!(["new", "c"]))
                ),
            ]
        );
        let own: Vec<_> =
            entries[..3].iter().filter(|entry| entry["resource"] == "skill").collect();
        assert_eq!(own.len(), 1);
        assert_eq!(own[0]["resourceId"], skill["_id"]);
        assert_eq!(own[0]["changes"], change("skillId", json!("b"), json!("new")));
        // All of it is one deed of one caller.
        assert!(entries[..3].iter().all(|entry| entry["actor"] == own[0]["actor"]));
        assert!(own[0]["actor"].is_object());
    }

    fn a_delete_takes_the_skill_out_of_every_stage(bot: &OnBot) {
        for skill_id in ["a", "b", "c"] {
            let _ = make(bot, skill_id);
        }
        let before = stages(
            bot,
            &[
                json!(["a", "b", "c"]),
                json!(["b"]),
                json!(["c", "b", "unknown", "a"]),
                json!(["a", "c"]),
                json!([]),
                json!(null),
            ],
        );
        age(bot, "stages");
        let _ = bot.delete(&path("b")).ok();
        now_have(
            bot,
            &before,
            &[
                json!(["a", "c"]),
                json!([]),
                json!(["c", "unknown", "a"]),
                json!(["a", "c"]),
                json!([]),
                json!(null),
            ],
        );
        assert_eq!(each(&bot.get("/skills").items(), "skillId"), ["a", "c"]);
    }

    fn a_delete_is_recorded_for_the_skill_and_each_changed_stage(bot: &OnBot) {
        let skill = make(bot, "b");
        let stages = stages(bot, &[json!(["b"]), json!(["a"]), json!(["a", "b"])]);
        let before = bot.get("/changelog").items().len();
        let _ = bot.delete(&path("b")).ok();
        let entries = bot.get("/changelog").items();
        assert_eq!(entries.len(), before + 3);
        let change = |from: Value, to: Value| json!([{"field": "skills", "from": from, "to": to}]);
        assert_eq!(
            changes_of_stages(bot, 2),
            [
                (stages[0]["_id"].clone(), change(json!(["b"]), json!([]))),
                (stages[2]["_id"].clone(), change(json!(["a", "b"]), json!(["a"]))),
            ]
        );
        let own: Vec<_> =
            entries[..3].iter().filter(|entry| entry["resource"] == "skill").collect();
        assert_eq!(own.len(), 1);
        assert_eq!((&own[0]["action"], &own[0]["resourceId"]), (&json!("delete"), &skill["_id"]));
    }

    fn either_id_addresses_but_stages_hold_the_skill_id(bot: &OnBot) {
        let [renamed, deleted] = ["renamed", "deleted"].map(|skill_id| make(bot, skill_id));
        let plain = make_plain(bot, "plain");
        let _ = stages(bot, &[json!(["renamed", "deleted", id(&plain)])]);
        let _ = bot.put(&path(&id(&renamed)), &json!({"skillId": "new"})).ok();
        let _ = bot.delete(&path(&id(&deleted))).ok();
        let skills = || bot.get("/stages").items()[0]["skills"].clone();
        assert_eq!(skills(), json!(["new", id(&plain)]));
        // A skill that was given no `skillId` has one all the same, and can get another.
        let _ = bot.put(&path(&id(&plain)), &json!({"skillId": "plain"})).ok();
        assert_eq!(skills(), json!(["new", "plain"]));
        let _ = bot.put(&path("plain"), &json!({"skillId": id(&plain)})).ok();
        assert_eq!(skills(), json!(["new", id(&plain)]));
        let _ = bot.delete(&path(&id(&plain))).ok();
        assert_eq!(skills(), json!(["new"]));
    }

    fn what_only_looks_like_the_skill_id_stays(bot: &OnBot) {
        let list = json!([
            "a_b",
            "a.b",
            "aXb",
            "A_B",
            "a_",
            "_b",
            "a_bc",
            "aa_b",
            "a_b ",
            "\"a_b\"",
            "x\",\"a_b\",\"y",
            "[\"a_b\"]",
            "\\\"a_b",
            "a%",
            "%",
            "_",
            "a_b\\",
            "ä",
            "a'b",
            "a\n_b",
        ]);
        let kept = |new: Option<&str>| {
            let mut items = list.as_array().unwrap().clone();
            match new {
                Some(new) => items[0] = json!(new),
                None => drop(items.remove(0)),
            }
            Value::Array(items)
        };
        let _ = make(bot, "a_b");
        let only_similar = kept(None);
        let before = stages(bot, &[list.clone(), only_similar.clone()]);
        age(bot, "stages");
        let _ = bot.put(&path("a_b"), &json!({"skillId": "new"})).ok();
        now_have(bot, &before, &[kept(Some("new")), only_similar.clone()]);
        let _ = bot.delete(&path("new")).ok();
        now_have(bot, &before, &[only_similar.clone(), only_similar]);
    }

    fn other_updates_of_a_skill_leave_the_stages_alone(bot: &OnBot) {
        let skill = make(bot, "a");
        let before = stages(bot, &[json!(["a", skill["name"], skill["_id"]])]);
        age(bot, "stages");
        let body =
            json!({"name": bot.text("new"), "skillId": "a", "enabled": false, "content": "x"});
        let _ = bot.put(&path("a"), &body).ok();
        now_have(bot, &before, &[before[0]["skills"].clone()]);
    }

    fn a_new_skill_takes_nothing_out_of_the_stages(bot: &OnBot) {
        let before = stages(bot, &[json!(["later", "never"])]);
        age(bot, "stages");
        let _ = make(bot, "later");
        now_have(bot, &before, &[json!(["later", "never"])]);
        let _ = bot.put(&path("later"), &json!({"skillId": "now"})).ok();
        now_have(bot, &before, &[json!(["now", "never"])]);
    }

    fn the_stages_of_other_bots_do_not_follow(bot: &OnBot) {
        let other = format!("{BOTS}/{}", bot.tenant.new_bot("other"));
        let client = bot.tenant.as_project();
        let skill = json!({"name": bot.text("b"), "skillId": "b"});
        let stage = json!({"name": bot.text("s"), "skills": ["a", "b"]});
        for (rel, body) in [("/skills", &skill), ("/stages", &stage)] {
            let _ = bot.post(rel, body).ok();
            let _ = client.post(&format!("{other}{rel}"), body).ok();
        }
        let all = || ["/skills", "/stages"].map(|rel| client.get(&format!("{other}{rel}")).items());
        let before = all();
        let _ = bot.put(&path("b"), &json!({"skillId": "c"})).ok();
        let _ = bot.delete(&path("c")).ok();
        assert_eq!(bot.get("/stages").items()[0]["skills"], json!(["a"]));
        assert_eq!(all(), before);
    }

    fn many_stages_follow_as_well(bot: &OnBot) {
        let _ = make(bot, "b");
        let made = crate::lists::make_many(bot, "/stages", 250);
        // Every other one has the skill.
        for (number, id) in made.iter().enumerate() {
            let skills = if number % 2 == 0 { r#"["a","b"]"# } else { r#"["a"]"# };
            bot.tenant
                .app()
                .sql()
                .execute(&format!("UPDATE stages SET skills = '{skills}' WHERE id = '{id}'"));
        }
        let lists = |with: &[&str]| -> Vec<Value> {
            (0..250)
                .map(|number| if number % 2 == 0 { json!(with) } else { json!(["a"]) })
                .collect()
        };
        assert_eq!(each(&bot.get("/stages").items(), "skills"), lists(&["a", "b"]));
        let _ = bot.put(&path("b"), &json!({"skillId": "c"})).ok();
        assert_eq!(each(&bot.get("/stages").items(), "skills"), lists(&["a", "c"]));
        let _ = bot.delete(&path("c")).ok();
        assert_eq!(each(&bot.get("/stages").items(), "skills"), lists(&["a"]));
        let changed = bot.get("/changelog").items();
        let changed = changed.iter().filter(|entry| entry["resource"] == "stage").count();
        assert_eq!(changed, 250);
    }
}
