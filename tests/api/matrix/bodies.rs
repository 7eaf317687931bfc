//! Every operation with a JSON body × bodies that are not as they should be: the right refusal, and
//! nothing changes. And those that are. How their bytes come over a socket is looked at in `wired`.

use botyard_tests::{Database, TestApp};
use domain::input::{FieldDoc, FieldType, InputSettings};
use http_actix::{HttpLimits, Operation};
use serde_json::Value;

use super::call::{Call, Framing};
use super::cells::Cells;
use super::foreign_members::is_open;
use super::shapes;
use super::verdict::{has_violations, is_ok, is_problem};
use super::world::World;

/// Small limits, so that a body beyond them costs little; different ones, so that it shows which
/// of them an operation goes by.
pub const SMALL_LIMITS: [(&str, &str); 5] = [
    ("LIMITS__JSON_BODY", "8KiB"),
    ("LIMITS__BOT_BODY", "16KiB"),
    ("LIMITS__METADATA_BODY", "12KiB"),
    ("LIMITS__KEYVAL_BODY", "10KiB"),
    ("LIMITS__PLAN_BODY", "10KiB"),
];

/// The same limits as they are set in this process.
fn limits() -> HttpLimits {
    HttpLimits {
        json_body: 8 << 10,
        bot_body: 16 << 10,
        metadata_body: 12 << 10,
        keyval_body: 10 << 10,
        plan_body: 10 << 10,
        ..HttpLimits::default()
    }
}

/// The limit of an operation's body under those.
pub fn limit(operation: &Operation) -> usize {
    operation.json().map_or(0, |body| body.size.bytes(&limits()))
}

/// The members that an operation's body may have.
fn fields(operation: &Operation) -> Vec<FieldDoc> {
    let fields = operation.json().map(|body| (body.describe)(&InputSettings::default()));
    let named = fields.into_iter().flatten().filter(|field| field.field_type != FieldType::Free);
    named.collect()
}

fn example(operation: &Operation) -> Value {
    operation.json().map_or(Value::Null, |body| (body.example)())
}

/// Bodies that no operation takes, with the code of their refusal.
fn malformed(operation: &Operation) -> Vec<(&'static str, Vec<u8>, &'static str)> {
    let valid = example(operation).to_string();
    let deep = |depth: usize| {
        let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
        format!("{{\"nope\":{open}{close},{}", valid.trim_start_matches('{'))
    };
    let first = &fields(operation)[0].name;
    vec![
        ("blanks", b" \r\n\t".to_vec(), "malformed_json"),
        ("null", b"null".to_vec(), "not_an_object"),
        ("a list", b"[]".to_vec(), "not_an_object"),
        ("a list of the valid body", format!("[{valid}]").into(), "not_an_object"),
        ("a text", b"\"x\"".to_vec(), "not_an_object"),
        ("a number", b"1".to_vec(), "not_an_object"),
        ("true", b"true".to_vec(), "not_an_object"),
        ("a body that breaks off", b"{".to_vec(), "malformed_json"),
        (
            "an invalid UTF-8 text",
            [b"{\"", first.as_bytes(), b"\":\"\xff\"}"].concat(),
            "malformed_json",
        ),
        ("a byte order mark", format!("\u{feff}{valid}").into(), "malformed_json"),
        ("trailing junk", format!("{valid}x").into(), "malformed_json"),
        ("a second body", format!("{valid}{valid}").into(), "malformed_json"),
        ("a trailing NUL", format!("{valid}\0").into(), "malformed_json"),
        ("a trailing comma", format!("{{\"{first}\":null,}}").into(), "malformed_json"),
        ("a raw NUL in a text", format!("{{\"{first}\":\"a\0\"}}").into(), "malformed_json"),
        ("a raw line break in a text", format!("{{\"{first}\":\"a\n\"}}").into(), "malformed_json"),
        ("single quotes", format!("{{'{first}':'x'}}").into(), "malformed_json"),
        ("a form", format!("{first}=x").into(), "malformed_json"),
        ("a depth of 129", deep(129).into(), "too_deep"),
        ("thousands of levels", "[".repeat(5_000).into(), "too_deep"),
    ]
    .into_iter()
    // Where names are open, this is a valid body.
    .chain((!is_open(operation)).then(|| ("a depth of 128", deep(128).into(), "unknown_field")))
    .collect()
}

fn check_malformed(call: &Call<'_>, world: &World<'_>, cells: &mut Cells) {
    for (row, body, code) in malformed(call.operation()) {
        cells.refusal(row, &call.clone().body(body), world, |answer| is_problem(answer, 422, code));
    }
}

