//! The table of operations is that of the specification, and what both schemes have is the same in
//! both.

use domain::access::Scheme;
use domain::input::InputSettings;
use http_actix::{BOT_BASE, Operation, PROJECT_BOT_BASE};

use super::cells::Cells;
use super::specification::{in_a_project, specified};
use super::verdict::Verdict;

/// What only a project token can do to a bot (`docs/api.md`, "Operations"): below these paths there is
/// nothing in the bot scheme.
const OF_PROJECTS_ONLY: [&str; 1] = ["/doc/"];

/// What the project scheme has for all bots at once, and not below the path of each.
const OF_ALL_BOTS: [&str; 1] = ["/events"];

/// What a path has behind the bot, if it is one on a bot.
fn rel(operation: &Operation) -> Option<&str> {
    let base = match operation.scheme {
        Scheme::Bot => BOT_BASE,
        Scheme::Project => PROJECT_BOT_BASE,
    };
    let rel = operation.path.strip_prefix(base)?;
    (rel.is_empty() || rel.starts_with('/')).then_some(rel)
}

/// The same operation in the other scheme.
fn twin<'a>(operation: &Operation, operations: &'a [Operation]) -> Option<&'a Operation> {
    operations.iter().find(|other| {
        other.scheme != operation.scheme
            && other.method == operation.method
            && rel(other).is_some()
            && rel(other) == rel(operation)
    })
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, one: T, other: T) -> Verdict {
    if one == other {
        Ok(())
    } else {
        Err(format!("expected the same {what}, got {one:?} and {other:?}"))
    }
}

/// That two operations differ in nothing but the scheme.
fn is_twin(own: &Operation, of_project: &Operation) -> Verdict {
    same("scopes", in_a_project(&own.scopes.to_string()), of_project.scopes.to_string())?;
    same("parent", own.parent, of_project.parent)?;
    same("query", &own.query, &of_project.query)?;
    same("statuses", own.statuses(), of_project.statuses())?;
    same("group", own.tag, of_project.tag)?;
    same("summary", own.summary, of_project.summary)?;
    let fields = |operation: &Operation| {
        operation
            .body
            .as_ref()
            .map(|body| (body.is_required(), body.fields(&InputSettings::default())))
    };
    same("fields of the body", fields(own), fields(of_project))?;
    let json = |operation: &Operation| operation.json().map(|json| (json.size, (json.example)()));
    same("JSON body", json(own), json(of_project))?;
    let form = |operation: &Operation| {
        operation.form().map(|form| (form.size, form.media_types, (form.example)()))
    };
    same("form", form(own), form(of_project))?;
    let (reply, other) = ((own.reply.body)(), (of_project.reply.body)());
    if reply == other { Ok(()) } else { Err("expected the same reply, got two".to_owned()) }
}

#[test]
fn an_operation_on_a_bot_is_the_same_in_both_schemes() {
    let operations = http_actix::operations();
    let on_bot = || operations.iter().filter(|operation| rel(operation).is_some());
    let mut cells = Cells::over("both schemes are the same", on_bot());
    for operation in on_bot() {
        cells.check(operation, "the other scheme", || {
            let rel = rel(operation).unwrap_or_default();
            match (operation.scheme, twin(operation, &operations)) {
                (Scheme::Bot, Some(twin)) => is_twin(operation, twin),
                (Scheme::Project, Some(twin)) => is_twin(twin, operation),
                (Scheme::Project, None)
                    if OF_PROJECTS_ONLY.iter().any(|only| rel.starts_with(only)) =>
                {
                    Ok(())
                }
                (Scheme::Bot, None) if OF_ALL_BOTS.iter().any(|all| rel.starts_with(all)) => {
                    let path = format!("/api/external/projectapi{rel}");
                    let of_all = operations.iter().find(|other| other.path == path);
                    of_all.map(|_| ()).ok_or_else(|| format!("expected {path}, got none"))
                }
                (Scheme::Bot | Scheme::Project, None) => {
                    Err("expected the operation in the other scheme, too, got none".to_owned())
                }
            }
        });
    }
    cells.finish();
}

#[test]
fn the_operations_are_those_of_the_specification() {
    let operations = http_actix::operations();
    let specified = specified();
    let mut cells = Cells::over("what is built is what is specified", &operations);
    for operation in &operations {
        cells.check(operation, "its row", || {
            let row = specified
                .iter()
                .find(|row| row.method == operation.method.as_str() && row.path == operation.path);
            let row = row.ok_or_else(|| {
                "expected a row in tests/api/matrix/specification.rs, got none".to_owned()
            })?;
            same("scheme", row.scheme, operation.scheme)?;
            same("scopes", row.scopes.clone(), operation.scopes.to_string())?;
            let statuses = operation.statuses();
            let lacking = row.other_statuses.iter().find(|status| !statuses.contains(status));
            lacking.map_or(Ok(()), |status| Err(format!("expected {status} in {statuses:?}")))
        });
    }
    cells.finish();
    let missing: Vec<_> = specified
        .iter()
        .filter(|row| {
            let is_it = |operation: &Operation| {
                operation.method.as_str() == row.method && operation.path == row.path
            };
            !operations.iter().any(is_it)
        })
        .collect();
    assert!(missing.is_empty(), "specified, but not built: {missing:#?}");
    assert_eq!(operations.len(), specified.len(), "an operation is there twice");
}
