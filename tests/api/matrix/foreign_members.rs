//! Every operation with a JSON body × members that no client may set: 422, and nothing changes.

use botyard_tests::{Database, TestApp};
use domain::input::{FieldType, InputSettings};
use http_actix::{HttpLimits, Operation};
use serde_json::{Value, json};

use super::cells::Cells;
use super::verdict::{Violation, has_violations, is_problem};
use super::world::World;

/// Members that a client could hope to set, on whatever it is.
const HOPES: [&str; 34] = [
    "_id",
    "id",
    "botId",
    "bot_id",
    "projectId",
    "project_id",
    "organisationId",
    "tenantId",
    "ownerId",
    "archived",
    "thisIsTrash",
    "apiKeys",
    "tokens",
    "scopes",
    "readOnly",
    "kind",
    "state",
    "status",
    "config",
    "demo",
    "template",
    "isDemo",
    "createdAt",
    "updatedAt",
    "created_at",
    "requestId",
    "__proto__",
    "constructor",
    "prototype",
    "$set",
    "arbitrary",
    "a/b~c",
    "",
    "ä",
];

/// Members that no client may set, also where the names of all others are open.
const RESERVED: [&str; 4] = ["_id", "botId", "createdAt", "updatedAt"];

/// The members of that kind which an operation does not know.
fn foreign(operation: &Operation) -> Vec<String> {
    let known: Vec<_> = operation
        .json()
        .into_iter()
        .flat_map(|body| (body.describe)(&InputSettings::default()))
        .map(|field| field.name)
        .collect();
    if is_open(operation) {
        let reserved = RESERVED.iter().map(ToString::to_string);
        return reserved.filter(|name| !known.contains(name)).collect();
    }
    let hopes = HOPES.iter().map(ToString::to_string);
    let misspelt = known.iter().flat_map(|name| [name.to_uppercase(), format!("{name} ")]);
    hopes.chain(misspelt).filter(|name| !known.contains(name)).collect()
}

/// Whether the body may have members of any name.
pub fn is_open(operation: &Operation) -> bool {
    let fields = operation.json().map(|body| (body.describe)(&InputSettings::default()));
    fields.into_iter().flatten().any(|field| field.field_type == FieldType::Free)
}

/// What is said of a member that no client may set.
pub fn code(operation: &Operation) -> &'static str {
    if is_open(operation) { "reserved_field" } else { "unknown_field" }
}

/// One of those members.
pub fn foreign_member(operation: &Operation) -> String {
    foreign(operation).swap_remove(0)
}

/// What is said of such a member.
pub fn violation(operation: &Operation, name: &str) -> Violation {
    let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
    ("body", pointer, code(operation))
}

/// The operation's example with these members, too.
fn example_with(operation: &Operation, names: &[String], value: &Value) -> Value {
    let body = operation.json().expect("an operation with a JSON body");
    let mut example = (body.example)();
    for name in names {
        example[name] = value.clone();
    }
    example
}

#[test]
fn members_that_no_client_sets_are_refused_with_all_the_rest() {
    let (app, operations) =
        (TestApp::in_process(Database::Sqlite, HttpLimits::default()), http_actix::operations());
    let world = World::new(&app, &operations);
    let with_body = || operations.iter().filter(|operation| operation.json().is_some());
    let mut cells = Cells::over("foreign members are refused", with_body());
    let values = [json!("x"), json!(null), json!(true), json!({"$gt": ""})];
    for operation in with_body() {
        let call = world.call(operation);
        let names = foreign(operation);
        for name in &names {
            for value in &values {
                let body = example_with(operation, std::slice::from_ref(name), value);
                let row = format!("{name:?}: {value}");
                cells.refusal(&row, &call.clone().json(&body), &world, |answer| {
                    is_problem(answer, 422, code(operation))?;
                    has_violations(answer, &[violation(operation, name)])
                });
            }
        }
        // As many as one answer lists.
        let names: Vec<_> = names.into_iter().take(100).collect();
        let body = example_with(operation, &names, &json!("x"));
        cells.refusal("all of them", &call.json(&body), &world, |answer| {
            let violations: Vec<_> = names.iter().map(|name| violation(operation, name)).collect();
            has_violations(answer, &violations)
        });
    }
    cells.finish();
}
