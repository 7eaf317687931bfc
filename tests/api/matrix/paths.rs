//! Every path × misspellings of it: 404 with and without a token, because routing comes before the token.
//! And the spellings that stay the same path.

use std::collections::BTreeSet;

use botyard_tests::{Database, TestApp};
use http_actix::{HttpLimits, Operation};

use super::call::{Call, Framing};
use super::cells::Cells;
use super::verdict::{expect, is_ok, is_problem};
use super::world::World;

/// Whether a path is one of the table's, regardless of its method.
fn is_known(path: &str, operations: &[Operation]) -> bool {
    operations.iter().any(|operation| {
        let (pattern, path): (Vec<_>, Vec<_>) =
            (operation.path.split('/').collect(), path.split('/').collect());
        let fits = |(pattern, segment): (&&str, &&str)| {
            pattern == segment || (pattern.starts_with('{') && !segment.is_empty())
        };
        pattern.len() == path.len() && pattern.iter().zip(&path).all(fits)
    })
}

/// Spellings of a path that lead nowhere.
fn misspelt(path: &str, operations: &[Operation]) -> Vec<(String, String)> {
    let segments: Vec<_> = path.split('/').skip(1).collect();
    let rejoined = |at: usize, segment: &str| -> String {
        let segments = segments.iter().enumerate();
        let parts = segments.map(|(index, old)| if index == at { segment } else { *old });
        format!("/{}", parts.collect::<Vec<_>>().join("/"))
    };
    let mut paths = vec![
        ("a trailing slash".to_owned(), format!("{path}/")),
        ("two trailing slashes".to_owned(), format!("{path}//")),
        ("a segment more".to_owned(), format!("{path}/nope")),
        ("two segments more".to_owned(), format!("{path}/nope/nope")),
        ("an empty segment and one more".to_owned(), format!("{path}//nope")),
        ("a dot behind".to_owned(), format!("{path}/.")),
        ("an encoded slash behind".to_owned(), format!("{path}%2F")),
        ("no API in front".to_owned(), path.replacen("/api/external", "", 1)),
        ("a version in front".to_owned(), format!("/v1{path}")),
    ];
    for (at, segment) in segments.iter().enumerate() {
        let changes = [
            ("a doubled slash before", format!("/{segment}")),
            ("a dot before", format!("./{segment}")),
            ("a way there and back before", format!("x/../{segment}")),
            ("in upper case", segment.to_uppercase()),
            ("with a letter more", format!("{segment}x")),
            ("with a parameter", format!("{segment};x=1")),
            ("with a NUL", format!("{segment}%00")),
            ("with half a character", format!("{segment}%C3")),
            (
                "encoded twice:",
                format!("%25{:02X}{}", segment.as_bytes()[0], segment.split_at(1).1),
            ),
        ];
        for (what, changed) in changes {
            paths.push((format!("{what} {segment}"), rejoined(at, &changed)));
        }
        if at > 0 {
            let encoded = path.replacen(&format!("/{segment}"), &format!("%2F{segment}"), 1);
            paths.push((format!("an encoded slash before {segment}"), encoded));
        }
    }
    // What stands in place of a parameter is another matrix' concern.
    paths.retain(|(_, misspelt)| misspelt != path && !is_known(misspelt, operations));
    paths
}

/// No misspelling leads anywhere.
fn check_misspelt(call: &Call<'_>, world: &World<'_>, cells: &mut Cells) {
    let call = call.clone().framed(Framing::Bare);
    for (row, path) in misspelt(call.path(), world.operations()) {
        let anonymous = call.clone().by(world.tenant.anonymous());
        for (with, call) in [(" without a token", anonymous), (" with a token", call.clone())] {
            let call = call.at(&path);
            cells.check(call.operation(), &format!("{row}{with} ({path})"), || {
                world.unchanged_by(|| is_problem(&call.send(), 404, "unknown_path"))
            });
        }
    }
}

/// A segment is decoded once, so any letter of it may be encoded; what comes of it is still under
/// `/api/external`.
fn check_encoded<'a>(world: &World<'a>, operation: &'a Operation, cells: &mut Cells) {
    let segments = operation.path.split('/').count() - 1;
    let first = world.call(operation);
    for at in 1..=segments {
        // What it deletes is gone.
        let call = if operation.writes() { world.call(operation) } else { first.clone() };
        let call = call.framed(Framing::Bare);
        let encoded = call.path().split('/').enumerate().map(|(index, segment)| {
            if index != at {
                return segment.to_owned();
            }
            format!("%{:02x}{}", segment.as_bytes()[0], segment.split_at(1).1)
        });
        let path = encoded.collect::<Vec<_>>().join("/");
        for call in call.at(&path).and_head() {
            cells.answer(&format!("with an encoded letter ({path})"), &call, |answer| {
                is_ok(answer)?;
                let kept_out_of_caches = answer.header("cache-control") == Some("no-store");
                expect(kept_out_of_caches, "Cache-Control: no-store", answer)
            });
        }
    }
}

#[test]
fn a_path_that_is_misspelt_leads_nowhere() {
    let app = TestApp::in_process(Database::Sqlite, HttpLimits::default());
    let operations = http_actix::operations();
    let world = World::new(&app, &operations);
    let mut cells = Cells::over("a path is spelt in one way", &operations);
    let mut known = BTreeSet::new();
    for operation in &operations {
        // Which methods a path has is looked at only once it is known.
        if known.insert(&operation.path) {
            check_misspelt(&world.call(operation), &world, &mut cells);
        }
        check_encoded(&world, operation, &mut cells);
    }
    cells.finish();
}

#[test]
fn a_path_is_known_by_its_pattern() {
    let operations = http_actix::operations();
    for known in ["/api/external/bot", "/api/external/projectapi/bots/x"] {
        assert!(is_known(known, &operations), "{known}");
    }
    for unknown in ["/api/external/bot/", "/api/external/projectapi/bots/", "/api/external", ""] {
        assert!(!is_known(unknown, &operations), "{unknown}");
    }
}
