//! Every operation × sets of scopes: it answers to those that hold what it needs, and to no others.
//! A refusal says what is missing, and nothing of what there is. One row of each kind is in `wired`, over HTTP.

use botyard_tests::{Database, Mint, Response, TestApp};
use domain::access::{Scope, ScopeSet};
use http_actix::{HttpLimits, Operation};
use serde_json::json;

use super::call::Call;
use super::cells::Cells;
use super::slots::{self, Slot};
use super::verdict::{OneBody, Verdict, expect, is_ok, is_problem};
use super::world::{NEVER, World};

/// A token of the matrix: the name of its row, what it allows, whether it may only read.
type Row = (String, ScopeSet, bool);

fn rows(operation: &Operation) -> Vec<Row> {
    let all = ScopeSet::of_scheme(operation.scheme);
    let mut rows = vec![
        ("no scope".to_owned(), ScopeSet::NONE, false),
        ("every scope".to_owned(), all, false),
        ("just the scopes that it needs".to_owned(), operation.scopes, false),
        ("all but those".to_owned(), all.without(operation.scopes), false),
        ("no scope, read-only".to_owned(), ScopeSet::NONE, true),
        ("every scope, read-only".to_owned(), all, true),
    ];
    for scope in all.iter() {
        let one = ScopeSet::of(&[scope]);
        rows.push((format!("{} alone", scope.as_str()), one, false));
        rows.push((format!("all but {}", scope.as_str()), all.without(one), false));
    }
    rows
}

/// Why a token with these scopes is refused, if it is.
pub fn refusal(operation: &Operation, scopes: ScopeSet, read_only: bool) -> Option<&'static str> {
    let needed: Vec<_> = operation.scopes.iter().collect();
    let held: Vec<_> = scopes.iter().collect();
    if !needed.iter().all(|scope| held.contains(scope)) {
        return Some("missing_scope");
    }
    // A ticket only reads, and is made by the method that changes something.
    let reads = matches!(operation.method.as_str(), "GET" | "HEAD");
    let reads = reads || operation.path.ends_with("/events/ticket");
    (read_only && !reads).then_some("read_only_token")
}

pub fn is_refused(answer: &Response, operation: &Operation, code: &str) -> Verdict {
    is_problem(answer, 403, code)?;
    if answer.method() == "HEAD" {
        return Ok(());
    }
    let needed: Vec<_> = operation.scopes.iter().map(Scope::as_str).collect();
    let expected = (code == "missing_scope").then(|| json!(needed));
    let body = answer.json();
    let is_named = body.get("requiredScopes") == expected.as_ref();
    expect(is_named, format!("requiredScopes {expected:?}"), answer)
}

/// The same call on a bot that is not there: a caller without the scope must not learn that.
fn elsewhere<'a>(call: &Call<'a>) -> Option<Call<'a>> {
    let path = slots::path(call.operation(), |_, slot| match slot {
        Slot::Bot | Slot::Part(_) | Slot::Filter | Slot::Entry | Slot::Guest => NEVER.to_owned(),
        Slot::Name | Slot::Position | Slot::Opaque(_) | Slot::Gone(_) | Slot::Prefix => {
            String::new()
        }
    });
    (path != call.path()).then(|| call.clone().at(path))
}

/// Refusals of one token, whatever else is wrong with the request.
fn check_refusals(call: &Call<'_>, row: &str, code: &str, world: &World<'_>, cells: &mut Cells) {
    let operation = call.operation();
    let mut one = OneBody::default();
    let mut check = |row: &str, call: &Call<'_>| {
        cells.refusal(row, call, world, |answer| {
            is_refused(answer, operation, code)?;
            one.is_that_of(answer)
        });
    };
    for (worse, call) in call.clone().and_worse() {
        check(&format!("{row}{worse}"), &call);
        if let Some(elsewhere) = elsewhere(&call) {
            check(&format!("{row}{worse}, on what never was"), &elsewhere);
        }
    }
}

#[test]
fn an_operation_answers_to_the_scopes_that_it_needs_and_to_no_others() {
    let app = TestApp::in_process(Database::Sqlite, HttpLimits::default());
    let operations = http_actix::operations();
    let world = World::new(&app, &operations);
    let mut cells = Cells::over("scopes open what they are for", &operations);
    for operation in &operations {
        let call = world.call(operation);
        let bearer = |call: &Call<'_>, scopes, read_only| {
            let mint = Mint { scopes: Some(scopes), read_only, ..Mint::default() };
            world.bearer(operation.scheme, call.bot(), mint)
        };
        let (refused, allowed): (Vec<_>, Vec<_>) = rows(operation)
            .into_iter()
            .partition(|(_, scopes, read_only)| refusal(operation, *scopes, *read_only).is_some());
        // All tokens are there before the first refusal, so that nothing changes between two of them.
        let refused: Vec<_> =
            refused.into_iter().map(|row| (bearer(&call, row.1, row.2), row)).collect();
        for (client, (row, scopes, read_only)) in refused {
            let calls = call.clone().by(client).and_head();
            match refusal(operation, scopes, read_only) {
                None => {}
                Some(code) if scopes.is_empty() || read_only => {
                    for call in &calls {
                        check_refusals(call, &row, code, &world, &mut cells);
                    }
                }
                Some(code) => {
                    for call in &calls {
                        cells.refusal(&row, call, &world, |answer| {
                            is_refused(answer, operation, code)
                        });
                    }
                }
            }
        }
        let allowed = allowed.into_iter().map(|row| (bearer(&call, row.1, row.2), row.0));
        for (client, row) in allowed {
            // Its query is looked at after its scopes.
            let refused = call.clone().by(client.clone()).query("nope=1");
            for call in refused.and_head() {
                cells.refusal(&row, &call, &world, |answer| is_problem(answer, 422, "bad_query"));
            }
        }
        let call = world.call(operation);
        let client = bearer(&call, operation.scopes, !operation.writes());
        for call in call.by(client).and_head() {
            cells.answer("just the scopes that it needs", &call, is_ok);
        }
    }
    cells.finish();
}
