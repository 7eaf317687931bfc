//! `GET projectapi/events` and `GET bot/events`, as lists and as streams

mod follow;
mod lists;
mod mixed;
mod read;
mod stream;

use botyard_tests::waiting::until;
use botyard_tests::{Client, OnBot};
use domain::access::Scheme;
use serde_json::Value;

pub const OF_PROJECT: &str = "/api/external/projectapi/events";
pub const OF_BOT: &str = "/api/external/bot/events";

/// Where the events are that the bearer of a token of this scheme reads.
pub const fn path(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::Bot => OF_BOT,
        Scheme::Project => OF_PROJECT,
    }
}

/// All events that a client reads with this query, once the last one is about this: an event can be read a moment after
/// the answer to what it is about.
#[track_caller]
pub fn wait_for_event(client: &Client<'_>, path: &str, of: &str) -> Vec<Value> {
    let mut events = Vec::new();
    until(&format!("{path} has an event of {of}"), || {
        events = client.get(path).items();
        events.last().is_some_and(|last| last["resourceId"] == of)
    });
    events
}

/// The events of the bot's bearer from the beginning on, once the last one is about this.
#[track_caller]
pub fn events_up_to(bot: &OnBot<'_>, of: &str) -> Vec<Value> {
    wait_for_event(&bot.client, &format!("{}?after=0&limit=1000", path(bot.scheme)), of)
}

/// Types of events, in their order.
pub fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}