/// What may be wrong with a single member, of every member that there is.
fn check_members(call: &Call<'_>, world: &World<'_>, cells: &mut Cells) {
    let operation = call.operation();
    for field in fields(operation) {
        let name = &field.name;
        // The example without the member, and the member behind it as it is written here.
        let with = |member: &str| {
            let mut others = example(operation);
            others.as_object_mut().expect("an object").remove(name);
            let others = others.to_string();
            let others = others.strip_suffix('}').unwrap_or_default();
            let comma = if others == "{" { "" } else { "," };
            call.clone().body(format!("{others}{comma}{member}}}"))
        };
        let mut check = |row: String, call: Call<'_>, below: &str, code: &'static str| {
            cells.refusal(&row, &call, world, |answer| {
                has_violations(answer, &[("body", format!("/{name}{below}"), code)])
            });
        };
        for (value, below, code) in shapes::bad_values(&field) {
            let member = format!("\"{name}\":{value}");
            check(member.clone(), with(&member), below, code);
        }
        let odd = [
            ("a NUL", format!("\"{name}\":\"a\\u0000\"")),
            ("half a surrogate pair", format!("\"{name}\":\"\\ud800\"")),
        ];
        // What may be anything is only stored, as text.
        for (row, member) in odd.into_iter().filter(|_| field.field_type != FieldType::Any) {
            check(format!("{row} in `{name}`"), with(&member), "", "bad_character");
        }
        let valid = example(operation).get(name).cloned();
        if let Some(valid) = valid {
            let (first, rest) = name.split_at(1);
            let escaped = format!("\\u{:04x}{rest}", u32::from(first.as_bytes()[0]));
            for (row, second) in [("twice", name.clone()), ("twice, once escaped", escaped)] {
                let member = format!("\"{name}\":{valid},\"{second}\":{valid}");
                check(format!("`{name}` {row}"), with(&member), "", "duplicate_field");
            }
        }
    }
}

/// What is refused before anything of the body is looked at.
fn check_unread(call: &Call<'_>, world: &World<'_>, cells: &mut Cells) {
    for encoding in ["gzip", "deflate", "br", "zstd", "gzip, identity", "x"] {
        let row = format!("Content-Encoding: {encoding}");
        let call = call.clone().header("Content-Encoding", encoding);
        cells.refusal(&row, &call, world, |answer| {
            is_problem(answer, 415, "unsupported_content_encoding")
        });
    }
    let limit = limit(call.operation());
    let large = call.padded(limit + 1);
    let rows = [
        ("a byte too many", large.clone()),
        ("a byte too many, in chunks", large.framed(Framing::Chunked)),
        ("a byte too many, announced", call.clone().framed(Framing::Announced(limit + 1))),
        ("far too many, announced", call.clone().framed(Framing::Announced(usize::MAX >> 1))),
    ];
    for (row, call) in rows {
        cells.refusal(row, &call, world, |answer| is_problem(answer, 413, "body_too_large"));
    }
}

/// No body, however that is said: refused where there must be one, and the same as an empty object elsewhere.
pub fn check_missing<'a>(world: &World<'a>, operation: &'a Operation, cells: &mut Cells) {
    let framings = [
        ("no body", Framing::Bare),
        ("a body of length 0", Framing::Announced(0)),
        ("a body of no chunk", Framing::Chunked),
    ];
    let without_body = || world.call(operation).without_body();
    if operation.json().is_some_and(|body| body.required) {
        let call = without_body();
        for (row, framing) in framings {
            cells.refusal(row, &call.clone().framed(framing), world, |answer| {
                has_violations(answer, &[("body", String::new(), "malformed_json")])
            });
        }
    } else {
        for (row, framing) in framings {
            cells.answer(row, &without_body().framed(framing), is_ok);
        }
    }
}

/// The valid body, however it is sent, and none.
fn check_valid<'a>(world: &World<'a>, operation: &'a Operation, cells: &mut Cells) {
    let fresh = || world.call(operation);
    let of_type = |content_type: &str| fresh().header("Content-Type", content_type);
    let valid = fresh();
    let as_long_as_may_be = valid.padded(limit(operation));
    let rows = [
        ("the example", fresh()),
        ("the example in chunks", fresh().framed(Framing::Chunked)),
        ("as many bytes as may be", as_long_as_may_be),
        ("Content-Type: application/json", of_type("application/json")),
        ("Content-Type: text/plain", of_type("text/plain")),
        ("Content-Type: multipart/form-data", of_type("multipart/form-data; boundary=x")),
        ("Content-Type: x", of_type("x")),
    ];
    for (row, call) in rows {
        cells.answer(row, &call, is_ok);
    }
    check_missing(world, operation, cells);
    let required = operation.json().is_some_and(|body| body.required);
    let empty = fresh().body("{}");
    if operation.id == "createUser" {
        // That there is no guestId is no violation of the body.
        cells.refusal("an empty object", &empty, world, |answer| {
            is_problem(answer, 403, "guest_id_missing")
        });
    } else if required {
        cells.refusal("an empty object", &empty, world, |answer| {
            let lacking = fields(operation).into_iter().filter(|field| field.required);
            let lacking: Vec<_> = lacking
                .map(|field| ("body", format!("/{}", field.name), "missing_field"))
                .collect();
            // Either of two members would do.
            let either = operation.id.starts_with("createStage");
            let lacking =
                if either { vec![("body", "/title".to_owned(), "missing_field")] } else { lacking };
            let code =
                if operation.id.starts_with("bulkDelete") { "no_filter" } else { "no_fields" };
            let nothing = [("body", String::new(), code)];
            has_violations(answer, if lacking.is_empty() { &nothing } else { &lacking })
        });
    } else {
        cells.answer("an empty object", &empty, is_ok);
    }
}

#[test]
fn a_body_is_taken_whole_or_not_at_all() {
    let (app, operations) =
        (TestApp::in_process(Database::Sqlite, limits()), http_actix::operations());
    let world = World::new(&app, &operations);
    let with_body = || operations.iter().filter(|operation| operation.json().is_some());
    let mut cells = Cells::over("a body is taken whole or not at all", with_body());
    for operation in with_body() {
        let call = world.call(operation);
        check_malformed(&call, &world, &mut cells);
        check_members(&call, &world, &mut cells);
        check_unread(&call, &world, &mut cells);
        check_valid(&world, operation, &mut cells);
    }
    cells.finish();
}
