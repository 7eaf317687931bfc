//! What is JSON, and what comes of it.

use super::*;

#[test]
fn valid_values_pass() {
    for text in [
        "null",
        " true\r\n",
        "\tfalse",
        "0",
        "-0",
        "-0.0e-0",
        "12.50E+007",
        "1e999",
        r#""""#,
        r#""\"\\\/\b\f\n\r\t\u00e4\uD83D\ude00""#,
        "\"\u{7f} \u{80} ä 😀\"",
        "[]",
        "[ ]",
        "{ }",
        "[[],{},[{}]]",
        r#"[1 , "a" ,null]"#,
        r#" { "a" : { "a" : [ 1 , { "a" : 2 } ] } , "b" : { "a" : 1 } } "#,
        r#"{"":1," ":2}"#,
    ] {
        assert_eq!(check_value(text.as_bytes()), Ok(()), "{text}");
    }
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    /// A reason, and texts with their line and column.
    type Case = (&'static str, &'static [(&'static [u8], u32, u32)]);
    let cases: [Case; 13] = [
        ("expected `:`", &[(b"{\"a\" 1}", 1, 6)]),
        (
            "expected a value",
            &[
                (b"{\n  \"\xc3\xa4\": ,\n}", 2, 8),
                (b"nul", 1, 1),
                (b"NaN", 1, 1),
                (b"+1", 1, 1),
                (b".5", 1, 1),
                (b"'a'", 1, 1),
                (b"]", 1, 1),
                (b"\0", 1, 1),
                (b"\x0c1", 1, 1),
                (b"\xc2\xa01", 1, 1),
                (b"// a\n1", 1, 1),
                (b"[1,]", 1, 4),
                (b"[,1]", 1, 2),
            ],
        ),
        ("a number can't have leading zeros", &[(b"01", 1, 2), (b"-01", 1, 3)]),
        (
            "it ends too early",
            &[
                (b"-", 1, 2),
                (b"1.", 1, 3),
                (b"[", 1, 2),
                (b"[1", 1, 3),
                (b"{", 1, 2),
                (b"{\"a\":1", 1, 7),
                (b"\"a", 1, 3),
            ],
        ),
        (
            "expected a digit",
            &[
                (b"-x", 1, 2),
                (b"[1.]", 1, 4),
                (b"[1.e1]", 1, 4),
                (b"[1e+]", 1, 5),
                (b"[1e+-1]", 1, 5),
            ],
        ),
        (
            "expected nothing more",
            &[(b"0x10", 1, 2), (b"1 2", 1, 3), (b"{}}", 1, 3), (b"truetrue", 1, 5)],
        ),
        ("expected `,` or `]`", &[(b"[1 2]", 1, 4), (b"[1}", 1, 3)]),
        ("expected a member's name in double quotes", &[(b"{\"a\":1,}", 1, 8), (b"{a:1}", 1, 2)]),
        ("expected `,` or `}`", &[(b"{\"a\":1]", 1, 7)]),
        (
            "a control character in a string isn't escaped",
            &[(b"\"a\nb\"", 1, 3), (b"\"\0\"", 1, 2), (b"\"0123456\x1f\"", 1, 9)],
        ),
        (
            "a string holds an unknown escape",
            &[
                (b"\"\\x\"", 1, 2),
                (b"\"\\u12G4\"", 1, 2),
                (b"\"\\u+123\"", 1, 2),
                (b"\"\\ud800\\u00\"", 1, 8),
                (b"\"\\", 1, 2),
            ],
        ),
        ("it starts with a byte order mark", &[(b"\xef\xbb\xbf{}", 1, 1)]),
        (
            "it is not UTF-8",
            &[(b"\xff", 1, 1), (b"\n\"a\xc3\"", 2, 3), (b"\"\xed\xa0\x80\"", 1, 2)],
        ),
    ];
    for (reason, texts) in cases {
        for &(bytes, line, column) in texts {
            let violation = only(bytes);
            assert_eq!(violation.code, ViolationCode::MalformedJson);
            assert_eq!(violation.pointer, "");
            let place = format!("line {line}, column {column}");
            assert_eq!(
                violation.message,
                format!("The value is not valid JSON at {place}: {reason}.")
            );
        }
    }
}

#[test]
fn a_line_of_a_file_is_called_a_line() {
    for (line, message) in [
        (&b"{\"a\":"[..], "The line is not valid JSON at column 6: it ends too early."),
        (b"[]", "The line must be a JSON object."),
        (b" ", "The line is missing."),
    ] {
        let violations = check_line(line, None).expect_err("no object");
        assert_eq!(violations.iter().next().expect("a violation").message, message);
    }
    assert_eq!(check_line(b"{\"a\":1}", None), check_object(b"{\"a\":1}", None));
}

#[test]
fn an_empty_text_is_missing() {
    for bytes in [&b""[..], b" \t\r\n"] {
        assert_eq!(only(bytes).code, ViolationCode::MalformedJson);
        assert_eq!(only(bytes).message, "The value is missing.");
        let violations = check_object(bytes, None).expect_err("no object");
        assert_eq!(violations.iter().next().expect("a violation").message, "The body is missing.");
    }
}

#[test]
fn what_is_no_object_is_refused_after_it_was_read() {
    for text in ["[]", "null", " 1 ", r#""{}""#, "[{}]"] {
        assert_eq!(
            violations_of(text, None),
            [(ViolationCode::NotAnObject, String::new())],
            "{text}"
        );
    }
    assert_eq!(violations_of("[1,", None), [(ViolationCode::MalformedJson, String::new())]);
    assert_eq!(
        violations_of(r#"[{"a":1,"a":2}]"#, Some("a")),
        [
            (ViolationCode::NotAnObject, String::new()),
            (ViolationCode::DuplicateField, "/0/a".to_owned())
        ],
    );
}

#[test]
fn members_keep_their_text() {
    let body = br#" { "a" : [ 1, 2.50 ] ,"\u0062":{"x" : "y"}, "c":"\u00e4" , "a": 3, "d":null} "#;
    let object = check_object(body, None).expect("an object");
    let members: Vec<_> = object.members.iter().map(|member| (&*member.name, member.raw)).collect();
    assert_eq!(
        members,
        [("a", "[ 1, 2.50 ]"), ("b", r#"{"x" : "y"}"#), ("c", r#""\u00e4""#), ("d", "null")],
    );
    assert!(matches!(object.members[0].name, Cow::Borrowed(_)));
    assert_eq!(object.violations.iter().count(), 1);
}
