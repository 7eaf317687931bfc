//! `/api/external/projectapi/keyval/maxage[/{ruleId}]`, and the clean-up that goes by the rules.

mod clean_up;
mod rules;
mod violations;

use botyard_tests::Client;
use serde_json::{Value, json};

/// Where rules are.
pub const RULES: &str = "/api/external/projectapi/keyval/maxage";
/// Where the entries are that rules work on.
pub const ENTRIES: &str = "/api/external/projectapi/keyval";

/// The path of a rule.
pub fn path(rule: &Value) -> String {
    format!("{RULES}/{}", rule["_id"].as_str().unwrap())
}

/// A new rule.
#[track_caller]
pub fn make(client: &Client<'_>, pattern: &str, seconds: impl Into<Value>) -> Value {
    let seconds = seconds.into();
    client.post(RULES, &json!({"keyPattern": pattern, "maxAgeSeconds": seconds})).ok()
}
