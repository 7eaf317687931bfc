//! `/api/external/projectapi/webhooks[/{webhookId}…]`, and what is delivered.

mod deliveries;
mod lifecycle;
mod secrets;

use botyard_tests::waiting::eventually;
use botyard_tests::{Client, Database, Posted, Site, TestApp};
use serde_json::{Value, json};

/// Where webhooks are.
pub const WEBHOOKS: &str = "/api/external/projectapi/webhooks";

/// Settings with which webhooks reach the sites of tests, and are sent again soon, twice.
pub const TO_LOOPBACK: [(&str, &str); 2] =
    [("WEBHOOKS__ALLOW_NETWORKS", "127.0.0.0/8"), ("WEBHOOKS__RETRIES", "10ms,20ms")];

/// The path of a webhook.
pub fn path(webhook: &Value) -> String {
    format!("{WEBHOOKS}/{}", webhook["_id"].as_str().unwrap())
}

/// A new webhook that is sent these types.
#[track_caller]
pub fn make(client: &Client<'_>, url: &str, types: &[&str]) -> Value {
    client.post(WEBHOOKS, &json!({"url": url, "types": types})).ok()
}

/// Makes a skill of the tenant's bot: an event `skill.created`.
#[track_caller]
pub fn make_skill(client: &Client<'_>, bot: impl std::fmt::Display, name: &str) -> String {
    let skills = format!("/api/external/projectapi/bots/{bot}/skills");
    let made = client.post(&skills, &json!({"name": name})).ok();
    made["_id"].as_str().unwrap().to_owned()
}

/// What a site was posted, once that is so much.
#[track_caller]
pub fn posted(site: &Site, count: usize) -> Vec<Posted> {
    eventually(&format!("{count} messages have come"), || {
        Some(site.posts()).filter(|posts| posts.len() >= count)
    })
}

/// The deliveries of a webhook, oldest first, once all of so many have this status.
#[track_caller]
pub fn deliveries(client: &Client<'_>, webhook: &Value, status: &str, count: usize) -> Vec<Value> {
    let path = format!("{}/deliveries", path(webhook));
    eventually(&format!("{count} deliveries are {status}"), || {
        let mut found = client.get(&path).items();
        found.reverse();
        let is_done = found.len() == count && found.iter().all(|one| one["status"] == status);
        is_done.then_some(found)
    })
}

/// A server whose webhooks reach the sites of tests.
pub fn start(database: Database) -> TestApp {
    TestApp::start(database, &TO_LOOPBACK)
}
