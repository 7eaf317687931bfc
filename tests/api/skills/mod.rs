//! `{bot}/skills`

mod at_once;
pub mod changelog;
mod create;
mod in_stages;
mod limits;
mod names;
mod others;
mod read;
mod update;
mod violations;
pub mod visual_blocks;

use botyard_tests::{OnBot, Response};
use serde_json::{Value, json};

/// A UUID that nothing has.
pub const NEVER: &str = "0197d0c8-3c5e-7000-8000-0123456789ab";

/// The path of a skill below its bot.
pub fn path(address: &str) -> String {
    format!("/skills/{address}")
}

/// Makes a skill with this `skillId`, and a name like it.
#[track_caller]
pub fn make(bot: &OnBot<'_>, skill_id: &str) -> Value {
    bot.post("/skills", &json!({"name": bot.text(skill_id), "skillId": skill_id})).ok()
}

/// Makes a skill of which nothing but the name is said.
#[track_caller]
pub fn make_plain(bot: &OnBot<'_>, name: &str) -> Value {
    bot.post("/skills", &json!({"name": bot.text(name)})).ok()
}

/// `POST` with whatever bytes.
#[track_caller]
fn post_bytes(bot: &OnBot<'_>, body: impl Into<Vec<u8>>) -> Response {
    bot.client.request("POST", &bot.path("/skills")).body(body).send()
}

/// All that a new skill can be given.
pub fn full(bot: &OnBot<'_>) -> Value {
    json!({
        "name": bot.text("full"),
        "skillId": "full",
        "description": bot.text("described\n\"ä𝄞\\"),
        "enabled": false,
        "content": bot.text("If\r\n\tthen 𝄞"),
        "params": [{"to": bot.text("x"), "deep": {"er": [1, null, 2.5, true]}}, {}],
        "toolCallAnswer": [bot.text("yes"), "", "yes"],
        "answerMode": "sequenceloop",
    })
}

/// A member of everything in a list.
pub fn each(items: &[Value], member: &str) -> Vec<Value> {
    items.iter().map(|item| item[member].clone()).collect()
}

/// The `_id` of something.
#[track_caller]
pub fn id(item: &Value) -> String {
    item["_id"].as_str().unwrap_or_else(|| panic!("no _id in {item}")).to_owned()
}

/// Makes rows look as if they had not been changed since 1970.
pub fn age(bot: &OnBot<'_>, table: &str) {
    let statement = "SET created_at = 1, updated_at = 1 WHERE bot_id =";
    bot.tenant.app().sql().execute(&format!("UPDATE {table} {statement} '{}'", bot.id()));
}

/// What stands in `createdAt` and `updatedAt` then.
pub const LONG_AGO: &str = "1970-01-01T00:00:00.001Z";
