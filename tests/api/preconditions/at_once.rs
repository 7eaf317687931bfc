//! Many clients who change the same under preconditions.

use botyard_tests::{Client, at_once, each_database};
use serde_json::{Value, json};

use super::{put_if_match, tag_of};

/// How many clients there are.
const CLIENTS: usize = 16;

/// How many times each of them adds 1: 8, or what `BOTYARD_TEST_INCREMENTS` says.
fn increments() -> usize {
    let said = std::env::var("BOTYARD_TEST_INCREMENTS");
    said.map_or(8, |said| said.parse().expect("a number"))
}

/// Has all clients add 1 to a number at once, by reading it, and writing it if nobody else did meanwhile.
#[track_caller]
fn count_up(client: &Client<'_>, path: &str, number: &str, body: impl Fn(u64) -> Value + Sync) {
    let current = |answer: &Value| answer[number].as_str().unwrap().parse::<u64>().unwrap();
    let _ = client.put(path, &body(0)).ok();
    let collisions = at_once(CLIENTS, |_| {
        let mut collisions = 0;
        for _ in 0..increments() {
            loop {
                let read = client.get(path);
                let next = body(current(&read.ok()) + 1);
                let written = put_if_match(client, path, &tag_of(&read), &next);
                if written.status() == 200 {
                    break;
                }
                written.problem(412, "precondition_failed");
                collisions += 1;
            }
        }
        collisions
    });
    assert_eq!(current(&client.get(path).ok()), (CLIENTS * increments()) as u64);
    assert!(collisions.iter().sum::<usize>() > 0, "no two of them ever met");
}

each_database! {
    fn no_increment_is_lost(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        let _ = bot.post("/skills", &json!({"name": "a", "skillId": "a"})).ok();
        let text = |name: &'static str| move |number: u64| json!({name: number.to_string()});
        count_up(&bot.client, bot.base(), "botInstruction", text("botInstruction"));
        count_up(&bot.client, &bot.path("/skills/a"), "description", text("description"));
        let client = bot.tenant.as_bot(bot.id());
        count_up(&client, "/api/external/keyval/u/t/k", "value", text("value"));
    }

    fn one_of_many_makes_an_entry(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        for round in 0..5 {
            let path = format!("/api/external/keyval/u/t/{round}");
            let answers = at_once(CLIENTS, |number| {
                let request = client.request("PUT", &path).header("If-None-Match", "*");
                let answer = request.json(&json!({"value": number})).send();
                if answer.status() != 200 {
                    answer.problem(412, "precondition_failed");
                }
                (answer.status() == 200).then_some(number)
            });
            let made: Vec<_> = answers.into_iter().flatten().collect();
            assert_eq!(made.len(), 1, "{made:?}");
            assert_eq!(client.get(&path).ok()["value"], made[0]);
        }
    }

    fn of_deletes_and_changes_of_one_state_one_is_done(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        for (all, new, change) in [
            ("/skills", json!({"name": "a"}), json!({"enabled": false})),
            ("/stages", json!({"title": "a"}), json!({"hidden": true})),
        ] {
            let made = bot.post(all, &new);
            let path = bot.path(&format!("{all}/{}", made.ok()["_id"].as_str().unwrap()));
            let tag = tag_of(&made);
            let done = at_once(CLIENTS, |number| {
                let answer = if number % 2 == 0 {
                    put_if_match(&bot.client, &path, &tag, &change)
                } else {
                    bot.client.request("DELETE", &path).header("If-Match", &tag).send()
                };
                assert!(matches!(answer.status(), 200 | 404 | 412), "{answer}");
                usize::from(answer.status() == 200)
            });
            assert_eq!(done.iter().sum::<usize>(), 1, "{all}");
        }
    }
}
