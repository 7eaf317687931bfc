//! Bodies and answers read as the Rust client reads them, which is made of docs/openapi.json: a member that the
//! document does not have, or has with another type, in a JSON body that was accepted or in an answer, fails a test.
//! Words that the document does not list are not found so, because clients take them.

use client::shared::Problem;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::operations::OPERATIONS;

/// Reads a body as a type, and writes it again.
type Again = fn(&[u8]) -> serde_json::Result<Vec<u8>>;

/// What the client has for an operation.
pub(crate) struct Operation {
    pub(crate) method: &'static str,
    /// Its path, with the names of parameters in braces.
    pub(crate) path: &'static str,
    pub(crate) body: Option<Again>,
    pub(crate) answer: Again,
}

pub(crate) fn again<T: Serialize + DeserializeOwned>(body: &[u8]) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&serde_json::from_slice::<T>(body)?)
}

/// Checks that nothing is lost of an answer that the client reads.
///
/// # Panics
/// If the client can't read it, or leaves something out.
#[track_caller]
pub(crate) fn check_answer(method: &str, path: &str, body: &[u8]) {
    let Some(operation) = find(method, path) else { return };
    if let Some((answered, read)) = compared(operation.answer, body) {
        assert_eq!(answered, read, "the client changes the answer to {method} {path}");
    }
}

/// Checks that nothing is lost of a refusal that the client reads.
///
/// # Panics
/// If the client can't read it, or leaves something out.
#[track_caller]
pub(crate) fn check_problem(body: &[u8]) {
    if let Some((answered, read)) = compared(again::<Problem>, body) {
        assert_eq!(answered, read, "the client changes a refusal");
    }
}

/// Checks that the client could have sent a body that was accepted.
///
/// # Panics
/// If the client has no such body.
#[track_caller]
pub(crate) fn check_body(method: &str, path: &str, body: &[u8]) {
    let Some(again) = find(method, path).and_then(|operation| operation.body) else { return };
    if let Some((mut sent, mut read)) = compared(again, body) {
        if method == "POST" {
            // `null` is the default there, for which the client leaves the member out.
            without_nulls(&mut sent);
            without_nulls(&mut read);
        }
        assert_eq!(sent, read, "the client changes the body of {method} {path}");
    }
}

/// The longest body that is compared, in bytes. What the client makes of a text does not depend on its length, and
/// reading megabytes again and again takes much of the time of the tests that send them.
const LONGEST: usize = 256 << 10;

/// A body, and what the client makes of it; `None` for one that is too long, or that no value of Rust can hold: it is
/// nested too deeply, or has a number that is too large, or half a surrogate pair.
#[track_caller]
fn compared(again: Again, body: &[u8]) -> Option<(Value, Value)> {
    if body.len() > LONGEST {
        return None;
    }
    // With numbers in one form, of which an integer may also be written as -0.
    let value = comparable(str::from_utf8(body).ok()?.parse().ok()?);
    let read = again(value.to_string().as_bytes())
        .unwrap_or_else(|error| panic!("the client can't read {value}: {error}"));
    Some((value, comparable(serde_json::from_slice(&read).expect("JSON"))))
}

/// The operation of a request. A part of a path that is a word comes before one that is a parameter.
fn find(method: &str, path: &str) -> Option<&'static Operation> {
    let path = path.split('?').next().unwrap_or_default();
    let parts: Vec<_> = path.split('/').collect();
    let parameters = |template: &str| template.matches('{').count();
    let fits = |template: &str| {
        let template: Vec<_> = template.split('/').collect();
        template.len() == parts.len()
            && template
                .iter()
                .zip(&parts)
                .all(|(of_template, part)| of_template.starts_with('{') || of_template == part)
    };
    let all = OPERATIONS.iter().filter(|operation| operation.method == method);
    all.filter(|operation| fits(operation.path)).min_by_key(|operation| parameters(operation.path))
}

/// The value with numbers in one form, because 1, 1.0 and 1e0 are the same number in JSON, and 0 and -0, too.
fn comparable(mut value: Value) -> Value {
    match &mut value {
        Value::Number(number) => {
            let float = number.as_f64().unwrap_or_default();
            // Numbers without fraction up to 2^53, which are all that an integer of the API may be.
            let is_whole = float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0;
            return if is_whole { Value::from(float as i64) } else { Value::from(float) };
        }
        Value::Array(items) => {
            for item in items {
                *item = comparable(item.take());
            }
        }
        Value::Object(members) => {
            for member in members.values_mut() {
                *member = comparable(member.take());
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
    value
}

fn without_nulls(value: &mut Value) {
    if let Some(members) = value.as_object_mut() {
        members.retain(|_, member| !member.is_null());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_in_a_path_comes_before_a_parameter() {
        let rules = find("GET", "/api/external/projectapi/keyval/maxage?limit=1");
        assert_eq!(rules.map(|rules| rules.path), Some("/api/external/projectapi/keyval/maxage"));
        let user = find("GET", "/api/external/projectapi/keyval/max%61ge");
        assert_eq!(user.map(|user| user.path), Some("/api/external/projectapi/keyval/{userId}"));
        assert!(find("GET", "/healthz").is_none());
    }

    #[test]
    #[should_panic(expected = "the client changes the answer")]
    fn a_member_that_the_document_does_not_have_is_noticed() {
        let answer = br#"{"deleted": true, "_id": "01a2009b-547d-741c-8f60-e84cc2226cc6", "x": 1}"#;
        check_answer("DELETE", "/api/external/bot/skills/a", answer);
    }
}
