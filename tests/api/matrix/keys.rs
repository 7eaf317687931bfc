//! Which operation takes an `Idempotency-Key`, and that it then takes effect once.

use botyard_tests::{Response, TestApp, each_database};
use http_actix::{HttpLimits, Operation};
use serde_json::Value;

use super::call::Call;
use super::cells::Cells;
use super::queries::without_optional_body;
use super::verdict::{Verdict, expect, is_ok, is_problem};
use super::world::World;

fn with_key<'a>(call: &Call<'a>, key: &str) -> Call<'a> {
    call.clone().header("Idempotency-Key", key)
}

/// The first answer to a request, without the headers that each answer has of its own.
fn is_first(answer: &Response) -> Verdict {
    is_ok(answer)?;
    let is_replayed = answer.header("idempotency-replayed").is_some();
    expect(!is_replayed, "an answer that was not given before", answer)
}

/// The same answer once more.
fn is_again(answer: &Response, first: &Response) -> Verdict {
    is_ok(answer)?;
    expect(answer.header("idempotency-replayed") == Some("true"), "an answer given again", answer)?;
    for header in ["content-type", "etag"] {
        let wanted = format!("{header} {:?}", first.header(header));
        expect(answer.header(header) == first.header(header), wanted, answer)?;
    }
    let is_new = answer.header("x-request-id") != first.header("x-request-id");
    expect(is_new, "a request id of its own", answer)?;
    let mut expected = first.json();
    // A secret is shown once.
    if let Some(secret) = expected.get_mut("secret") {
        *secret = Value::Null;
        return expect(answer.json() == expected, expected.to_string(), answer);
    }
    expect(answer.text() == first.text(), first.text(), answer)
}

fn is_reused(answer: &Response) -> Verdict {
    is_problem(answer, 422, "idempotency_key_reused")
}

fn check<'a>(
    operation: &'a Operation,
    operations: &'a [Operation],
    world: &World<'a>,
    cells: &mut Cells,
) {
    let valid = || without_optional_body(world.call(operation));
    if !operation.takes_key {
        for call in with_key(&valid(), "a b").and_head() {
            cells.answer("what is no key", &call, is_ok);
        }
        return;
    }
    let call = valid();
    cells.refusal("what is no key", &with_key(&call, "a b"), world, |answer| {
        is_problem(answer, 422, "bad_idempotency_key")
    });
    let key = format!("key-of-{}", operation.id);
    let mut first = None;
    cells.answer("a new key", &with_key(&call, &key), |answer| {
        first = Some(answer.clone());
        is_first(answer)
    });
    let Some(first) = first else { return };
    if operation.id == "deleteBot" {
        // The token went with its bot, and a token is looked at first.
        cells.answer("the same key", &with_key(&call, &key), |answer| {
            is_problem(answer, 401, "unauthenticated")
        });
        return;
    }
    for again in [key.clone(), format!("\"{key}\"")] {
        let again = with_key(&call, &again);
        cells.refusal("the same key", &again, world, |answer| is_again(answer, &first));
    }
    let other = with_key(&call.clone().query("nope=1"), &key);
    cells.refusal("its key for another query", &other, world, is_reused);
    if operation.json().is_some() {
        let other = with_key(&call.padded(call.bytes().len() + 3), &key);
        cells.refusal("its key for another body", &other, world, is_reused);
    }
    let another = another(operation, operations);
    let other = call.method(another.method.as_str()).at(world.call(another).path());
    let other = with_key(&other, &key);
    cells.refusal("its key for another operation", &other, world, is_reused);
}

/// Another operation of the same tokens that takes keys.
fn another<'a>(operation: &Operation, operations: &'a [Operation]) -> &'a Operation {
    let mut others = operations.iter().filter(|other| {
        other.takes_key && other.scheme == operation.scheme && other.id != operation.id
    });
    others.find(|other| other.id.starts_with("create")).expect("an operation")
}

each_database! {
    fn an_operation_with_a_key_takes_effect_once(database: Database) {
        let app = TestApp::in_process(database, HttpLimits::default());
        let operations = http_actix::operations();
        let world = World::counting_changes(&app, &operations);
        let mut cells = Cells::over("a request with a key takes effect once", &operations);
        for operation in &operations {
            check(operation, &operations, &world, &mut cells);
        }
        cells.finish();
    }
}
