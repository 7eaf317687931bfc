//! What is refused for its size, and what any size costs.

use super::*;

#[test]
fn numbers_have_at_most_64_characters() {
    assert_eq!(MAX_NUMBER, 64, "the message says so");
    for (number, is_fine) in [
        ("1".repeat(64), true),
        ("1".repeat(65), false),
        (format!("-{}", "1".repeat(63)), true),
        (format!("-{}", "1".repeat(64)), false),
        (format!("0.{}", "0".repeat(63)), false),
        (format!("1e{}", "0".repeat(62)), true),
        (format!("1e{}", "0".repeat(63)), false),
    ] {
        let found = violations_of(&format!(r#"{{"a":{{"b":[{number}]}}}}"#), None);
        let violation = (ViolationCode::OutOfRange, "/a/b/0".to_owned());
        assert_eq!(found, if is_fine { vec![] } else { vec![violation] }, "{number}");
    }
}

#[test]
fn depth_ends_at_128() {
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let of_depth = |depth: usize| {
            let inner = if open == "[" { "[]" } else { "{}" };
            format!("{}{inner}{}", open.repeat(depth - 1), close.repeat(depth - 1))
        };
        assert_eq!(check_value(of_depth(128).as_bytes()), Ok(()));
        assert_eq!(only(of_depth(129).as_bytes()).code, ViolationCode::TooDeep);
    }
    let siblings = format!("[{}1]", "[[]],".repeat(1000));
    assert_eq!(check_value(siblings.as_bytes()), Ok(()));
    let violation = only(&b"[".repeat(20 << 20));
    assert_eq!(violation.code, ViolationCode::TooDeep);
    assert_eq!(violation.pointer, "/0".repeat(128));
}

#[test]
fn serde_reads_every_member_of_a_deep_body() {
    let deep = format!("{}{}", "[".repeat(127), "]".repeat(127));
    let body = format!(r#"{{"a":{deep}}}"#);
    let object = check_object(body.as_bytes(), None).expect("an object");
    assert!(object.violations.is_empty());
    assert!(serde_json::from_str::<serde_json::Value>(object.members[0].raw).is_ok());
    assert!(serde_json::from_str::<serde_json::Value>(&body).is_err());
}

#[test]
fn what_ends_the_check_stands_first_even_in_a_full_list() {
    let many = r#""a":"\u0000","#.repeat(Violations::MAX + 1);
    for (text, code) in [
        (format!("{{{many}}}"), ViolationCode::MalformedJson),
        (format!(r#"{{{many}"b":{}"#, "[".repeat(129)), ViolationCode::TooDeep),
        (format!(r#"[{{{many}"b":1}}]"#), ViolationCode::NotAnObject),
    ] {
        let violations = violations_of(&text, None);
        assert_eq!(violations.len(), Violations::MAX);
        assert_eq!(violations[0].0, code);
    }
}

#[test]
fn a_pointer_stays_short() {
    let long = "n".repeat(1024);
    let deep = r#"{"a":["#;
    for name in [long.as_str(), &"n".repeat(1 << 20), &"~".repeat(600)] {
        let text = format!(r#"{{"b":{deep}0,{{"{name}":["\u0000"]}}]}}}}"#);
        let found = violations_of(&text, None);
        assert_eq!(found, [(ViolationCode::BadCharacter, "/b/a/1".to_owned())]);
    }
    let escaped = r"\u006e".repeat(1023);
    let found = violations_of(&format!(r#"{{"{escaped}":"\u0000"}}"#), None);
    assert_eq!(found, [(ViolationCode::BadCharacter, format!("/{}", "n".repeat(1023)))]);
}

/// A quadratic check would take minutes for each of these in a debug build.
#[test]
fn large_texts_take_linear_time() {
    let count = 100_000;
    let plain = object((0..count).map(|n| n.to_string()));
    let escaped = object((0..count).map(|n| format!("\\u0061{n}")));
    let halves =
        (0..1024 * 64).map(|n| format!("\\u{:04x}\\u{:04x}", 0xd800 + n / 64, 0xd800 + n % 64));
    let halves = format!(r#"{{"value":{}}}"#, object(halves));
    let inside = |object: String| format!(r#"{{"value":{object}}}"#);
    for text in [inside(plain), inside(escaped), halves] {
        assert_eq!(violations_of(&text, Some("value")), []);
    }
    for text in [
        object((0..count).map(|_| "a".to_owned())),
        format!("[{}1]", r#""\u0000","#.repeat(count)),
        format!("[{}1]", "{\"\\u0061\":1},".repeat(count)),
        format!("[{}1]", "[".repeat(127) + &"1,".repeat(count) + "1" + &"]".repeat(127) + ","),
        format!("\"{}\"", r"\ud800".repeat(count)),
        "\n".repeat(count * 10) + "?",
    ] {
        drop(check_value(text.as_bytes()));
    }
}

#[test]
fn a_body_has_at_most_10_000_members() {
    let body = |count: usize| object((0..count).map(|n| n.to_string()));
    assert_eq!(violations_of(&body(MAX_MEMBERS), None), []);
    let found = violations_of(&body(MAX_MEMBERS + 1), None);
    assert_eq!(found, [(ViolationCode::TooManyItems, String::new())]);
}
