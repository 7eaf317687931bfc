//! The check against serde_json, on whatever proptest thinks of.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::{check_object, check_value};
use crate::violation::{ViolationCode, Violations};

/// Any text without U+0000, with the characters that JSON escapes more often than by chance.
fn text() -> impl Strategy<Value = String> {
    let odd = select(vec!['"', '\\', '/', '\n', '\u{1}', '\u{1f}', '\u{7f}', 'ä', '😀']);
    let char = prop_oneof![4 => any::<char>(), 4 => proptest::char::range(' ', '~'), 2 => odd];
    vec(char.prop_filter("U+0000", |&char| char != '\0'), 0..20).prop_map(String::from_iter)
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 20, |inner| {
        let members = vec((text(), inner.clone()), 0..25);
        prop_oneof![
            vec(inner, 0..10).prop_map(Value::from),
            members.prop_map(|members| Value::from(Map::from_iter(members))),
        ]
    })
}

/// Sound JSON with a few bytes changed, so that it is broken, but only just.
fn nearly_json() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![select(br#"{}[]",:\/u0dD8cC1+-.eE tn"#.to_vec()), any::<u8>()];
    let change = (any::<Index>(), 0..3_usize, vec(byte, 0..3));
    (value(), any::<bool>(), vec(change, 0..4)).prop_map(|(value, pretty, changes)| {
        let mut bytes = write(&value, pretty).into_bytes();
        for (at, removed, added) in changes {
            let at = at.index(bytes.len() + 1);
            let end = bytes.len().min(at + removed);
            bytes.splice(at..end, added);
        }
        bytes
    })
}

/// Pieces of JSON in any order.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    let piece = select(vec![
        "{", "}", "[", "]", ",", ":", " ", "\n", "null", "true", "false", "0", "-", "12", ".5",
        "e", "E+1", "\"", "\"\"", "\"a\"", "\"a\":", "\\", "\\n", "\\u0061", "\\u0000", "\\ud800",
        "\\udc00", "ä", "\u{feff}", "\u{1}",
    ]);
    vec(piece, 0..20).prop_map(|pieces| pieces.concat().into_bytes())
}

fn write(value: &Value, pretty: bool) -> String {
    if pretty { format!("{value:#}") } else { value.to_string() }
}

fn violations_of(bytes: &[u8]) -> Violations {
    check_value(bytes).err().unwrap_or_default()
}

fn has(violations: &Violations, code: ViolationCode) -> bool {
    violations.iter().any(|violation| violation.code == code)
}

/// Whether serde_json takes the bytes for JSON when it builds nothing from them: then it checks
/// neither depth nor surrogates nor the size of numbers, but UTF-8 is the caller's task.
fn is_json(bytes: &[u8]) -> bool {
    str::from_utf8(bytes).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

fn agrees_with_serde(bytes: &[u8]) -> Result<(), TestCaseError> {
    let violations = violations_of(bytes);
    prop_assert!(!has(&violations, ViolationCode::TooDeep));
    prop_assert_eq!(
        has(&violations, ViolationCode::MalformedJson),
        !is_json(bytes),
        "{:?}",
        violations
    );
    if violations.is_empty()
        && let Err(error) = serde_json::from_slice::<Value>(bytes)
    {
        // Only a number like 1e999 is JSON, but no `Value`.
        prop_assert!(error.to_string().starts_with("number out of range"), "{}", error);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_serde_writes_is_valid(value in value(), pretty: bool) {
        let text = write(&value, pretty);
        prop_assert_eq!(check_value(text.as_bytes()), Ok(()));
    }

    #[test]
    fn members_read_back_as_they_were(members in vec((text(), value()), 0..5), pretty: bool) {
        let members = Map::from_iter(members);
        let text = write(&Value::from(members.clone()), pretty);
        let object = check_object(text.as_bytes(), None).unwrap();
        prop_assert!(object.violations.is_empty());
        let written: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(object.members.len(), members.len());
        for member in object.members {
            let value: Value = serde_json::from_str(member.raw).unwrap();
            prop_assert_eq!(Some(&value), written.get(&*member.name));
            prop_assert_eq!(member.raw.trim(), member.raw);
        }
    }

    #[test]
    fn serde_agrees_on_nearly_json(bytes in nearly_json()) {
        agrees_with_serde(&bytes)?;
    }

    #[test]
    fn serde_agrees_on_pieces(bytes in pieces()) {
        agrees_with_serde(&bytes)?;
    }

    #[test]
    fn serde_agrees_on_strings(inside in pieces()) {
        agrees_with_serde(&[&b"\""[..], &inside, b"\""].concat())?;
    }

    #[test]
    fn serde_agrees_on_any_bytes(bytes in vec(any::<u8>(), 0..40)) {
        agrees_with_serde(&bytes)?;
        drop(check_object(&bytes, Some("value")));
    }

    #[test]
    fn a_string_is_valid_if_serde_reads_it(inside in vec(select(vec![
        "a", "\\n", "\\u0041", "\\ud800", "\\uDBFF", "\\udc00", "\\uDFFF", "\\ue000",
    ]), 0..6)) {
        let text = format!("\"{}\"", inside.concat());
        let is_read = serde_json::from_str::<String>(&text).is_ok();
        prop_assert_eq!(check_value(text.as_bytes()).is_ok(), is_read);
    }

    #[test]
    fn every_repeated_name_is_found(names in vec(("[a-c]{0,3}", any::<u8>()), 0..40)) {
        // One bit decides for each character whether it is escaped.
        let written = |(name, escaped): &(String, u8)| {
            let chars = name.char_indices().map(|(at, char)| match escaped >> at & 1 {
                0 => char.to_string(),
                _ => format!("\\u{:04x}", u32::from(char)),
            });
            format!("\"{}\":0", chars.collect::<String>())
        };
        let members: Vec<_> = names.iter().map(written).collect();
        let text = format!("{{{}}}", members.join(","));
        let object = check_object(text.as_bytes(), None).unwrap();

        let mut seen = HashSet::new();
        let (new, repeated): (Vec<_>, Vec<_>) =
            names.iter().map(|(name, _)| name.as_str()).partition(|name| seen.insert(*name));
        let found: Vec<_> = object.members.iter().map(|member| &*member.name).collect();
        prop_assert_eq!(found, new);
        let found: Vec<_> = object.violations.iter().map(|violation| violation.pointer.clone()).collect();
        let repeated: Vec<_> = repeated.iter().map(|name| format!("/{name}")).collect();
        prop_assert_eq!(found, repeated);
    }
}
