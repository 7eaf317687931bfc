//! One request with a key, sent by many at once.

use botyard_tests::{Client, Response, at_once, each_database};
use serde_json::{Value, json};

use super::{is_replayed, send};

/// How many send it.
const CLIENTS: usize = 64;

/// Sends the same from all at once, until each has an answer; returns what one of them was answered first. All others
/// got the same, or were told that it is on its way.
#[track_caller]
fn one_of_all(ask: impl Fn() -> Response + Sync) -> Value {
    let answers = at_once(CLIENTS, |_| {
        loop {
            let answer = ask();
            if answer.status() == 200 {
                return (is_replayed(&answer), answer.ok());
            }
            answer.problem(409, "idempotency_in_progress");
            assert!(answer.header("retry-after").is_some());
        }
    });
    let (_, of_first) = answers.iter().find(|(is_replayed, _)| !is_replayed).expect("an execution");
    for (_, answer) in &answers {
        assert_eq!(answer, of_first);
    }
    let executions = answers.iter().filter(|(is_replayed, _)| !is_replayed).count();
    assert_eq!(executions, 1);
    of_first.clone()
}

#[track_caller]
fn once(client: &Client<'_>, method: &str, path: &str, body: &Value) -> Value {
    one_of_all(|| send(client, method, path, path, body))
}

each_database! {
    fn one_of_many_takes_effect(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        let made = once(&bot.client, "POST", &bot.path("/skills"), &json!({"name": "a"}));
        assert_eq!(bot.get("/skills").ok(), json!([made]));
        let copy = once(&bot.client, "POST", &bot.path("/duplicate"), &json!({"name": "copy"}));
        let bots = bot.client.get("/api/external/projectapi/bots").ok();
        let copies = bots.as_array().unwrap().iter().filter(|bot| bot["name"] == "copy");
        assert_eq!(copies.map(|bot| &bot["_id"]).collect::<Vec<_>>(), [&copy["_id"]]);
    }

    fn one_of_many_deletes_batch_by_batch(app: &TestApp) {
        let tenant = app.tenant();
        let client = tenant.as_bot(tenant.bot());
        for number in 0..250 {
            let path = format!("/api/external/keyval/u/t/{number}");
            let _ = client.put(&path, &json!({"value": number})).ok();
        }
        let path = "/api/external/keyval/bulk-delete";
        let deleted = once(&client, "POST", path, &json!({"userId": "u"}));
        assert_eq!(deleted, json!({"deleted": 250}));
    }

    fn one_of_many_copies_a_large_bot(app: &TestApp) {
        let bot = app.tenant().with_project_token();
        for name in ["a", "b", "c"] {
            let content = name.repeat(900_000);
            let _ = bot.post("/skills", &json!({"name": name, "content": content})).ok();
        }
        let copy = once(&bot.client, "POST", &bot.path("/duplicate"), &json!({"name": "copy"}));
        let bots = bot.client.get("/api/external/projectapi/bots").ok();
        let copies = bots.as_array().unwrap().iter().filter(|bot| bot["name"] == "copy");
        assert_eq!(copies.map(|bot| &bot["_id"]).collect::<Vec<_>>(), [&copy["_id"]]);
    }
}
