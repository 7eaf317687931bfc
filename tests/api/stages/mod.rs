//! `{bot}/stages`

mod at_once;
mod changelog;
mod create;
mod limits;
mod read;
mod update;
mod violations;

use botyard_tests::OnBot;
use serde_json::{Value, json};

use crate::skills::id;

/// The path of a stage below its bot.
pub fn path(stage: &Value) -> String {
    format!("/stages/{}", id(stage))
}

/// Makes a stage of which nothing but the name is said.
#[track_caller]
pub fn make(bot: &OnBot<'_>, name: &str) -> Value {
    bot.post("/stages", &json!({"name": bot.text(name)})).ok()
}

/// All that a new stage can be given.
pub fn full(bot: &OnBot<'_>) -> Value {
    json!({
        "title": bot.text("A title"),
        "name": bot.text("name"),
        "hidden": false,
        "footer": true,
        "forceSkills": false,
        "skills": ["b", "a", bot.text("nobody"), "c"],
        "enterJS": bot.text("enter(\"ä𝄞\\\n\t\r\")"),
        "exitJS": bot.text("exit()"),
        "preConditionJS": "",
    })
}

/// The fields that may be left out, and read as `null` then.
pub const OPTIONAL: [&str; 7] =
    ["hidden", "footer", "forceSkills", "skills", "enterJS", "exitJS", "preConditionJS"];
