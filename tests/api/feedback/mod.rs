//! `GET {bot}/feedback`

mod access;
mod list;

use botyard_tests::{OnBot, record};
use domain::recorder::{NewFeedback, Record};
use serde_json::{Value, json};

/// Feedback on a message; `other` says more about it.
#[track_caller]
pub fn feedback(bot: &OnBot<'_>, message: &str, other: &Value) -> Record {
    let mut line = json!({"messageId": bot.text(message), "rating": "none"});
    for (member, value) in other.as_object().expect("an object") {
        line[member] = value.clone();
    }
    record::<NewFeedback>(&line)
}

/// The messages that a list is about, in its order.
fn messages(items: &[Value], bot: &OnBot<'_>) -> Vec<String> {
    let marker = format!(" {}", bot.tenant.marker());
    let message = |item: &Value| item["messageId"].as_str().unwrap().replace(&marker, "");
    items.iter().map(message).collect()
}
