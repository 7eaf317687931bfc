//! Skills and stages are reached through their own bot alone, and only while that is there.

use botyard_tests::{Client, OnBot, each_scheme_and_database};
use domain::bot::DeleteMode;
use serde_json::{Value, json};

use super::{each, id};
use crate::bots::BOTS;

const LISTS: [(&str, &str); 2] = [("/skills", "skill_not_found"), ("/stages", "stage_not_found")];

/// Every operation on a list and on one of its items.
fn all_operations(client: &Client<'_>, base: &str, list: &str, address: &str) -> Vec<(u16, Value)> {
    let (list, item) = (format!("{base}{list}"), format!("{base}{list}/{address}"));
    let body = json!({"name": "x"});
    let answers = [
        client.get(&list),
        client.post(&list, &body),
        client.get(&item),
        client.put(&item, &body),
        client.delete(&item),
        // A wrong body or query tells nothing that a valid one does not.
        client.post(&list, &json!({"colour": 1})),
        client.put(&item, &json!({})),
        client.get(&format!("{list}?limit=0")),
        client.delete(&format!("{item}?x=1")),
    ];
    answers.into_iter().map(|answer| (answer.status(), answer.json()["code"].clone())).collect()
}

/// Makes a skill and a stage on a bot with this path.
fn populate(client: &Client<'_>, base: &str, text: &str) -> [Value; 2] {
    ["/skills", "/stages"].map(|list| {
        let mut body = json!({"name": text});
        if list == "/skills" {
            body["skillId"] = json!("shared");
        } else {
            body["skills"] = json!(["shared"]);
        }
        client.post(&format!("{base}{list}"), &body).ok()
    })
}

/// Nothing of another bot of the same project is reached through this one.
fn reaches_only_its_own(bot: &OnBot<'_>) {
    let other = format!("{BOTS}/{}", bot.tenant.new_bot("other"));
    let project = bot.tenant.as_project();
    let foreign = populate(&project, &other, &bot.text("foreign"));
    let others = || LISTS.map(|(list, _)| project.get(&format!("{other}{list}")).items());
    let before = (others(), project.get(&format!("{other}/changelog")).items());
    for ((list, code), foreign) in LISTS.iter().zip(&foreign) {
        let mut addresses = vec![id(foreign)];
        if *list == "/skills" {
            addresses.push("shared".to_owned());
        }
        for address in addresses {
            let rel = format!("{list}/{address}");
            bot.get(&rel).problem(404, code);
            bot.put(&rel, &json!({"name": bot.text("stolen")})).problem(404, code);
            bot.delete(&rel).problem(404, code);
        }
        assert_eq!(bot.get(list).text(), "[]");
    }
    // What has the same `skillId` here is still another skill.
    let own = populate(&bot.client, bot.base(), &bot.text("foreign"));
    assert_ne!(id(&own[0]), id(&foreign[0]));
    let _ = bot.put("/skills/shared", &json!({"skillId": "renamed"})).ok();
    let _ = bot.delete("/skills/renamed").ok();
    let _ = bot.delete(&format!("/stages/{}", id(&own[1]))).ok();
    assert_eq!((others(), project.get(&format!("{other}/changelog")).items()), before);
}

/// A bot that is hidden has neither skills nor stages, until it comes back with all of them.
fn are_hidden_with_their_bot(bot: &OnBot<'_>, mode: DeleteMode) {
    let made = populate(&bot.client, bot.base(), &bot.text("x"));
    bot.tenant.delete_bot(bot.id(), mode);
    let before = bot.tenant.snapshot();
    for ((list, _), item) in LISTS.iter().zip(&made) {
        for answer in all_operations(&bot.client, bot.base(), list, &id(item)) {
            assert_eq!(answer, (404, json!("bot_not_found")), "{list}");
        }
    }
    before.assert_unchanged(&bot.tenant);
    bot.tenant.restore_bot(bot.id());
    for ((list, _), item) in LISTS.iter().zip(made) {
        assert_eq!(bot.get(list).items(), [item]);
    }
    let _ = bot.put("/skills/shared", &json!({"enabled": false})).ok();
}

each_scheme_and_database! {
    fn a_bot_reaches_no_other_bot_of_its_project(bot: &OnBot) {
        reaches_only_its_own(bot);
    }

    fn an_archived_bot_has_neither(bot: &OnBot) {
        are_hidden_with_their_bot(bot, DeleteMode::Archive);
    }

    fn a_trashed_bot_has_neither(bot: &OnBot) {
        are_hidden_with_their_bot(bot, DeleteMode::Trash);
    }

    fn a_project_token_reaches_no_bot_of_another_project(bot: &OnBot) {
        let made = populate(&bot.client, bot.base(), &bot.text("x"));
        let base = format!("{BOTS}/{}", bot.id());
        let before = bot.tenant.snapshot();
        for stranger in [bot.tenant.sibling(), bot.tenant.app().tenant()] {
            let client = stranger.as_project();
            for ((list, _), item) in LISTS.iter().zip(&made) {
                for address in [id(item), "shared".to_owned(), "nobody".to_owned()] {
                    for answer in all_operations(&client, &base, list, &address) {
                        assert_eq!(answer, (404, json!("bot_not_found")), "{list}");
                    }
                }
            }
        }
        before.assert_unchanged(&bot.tenant);
    }

    fn an_item_is_no_item_of_the_other_list(bot: &OnBot) {
        let [skill, stage] = populate(&bot.client, bot.base(), &bot.text("x"));
        bot.get(&format!("/stages/{}", id(&skill))).problem(404, "stage_not_found");
        bot.get("/stages/shared").problem(404, "stage_not_found");
        bot.get(&format!("/skills/{}", id(&stage))).problem(404, "skill_not_found");
        bot.delete(&format!("/skills/{}", id(&stage))).problem(404, "skill_not_found");
        assert_eq!(each(&bot.get("/stages").items(), "_id"), [stage["_id"].clone()]);
    }
}
