//! Every operation × query strings that are not as they should be: 422 that names the parameter,
//! and nothing changes, because a misspelt filter must not widen what a request does.

use botyard_tests::{Database, TestApp, each_database};
use http_actix::{BodySpec, HttpLimits, Operation};
use serde_json::json;

use super::call::Call;
use super::cells::Cells;
use super::foreign_members::{code, is_open};
use super::shapes;
use super::slots::{self, ParamSlot, Slot};
use super::verdict::{Violation, has_violations, is_ok, is_problem};
use super::world::World;

/// What is said of a bad parameter.
pub fn bad(name: &str) -> Violation {
    ("query", format!("/{name}"), "bad_query")
}

/// The call without a body that it can do without, because body and query may speak of the same.
pub fn without_optional_body(call: Call<'_>) -> Call<'_> {
    let body = call.operation().body.as_ref();
    if body.is_none_or(BodySpec::is_required) { call } else { call.without_body() }
}

/// Query strings that are wrong, each with what is wrong.
fn bad_queries(call: &Call<'_>) -> Vec<(String, Vec<Violation>)> {
    let mut rows = Vec::from([
        ("nope=1".to_owned(), vec![bad("nope")]),
        ("nope".to_owned(), vec![bad("nope")]),
        ("botId=x".to_owned(), vec![bad("botId")]),
        ("__proto__=x".to_owned(), vec![bad("__proto__")]),
        ("a%2Fb=1".to_owned(), vec![bad("a~1b")]),
        ("=1".to_owned(), vec![bad("")]),
        ("%=1".to_owned(), vec![bad("")]),
        ("%ff=1".to_owned(), vec![bad("")]),
        ("nope=%".to_owned(), vec![bad("nope")]),
        ("one=1&two=2".to_owned(), vec![bad("one"), bad("two")]),
    ]);
    for param in &call.operation().query {
        let name = param.name;
        for good in shapes::good_params(call.operation(), param) {
            let encoded = format!("%{:02X}{}", name.as_bytes()[0], name.split_at(1).1);
            rows.push((format!("{name}={good}&{name}={good}"), vec![bad(name)]));
            rows.push((format!("{name}={good}&{encoded}={good}"), vec![bad(name)]));
            rows.push((format!("{name}={good}&nope=1"), vec![bad("nope")]));
        }
        let upper = name.to_uppercase();
        let good = shapes::good_params(call.operation(), param);
        let [first, ..] = &good[..] else { continue };
        rows.push((format!("{upper}={first}"), vec![bad(&upper)]));
        rows.push((format!("{name}[]={first}"), vec![bad(&format!("{name}[]"))]));
        if !good.contains(&String::new()) {
            rows.push((name.to_owned(), vec![bad(name)]));
        }
        for value in shapes::bad_params(call.operation(), param) {
            rows.push((format!("{name}={value}"), vec![bad(name)]));
            rows.push((format!("nope=1&{name}={value}"), vec![bad("nope"), bad(name)]));
        }
    }
    rows
}

/// Query strings that are as they should be: each parameter by itself, and all of them together.
pub fn good_queries(call: &Call<'_>) -> Vec<String> {
    let params = &call.operation().query;
    // These two exclude each other.
    let has_key = params.iter().any(|param| param.name == "key");
    let all: Vec<_> = params
        .iter()
        .filter(|param| !has_key || param.name != "keyPrefix")
        .filter_map(|param| {
            Some(format!(
                "{}={}",
                param.name,
                shapes::good_params(call.operation(), param).first()?
            ))
        })
        .collect();
    let one = params.iter().flat_map(|param| {
        let values = shapes::good_params(call.operation(), param).into_iter();
        values.map(move |value| format!("{}={value}", param.name))
    });
    one.chain([String::new(), all.join("&")]).collect()
}

/// How a valid query is refused that asks to go on with a list that is gone, or names a bot that is not there.
fn refusal(operation: &Operation, query: &str) -> Option<(u16, &'static str)> {
    let has = |name: &str, is_refused: fn(Slot) -> bool| {
        let slot = slots::known(operation, ParamSlot::Query, name);
        slot.is_some_and(is_refused) && query.contains(&format!("{name}="))
    };
    if has("cursor", |slot| matches!(slot, Slot::Gone(_))) {
        return Some((409, "refused"));
    }
    has("botId", |slot| slot == Slot::Filter).then_some((422, "bad_query"))
}

fn check_bad(call: &Call<'_>, world: &World<'_>, cells: &mut Cells) {
    for (query, violations) in bad_queries(call) {
        for call in call.clone().query(&query).and_head() {
            cells.refusal(&format!("?{query}"), &call, world, |answer| {
                is_problem(answer, 422, "bad_query")?;
                has_violations(answer, &violations)
            });
        }
    }
}

/// Violations of query and body are reported in one answer.
fn check_both(call: &Call<'_>, world: &World<'_>, cells: &mut Cells) {
    let Some(body) = call.operation().json() else { return };
    let mut spoilt = (body.example)();
    let member = if is_open(call.operation()) { "botId" } else { "nope" };
    spoilt[member] = json!(1);
    let pointer = format!("/{member}");
    let rows = [
        ("a violation in the body", spoilt.to_string(), (&*pointer, code(call.operation()))),
        ("no JSON as the body", "{".to_owned(), ("", "malformed_json")),
        ("no object as the body", "[]".to_owned(), ("", "not_an_object")),
    ];
    for (row, body, (pointer, code)) in rows {
        let call = call.clone().body(body).query("nope=1&other=2");
        cells.refusal(&format!("?nope=1&other=2 and {row}"), &call, world, |answer| {
            is_problem(answer, 422, "bad_query")?;
            has_violations(answer, &[bad("nope"), bad("other"), ("body", pointer.to_owned(), code)])
        });
    }
}

/// One that is understood.
pub fn check_good<'a>(world: &World<'a>, operation: &'a Operation, query: &str, cells: &mut Cells) {
    let call = without_optional_body(world.call(operation)).query(query);
    for call in call.and_head() {
        cells.answer(&format!("?{query}"), &call, |answer| match refusal(operation, query) {
            Some((status, code)) => is_problem(answer, status, code),
            None => is_ok(answer),
        });
    }
}

#[test]
fn a_query_is_understood_whole_or_refused() {
    let app = TestApp::in_process(Database::Sqlite, HttpLimits::default());
    let operations = http_actix::operations();
    let world = World::new(&app, &operations);
    let mut cells = Cells::over("a query is understood whole or refused", &operations);
    for operation in &operations {
        let call = without_optional_body(world.call(operation));
        check_bad(&call, &world, &mut cells);
        check_both(&call, &world, &mut cells);
    }
    cells.finish();
}

each_database! {
    // Each filter is a statement of its own.
    fn every_parameter_is_understood(database: Database) {
        let app = TestApp::in_process(database, HttpLimits::default());
        let operations = http_actix::operations();
        let world = World::new(&app, &operations);
        let mut cells = Cells::over("a valid query is understood", &operations);
        for operation in &operations {
            for query in good_queries(&world.call(operation)) {
                check_good(&world, operation, &query, &mut cells);
            }
        }
        cells.finish();
    }
}
