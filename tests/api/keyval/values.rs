//! What can be stored, and that it comes back as it came in.

use botyard_tests::Response;

use super::{OnKeyval, each_level, padded, rel};

const MIB: usize = 1 << 20;

/// Stores a value, as it is written here.
#[track_caller]
fn put(on: &OnKeyval<'_>, value: &str) -> Response {
    on.put_bytes(&rel(("u", "t", "k")), format!("{{\"value\":{value}}}"))
}

/// Stores a value that must come back byte for byte, wherever it is read.
#[track_caller]
fn comes_back(on: &OnKeyval<'_>, value: &str) {
    let shown = format!("\"value\":{value},\"permanent\":false,");
    let path = rel(("u", "t", "k"));
    for answer in [put(on, value), on.get(&path), on.get(""), on.get("/u"), on.get("?limit=1")] {
        assert_eq!(answer.status(), 200, "{answer}");
        assert!(answer.text().contains(&shown), "{answer}");
    }
}

/// A value so many levels deep.
fn deep(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

each_level! {
    fn numbers_come_back_as_they_were_written(on: &OnKeyval) {
        for number in [
            "0", "-0", "0.0", "-0.0", "1.10", "1e400", "1E+2", "1e-7", "-1e-400",
            "123456789012345678901234567890", "0.1234567890123456789012345678901234567890",
            "9007199254740993", "18446744073709551616",
        ] {
            comes_back(on, number);
        }
    }

    fn every_kind_of_value_can_be_stored(on: &OnKeyval) {
        for value in [
            "null", "true", "false", "\"\"", "\"text\"", "[]", "{}", "[null,false,[],{},\"\",0]",
            r#"{"value":{"value":null}}"#, r#"{"":{"":""}}"#,
        ] {
            comes_back(on, value);
        }
    }

    fn members_keep_their_order_and_blanks_their_place(on: &OnKeyval) {
        comes_back(on, r#"{"z":1,"a":{"2":0,"10":0,"1":0},"Z":2,"m":[3,1,2]}"#);
        comes_back(on, "{ \"b\" : [ 1 ,\t2 ] ,\r\n \"a\" : { } }");
    }

    fn texts_keep_their_escapes(on: &OnKeyval) {
        for value in [
            r#""\u0000""#,
            r#""a\u0000b""#,
            r#""\ud800""#,
            r#""\udc00\ud800""#,
            r#"{"\u0000":"\ud83d","\ud800":["\uDBFF"]}"#,
            r#""\u0041\/\b\f\n\r\t\\\"""#,
            r#""\ud834\udd1e 𝄞 ä \u00e4""#,
            "\"\u{7f}\u{80}\u{2028}\u{feff}\u{10ffff}\"",
        ] {
            comes_back(on, value);
        }
    }

    fn what_is_no_json_is_refused_inside_of_a_value_as_well(on: &OnKeyval) {
        for value in [
            "01", "+1", "1.", ".5", "0x1", "NaN", "Infinity", "'a'", "[1,]", "{\"a\":1,}", "{a:1}",
            "\"\u{1}\"", "\"a\nb\"", "\"\\x41\"", "\"\\u12\"", "tru", "\"a", "/**/1", "1 2",
        ] {
            put(on, value).has_violations(&[("", "malformed_json")]);
        }
        let invalid = [b"{\"value\":\"".as_slice(), b"\xff", b"\"}"].concat();
        on.put_bytes(&rel(("u", "t", "k")), invalid).has_violations(&[("", "malformed_json")]);
        assert_eq!(on.list().len(), 0);
    }

    fn a_member_twice_is_refused_inside_of_a_value_as_well(on: &OnKeyval) {
        put(on, r#"{"a":1,"b":[{"c":1,"\u0063":2}],"a":2}"#)
            .has_violations(&[("/value/a", "duplicate_field"), ("/value/b/0/c", "duplicate_field")]);
    }

    fn a_body_is_at_most_128_levels_deep(on: &OnKeyval) {
        // The body itself is the first of them.
        comes_back(on, &deep(127));
        comes_back(on, &format!("{}1{}", "{\"a\":".repeat(127), "}".repeat(127)));
        let refused = put(on, &deep(128));
        assert!(refused.violations().iter().all(|(_, code)| code == "too_deep"), "{refused}");
        assert_eq!(put(on, &deep(100_000)).violations()[0].1, "too_deep");
        assert!(on.get("").text().contains("{\"a\":{"), "what was there stays");
    }

    fn a_value_takes_at_most_1_mib_of_json(on: &OnKeyval) {
        let text = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
        let stored = put(on, &text(MIB));
        assert_eq!(stored.status(), 200, "{stored}");
        let read = on.get(&rel(("u", "t", "k")));
        assert!(read.text().contains(&text(MIB)));
        // It is the bytes that count, and blanks inside of a value are of it.
        let wide = format!("\"{}\"", "ä".repeat(MIB / 2 - 1));
        assert_eq!(put(on, &wide).status(), 200);
        let wider = format!("\"{}\"", "ä".repeat(MIB / 2));
        for value in [text(MIB + 1), wider, format!("[{}]", " ".repeat(MIB - 1))] {
            put(on, &value).has_violations(&[("/value", "too_long")]);
        }
        assert!(on.get(&rel(("u", "t", "k"))).text().contains(&wide));
        let _ = on.delete(&rel(("u", "t", "k"))).ok();
    }

    fn a_body_takes_64_kib_more(on: &OnKeyval) {
        let limit = MIB + (64 << 10);
        let body = |length: usize| padded(r#"{"value":"small"}"#, length);
        assert_eq!(on.put_bytes(&rel(("u", "t", "k")), body(limit)).status(), 200);
        on.put_bytes(&rel(("u", "t", "l")), body(limit + 1)).problem(413, "body_too_large");
        assert_eq!(on.list().len(), 1);
    }
}
