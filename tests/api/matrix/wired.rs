//! Every operation, over HTTP, on both databases: one request for each thing that is decided on its way. All
//! that may be wrong with tokens, scopes, bodies, queries, paths and methods is in the matrices of those names, which
//! call the same table of operations in this process.

use botyard_tests::{Mint, TestApp, each_database};
use domain::access::ScopeSet;
use http_actix::Operation;

use super::bodies::{SMALL_LIMITS, check_missing, limit};
use super::call::{Call, Framing};
use super::cells::Cells;
use super::foreign_members::{foreign_member, violation};
use super::methods::{allowed, check_head, is_not_allowed};
use super::queries::{bad, check_good, good_queries, without_optional_body};
use super::scopes;
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

/// Tokens that do not allow the call, and one that may only read.
fn check_token<'a>(call: &Call<'a>, world: &World<'a>, cells: &mut Cells) {
    let anonymous = call.clone().by(world.tenant.anonymous());
    cells.refusal("no token", &anonymous, world, |answer| {
        is_problem(answer, 401, "unauthenticated")
    });
    let operation = call.operation();
    let others = ScopeSet::of_scheme(operation.scheme).without(operation.scopes);
    let rows = [
        ("all scopes but those that it needs", others, false),
        ("its scopes, read-only", operation.scopes, true),
    ];
    for (row, scopes, read_only) in rows {
        let mint = Mint { scopes: Some(scopes), read_only, ..Mint::default() };
        let call = call.clone().by(world.bearer(operation.scheme, call.bot(), mint));
        match scopes::refusal(operation, scopes, read_only) {
            Some(code) => cells
                .refusal(row, &call, world, |answer| scopes::is_refused(answer, operation, code)),
            None if operation.writes() => {}
            None => cells.answer(row, &call, is_ok),
        }
    }
}

fn check_query(call: &Call<'_>, world: &World<'_>, cells: &mut Cells) {
    let call = without_optional_body(call.clone()).query("nope=1");
    cells.refusal("?nope=1", &call, world, |answer| {
        is_problem(answer, 422, "bad_query")?;
        has_violations(answer, &[bad("nope")])
    });
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
}

/// The valid call, in the ways in which a client may send it.
fn check_valid<'a>(world: &World<'a>, operation: &'a Operation, cells: &mut Cells) {
    let call = world.call(operation);
    let mint = Mint { scopes: Some(operation.scopes), ..Mint::default() };
    let bearer = world.bearer(operation.scheme, call.bot(), mint);
    cells.answer("just the scopes that it needs", &call.by(bearer), is_ok);
    if let Some(all) = good_queries(&world.call(operation)).last().filter(|all| !all.is_empty()) {
        check_good(world, operation, all, cells);
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
            check_token(&call, &world, &mut cells);
            check_query(&call, &world, &mut cells);
            check_body(&call, &world, &mut cells);
            check_valid(&world, operation, &mut cells);
        }
        cells.finish();
    }
}
