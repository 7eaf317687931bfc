//! Every operation, over HTTP, on both databases: one request for each thing that is decided on its way. All
//! that may be wrong with bodies, queries, paths and methods is in the matrices of those names, which call
//! the same table of operations in this process.

use botyard_tests::{TestApp, each_database};
use http_actix::Operation;

use super::bodies::{SMALL_LIMITS, check_missing, limit};
use super::call::{Call, Framing};
use super::cells::Cells;
use super::foreign_members::{foreign_member, violation};
use super::methods::{allowed, check_head, is_not_allowed};
use super::queries::{bad, good_queries, refusal, without_optional_body};
use super::shapes;
use super::verdict::{has_violations, is_ok, is_problem};
use super::world::World;

fn check_path_and_method(call: &Call<'_>, world: &World<'_>, cells: &mut Cells) {
    let call = call.clone().framed(Framing::Bare);
    let misspelt = call.clone().at(format!("{}/", call.path()));
    let methods = allowed(&call.operation().path, world.operations());
    let other = ["PATCH", "DELETE", "PUT"].iter().find(|method| !methods.contains(**method));
    let other = call.clone().method(other.expect("a method that the path does not have"));
    cells.check(call.operation(), "a trailing slash", || {
        world.unchanged_by(|| is_problem(&misspelt.send(), 404, "unknown_path"))
    });
    cells.check(call.operation(), "a method of others", || {
        world.unchanged_by(|| is_not_allowed(&other.send(), &methods))
    });
    if call.operation().method.as_str() == "GET" {
        check_head(&call, cells);
    }
}

fn check_query(call: &Call<'_>, world: &World<'_>, cells: &mut Cells) {
    let call = without_optional_body(call.clone()).query("nope=1");
    cells.refusal("?nope=1", &call, world, |answer| {
        is_problem(answer, 422, "bad_query")?;
        has_violations(answer, &[bad("nope")])
    });
    for param in &call.operation().query {
        let values = shapes::bad_params(call.operation(), param);
        let value = values.last().expect("a value that no parameter takes");
        let call = call.clone().query(format!("{}={value}", param.name));
        cells.refusal(&format!("a bad `{}`", param.name), &call, world, |answer| {
            has_violations(answer, &[bad(param.name)])
        });
    }
}

fn check_body(call: &Call<'_>, world: &World<'_>, cells: &mut Cells) {
    let Some(body) = call.operation().json() else { return };
    let example = (body.example)();
    let foreign = foreign_member(call.operation());
    let mut with_foreign = example.clone();
    with_foreign[&foreign] = true.into();
    let foreign = violation(call.operation(), &foreign);
    cells.refusal("a foreign member", &call.clone().json(&with_foreign), world, |answer| {
        has_violations(answer, std::slice::from_ref(&foreign))
    });
    cells.refusal("no JSON", &call.clone().body("{"), world, |answer| {
        is_problem(answer, 422, "malformed_json")
    });
    let large = call.padded(limit(call.operation()) + 1);
    for (row, call) in [
        ("a byte too many", large.clone()),
        ("a byte too many, in chunks", large.framed(Framing::Chunked)),
        ("a byte too many, announced", call.clone().framed(Framing::Announced(1 << 40))),
    ] {
        cells.refusal(row, &call, world, |answer| is_problem(answer, 413, "body_too_large"));
    }
    let compressed = call.clone().header("Content-Encoding", "gzip");
    cells.refusal("a compressed body", &compressed, world, |answer| {
        is_problem(answer, 415, "unsupported_content_encoding")
    });
}

/// The valid call, in the ways in which a client may send it, and with each filter: those are statements.
fn check_valid<'a>(world: &World<'a>, operation: &'a Operation, cells: &mut Cells) {
    cells.answer("a valid call", &world.call(operation), is_ok);
    for query in good_queries(&world.call(operation)) {
        let call = without_optional_body(world.call(operation)).query(&query);
        cells.answer(&format!("?{query}"), &call, |answer| match refusal(operation, &query) {
            Some((status, code)) => is_problem(answer, status, code),
            None => is_ok(answer),
        });
    }
    if operation.json().is_some() {
        check_missing(world, operation, cells);
        let chunked = world.call(operation).framed(Framing::Chunked);
        cells.answer("a valid call in chunks", &chunked, is_ok);
        let valid = world.call(operation);
        let longest = valid.padded(limit(operation));
        cells.answer("as many bytes as may be", &longest, is_ok);
    }
}

each_database! {
    fn every_operation_is_wired(database: Database) {
        let (app, operations) = (TestApp::start(database, &SMALL_LIMITS), http_actix::operations());
        let world = World::new(&app, &operations);
        let mut cells = Cells::over("what every operation decides holds over HTTP", &operations);
        for operation in &operations {
            let call = world.call(operation);
            check_path_and_method(&call, &world, &mut cells);
            check_query(&call, &world, &mut cells);
            check_body(&call, &world, &mut cells);
            check_valid(&world, operation, &mut cells);
        }
        cells.finish();
    }
}
