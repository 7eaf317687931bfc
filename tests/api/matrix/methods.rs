//! Every path × every method that the table does not give it: 405 with the methods that it has, with
//! and without a token. And `HEAD` wherever `GET` is.

use std::collections::BTreeSet;

use botyard_tests::{Database, Response, TestApp};
use http_actix::{HttpLimits, Operation};

use super::call::{Call, Framing};
use super::cells::Cells;
use super::verdict::{Verdict, expect, is_ok, is_problem};
use super::world::World;

/// Methods that a client may send; those of a path are taken out.
const METHODS: [&str; 14] = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "QUERY", "LINK",
    "PROPFIND", "BREW", "get", "Post",
];

/// Headers that tell of one answer, or of its body's way, and may differ between `GET` and `HEAD`.
const OF_ONE_ANSWER: [&str; 5] =
    ["date", "x-request-id", "content-length", "transfer-encoding", "connection"];

/// The methods of a path, as `Allow` lists them.
pub fn allowed(path: &str, operations: &[Operation]) -> BTreeSet<String> {
    let here = operations.iter().filter(|operation| operation.path == path);
    let mut methods: BTreeSet<_> = here.map(|operation| operation.method.to_string()).collect();
    if methods.contains("GET") {
        methods.insert("HEAD".to_owned());
    }
    methods
}

pub fn is_not_allowed(answer: &Response, methods: &BTreeSet<String>) -> Verdict {
    is_problem(answer, 405, "method_not_allowed")?;
    let allowed: Vec<_> = answer.header("allow").unwrap_or_default().split(", ").collect();
    let exact =
        allowed.len() == methods.len() && allowed.iter().all(|method| methods.contains(*method));
    let allowed = allowed.join(", ");
    expect(exact, format!("Allow: {methods:?} instead of {allowed:?}"), answer)
}

/// Sends each method that the path does not have, without a token and with a good one.
fn check_methods(call: &Call<'_>, world: &World<'_>, cells: &mut Cells) {
    let operation = call.operation();
    let methods = allowed(&operation.path, world.operations());
    let call = call.clone().framed(Framing::Bare);
    for method in METHODS.iter().filter(|method| !methods.contains(**method)) {
        let row = format!("the method {method}");
        let anonymous = call.clone().by(world.tenant.anonymous());
        for (with, call) in [(" without a token", anonymous), (" with a token", call.clone())] {
            let call = call.method(method);
            cells.check(operation, &format!("{row}{with}"), || {
                world.unchanged_by(|| is_not_allowed(&call.send(), &methods))
            });
        }
    }
}

/// What `HEAD` says is what `GET` would say.
pub fn check_head(call: &Call<'_>, cells: &mut Cells) {
    let headers = |answer: &Response| -> BTreeSet<(String, String)> {
        let headers = answer.headers().iter().cloned();
        headers.filter(|(name, _)| !OF_ONE_ANSWER.contains(&name.as_str())).collect()
    };
    cells.check(call.operation(), "HEAD beside GET", || {
        let (get, head) = (call.send(), call.clone().method("HEAD").send());
        is_ok(&get)?;
        is_ok(&head)?;
        expect(head.bytes().is_empty(), "no body", &head)?;
        let (of_get, of_head) = (headers(&get), headers(&head));
        expect(of_get == of_head, format!("the headers {of_get:?} instead of {of_head:?}"), &head)?;
        let length = |answer: &Response| answer.header("content-length").map(str::to_owned);
        let same = length(&head).is_none() || length(&head) == length(&get);
        expect(same, format!("the length {:?}, if any", length(&get)), &head)
    });
}

#[test]
fn a_path_answers_to_its_own_methods_only() {
    let (app, operations) =
        (TestApp::in_process(Database::Sqlite, HttpLimits::default()), http_actix::operations());
    let world = World::new(&app, &operations);
    let mut cells = Cells::over("a path answers to its own methods", &operations);
    for operation in &operations {
        let call = world.call(operation);
        check_methods(&call, &world, &mut cells);
        if operation.method.as_str() == "GET" {
            check_head(&call, &mut cells);
        }
    }
    cells.finish();
}
