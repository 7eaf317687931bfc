//! What is JSON, but refused for what it says.

use super::*;

#[test]
fn duplicates_are_found_at_every_level() {
    for (text, pointers) in [
        (r#"{"a":1,"a":1}"#, &["/a"][..]),
        (r#"{"a":1,"\u0061":1,"a":1}"#, &["/a", "/a"]),
        (r#"{"\u0061":1,"a":1}"#, &["/a"]),
        (r#"{"a\/b~":1,"a/b\u007e":1}"#, &["/a~1b~0"]),
        (r#"{"\ud83d\ude00":1,"😀":1}"#, &["/😀"]),
        (r#"{"":1,"":1}"#, &["/"]),
        (r#"{"a":1,"A":1,"a ":1}"#, &[]),
        ("{\"\u{e4}\":1,\"a\u{308}\":1}", &[]),
        (r#"[0,{"x":[{"a":{"a":1}},{"a":1,"b":{"a":1},"a":1}]}]"#, &["/1/x/1/a"]),
        (r#"{"a":{"b":1,"b":1},"c":{"b":1},"a":{"b":1,"b":1}}"#, &["/a/b", "/a", "/a/b"]),
    ] {
        let violations = check_value(text.as_bytes()).err().unwrap_or_default();
        assert!(
            violations.iter().all(|violation| violation.code == ViolationCode::DuplicateField),
            "{text}"
        );
        let found: Vec<_> = violations.iter().map(|violation| &violation.pointer).collect();
        assert_eq!(found, pointers, "{text}");
    }
}

#[test]
fn duplicates_are_found_among_many_names() {
    for count in [15, 16, 17, 18, 100] {
        for again in [0, 14, count - 1] {
            let names = (0..count).chain([again]).map(|n| n.to_string());
            let inner = object(names);
            let text = format!(r#"[{inner},{}]"#, object((0..count).map(|n| n.to_string())));
            let violation = only(text.as_bytes());
            assert_eq!(violation.code, ViolationCode::DuplicateField);
            assert_eq!(violation.pointer, format!("/0/{again}"));
        }
    }
}

#[test]
fn half_surrogates_are_different_names() {
    let text = r#"{"value":{"\ud800":1,"\ud801":1,"\ufffd":1,"\udc00\ud800":1,"\ud800\udc00":1}}"#;
    assert_eq!(violations_of(text, Some("value")), []);
    let text = r#"{"value":{"\ud800":1,"\uD800":1}}"#;
    let duplicate = (ViolationCode::DuplicateField, "/value/\u{fffd}".to_owned());
    assert_eq!(violations_of(text, Some("value")), [duplicate]);
}

#[test]
fn bad_characters_are_refused() {
    for (string, is_bad) in [
        (r"\u0000", true),
        (r"ab\u0000cd", true),
        (r"\ud800", true),
        (r"\udbffx", true),
        (r"\ud800\n", true),
        (r"\udc00", true),
        (r"\udc00\ud800", true),
        (r"\ud800\ud800\udc00", true),
        (r"\ud800\udc00\udc00", true),
        (r"\\u0000", false),
        (r"\\ud800", false),
        (r"\u0001", false),
        (r"\ud800\udc00", false),
        (r"\uDBFF\uDFFF", false),
        (r"\ud7ff\ue000\uffff", false),
    ] {
        let value = violations_of(&format!(r#"{{"x":[1,"{string}"]}}"#), None);
        let expected = [(ViolationCode::BadCharacter, "/x/1".to_owned())];
        assert_eq!(value, expected[..usize::from(is_bad)], "{string}");
        let name = violations_of(&format!(r#"{{"{string}":1}}"#), None);
        assert_eq!(name.len(), usize::from(is_bad), "{string}");
    }
    let name = (ViolationCode::BadCharacter, "/a\0".to_owned());
    assert_eq!(violations_of(r#"{"a\u0000":1}"#, None), [name]);
}

#[test]
fn a_raw_member_keeps_what_it_has() {
    let long = "1".repeat(65);
    let inside = format!(r#"{{"n\u0000":["\ud800",{long},{{"x":"\u0000"}}]}}"#);
    let text = format!(r#"{{"before":"\u0000","val\u0075e":{inside},"after":{long}}}"#);
    let around = [
        (ViolationCode::BadCharacter, "/before".to_owned()),
        (ViolationCode::OutOfRange, "/after".to_owned()),
    ];
    assert_eq!(violations_of(&text, Some("value")), around);
    assert_eq!(violations_of(&text, Some("other")).len(), 6);
    // Only a top-level member of an object is meant.
    assert_eq!(violations_of(r#"{"a":{"value":"\u0000"}}"#, Some("value")).len(), 1);
    assert_eq!(violations_of(r#"[{"value":"\u0000"}]"#, Some("value")).len(), 2);
    // Duplicates and depth are still refused.
    let duplicate = (ViolationCode::DuplicateField, "/value/a".to_owned());
    assert_eq!(violations_of(r#"{"value":{"a":1,"a":1}}"#, Some("value")), [duplicate]);
    let deep = format!(r#"{{"value":{}{}}}"#, "[".repeat(128), "]".repeat(128));
    assert_eq!(violations_of(&deep, Some("value"))[0].0, ViolationCode::TooDeep);
}
