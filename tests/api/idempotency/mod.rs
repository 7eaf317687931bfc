//! Requests with an `Idempotency-Key`, beyond what holds for every operation (`matrix::keys`).

mod at_once;
mod order;
mod uploads;

use botyard_tests::{Client, Response};
use serde_json::Value;

/// Sends a request with a key.
fn send(client: &Client<'_>, method: &str, path: &str, key: &str, body: &Value) -> Response {
    client.request(method, path).header("Idempotency-Key", key).json(body).send()
}

/// Whether an answer was given before.
fn is_replayed(answer: &Response) -> bool {
    answer.header("idempotency-replayed") == Some("true")
}

/// The answer to a request that has taken effect before.
#[track_caller]
fn replayed(answer: &Response) -> Value {
    assert!(is_replayed(answer), "{answer}");
    answer.ok()
}

/// The answer to a request that takes effect now.
#[track_caller]
fn fresh(answer: &Response) -> Value {
    assert!(!is_replayed(answer), "{answer}");
    answer.ok()
}
