//! Which operation takes `If-Match` and `If-None-Match`, and that none passes over what it takes.

use botyard_tests::{Response, TestApp, each_database};
use http_actix::{HttpLimits, Operation, Preconditions};

use super::call::Call;
use super::cells::Cells;
use super::queries::without_optional_body;
use super::verdict::{Verdict, expect, is_ok, is_problem};
use super::world::World;

/// A tag that nothing has.
const OTHER: &str = "\"00000000000000000000000000000000\"";

fn if_match<'a>(call: &Call<'a>, tags: &str) -> Call<'a> {
    call.clone().header("If-Match", tags)
}

fn if_none_match<'a>(call: &Call<'a>, tags: &str) -> Call<'a> {
    call.clone().header("If-None-Match", tags)
}

fn is_bad(answer: &Response) -> Verdict {
    is_problem(answer, 422, "bad_precondition")
}

/// That a request failed for another state than it asks for, and says which there is.
fn is_failed(answer: &Response) -> Verdict {
    is_problem(answer, 412, "precondition_failed")?;
    expect(answer.header("etag").is_some(), "an ETag", answer)
}

fn is_not_modified(answer: &Response) -> Verdict {
    let is_empty = answer.status() == 304 && answer.text().is_empty();
    expect(is_empty && answer.header("etag").is_some(), "304 with an ETag", answer)
}

/// The tag of what a call works on, as a refused one says it.
fn current(call: &Call<'_>) -> String {
    let refused = if_match(call, OTHER).send();
    refused.header("etag").unwrap_or_default().to_owned()
}

fn evaluate_answers(call: &Call<'_>, world: &World<'_>, cells: &mut Cells) {
    let tag = call.send().header("etag").unwrap_or_default().to_owned();
    for call in call.clone().and_head() {
        cells.answer("a read", &call, |answer| {
            is_ok(answer)?;
            expect(answer.header("etag") == Some(&*tag), format!("the tag {tag}"), answer)
        });
        cells.answer("what the client has", &if_none_match(&call, &tag), is_not_modified);
        cells.answer("anything that there is", &if_none_match(&call, "*"), is_not_modified);
        cells.answer("what the client has not", &if_none_match(&call, OTHER), is_ok);
        cells.answer("the state that it has", &if_match(&call, &tag), is_ok);
        cells.refusal("another state", &if_match(&call, OTHER), world, is_failed);
    }
    cells.refusal("malformed If-None-Match", &if_none_match(call, "x"), world, is_bad);
}

/// What takes `If-Match`: `valid` makes a call, each of which may change what it works on.
fn evaluate_changes<'a>(valid: &dyn Fn() -> Call<'a>, world: &World<'_>, cells: &mut Cells) {
    let call = valid();
    cells.refusal("another state", &if_match(&call, OTHER), world, is_failed);
    let weak = format!("W/{}", current(&call));
    cells.refusal("a weak tag", &if_match(&call, &weak), world, is_failed);
    let one_of_them = format!("{OTHER}, {}", current(&call));
    cells.answer("one of several states", &if_match(&call, &one_of_them), is_ok);
    cells.answer("any state", &if_match(&valid(), "*"), is_ok);
}

fn evaluate<'a>(operation: &'a Operation, world: &World<'a>, cells: &mut Cells) {
    let valid = || without_optional_body(world.call(operation));
    let call = valid();
    cells.refusal("malformed If-Match", &if_match(&call, "x"), world, is_bad);
    match operation.preconditions() {
        Preconditions::None => {
            cells.refusal("If-Match", &if_match(&call, "*"), world, is_bad);
            let others = if_none_match(&call, "*");
            if operation.method.as_str() != "GET" {
                cells.refusal("If-None-Match", &others, world, is_bad);
            } else {
                for call in others.and_head() {
                    cells.answer("If-None-Match", &call, is_ok);
                }
            }
        }
        Preconditions::Read => evaluate_answers(&call, world, cells),
        Preconditions::Update => {
            cells.refusal("If-None-Match", &if_none_match(&call, "*"), world, is_bad);
            evaluate_changes(&valid, world, cells);
        }
        Preconditions::Upsert => {
            cells.refusal("where something is", &if_none_match(&call, "*"), world, is_failed);
            cells.refusal("If-None-Match with a tag", &if_none_match(&call, OTHER), world, is_bad);
            let both = if_none_match(&if_match(&call, "*"), "*");
            cells.refusal("both", &both, world, is_bad);
            evaluate_changes(&valid, world, cells);
        }
    }
}

each_database! {
    fn an_operation_evaluates_the_preconditions_that_it_takes(database: Database) {
        let app = TestApp::in_process(database, HttpLimits::default());
        let operations = http_actix::operations();
        let world = World::counting_changes(&app, &operations);
        let rule = "preconditions are evaluated or refused, and never passed over";
        let mut cells = Cells::over(rule, &operations);
        for operation in &operations {
            evaluate(operation, &world, &mut cells);
        }
        cells.finish();
    }
}
