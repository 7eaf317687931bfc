//! `GET {bot}/usage`

mod days;
mod list;

use botyard_tests::{OnBot, record};
use domain::recorder::{NewUsage, Record};
use serde_json::{Value, json};

/// Usage of a model on a day; `other` says more about it.
#[track_caller]
pub fn usage(bot: &OnBot<'_>, day: &str, model: &str, other: &Value) -> Record {
    let mut line = json!({"day": day, "kind": "chatCompletion", "model": bot.text(model)});
    for (member, value) in other.as_object().expect("an object") {
        line[member] = value.clone();
    }
    record::<NewUsage>(&line)
}

/// Day, kind and model of each, in their order.
fn keys(items: &[Value], bot: &OnBot<'_>) -> Vec<String> {
    let marker = format!(" {}", bot.tenant.marker());
    let key = |item: &Value| {
        let parts = ["day", "kind", "model"].map(|member| item[member].as_str().unwrap());
        parts.join(" ").replace(&marker, "")
    };
    items.iter().map(key).collect()
}
