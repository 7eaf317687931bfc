//! Entity tags, and changes that depend on them (RFC 9110, sections 8.8.3 and 13). Which operation takes which is in
//! the matrix of that name.

mod at_once;
mod order;
mod tags;

use botyard_tests::{Client, Response};
use serde_json::Value;

/// The entity tag of an answer.
#[track_caller]
fn tag_of(answer: &Response) -> String {
    let _ = answer.ok();
    answer.header("etag").expect("an entity tag").to_owned()
}

/// `PUT` with a JSON body, if what is there is in the state with this tag.
#[track_caller]
fn put_if_match(client: &Client<'_>, path: &str, tag: &str, body: &Value) -> Response {
    client.request("PUT", path).header("If-Match", tag).json(body).send()
}
