//! How long the parts of an address may be, and what none may hold. Such an address never reaches
//! the database.

use serde_json::json;

use super::{OnKeyval, addresses, each_level, encoded, rel};

/// What can be done with a path that names an entry.
#[track_caller]
fn refused(on: &OnKeyval<'_>, rel: &str, expected: &[(&str, &str)]) {
    for answer in [on.get(rel), on.delete(rel), on.put(rel, &json!(1))] {
        answer.has_violations(expected);
        let body = answer.json();
        assert!(body["errors"].as_array().unwrap().iter().all(|error| error["in"] == "path"));
    }
}

each_level! {
    fn parts_may_be_as_long_as_this_and_no_longer(on: &OnKeyval) {
        // It is the bytes that count.
        for (letter, width) in [("x", 1), ("ä", 2), ("𝄞", 4)] {
            let (word, key) = (letter.repeat(256 / width), letter.repeat(1_024 / width));
            let stored = on.store((&word, &word, &key), &json!(1));
            assert_eq!(addresses(std::slice::from_ref(&stored)), [(&*word, &*word, &*key)]);
            assert_eq!(on.get(&format!("/{}", encoded(&word))).items().len(), 1);
            let _ = on.delete(&rel((&word, &word, &key))).ok();
            let (longer, longer_key) = (format!("{word}x"), format!("{key}x"));
            refused(on, &rel((&longer, "t", "k")), &[("/userId", "too_long")]);
            refused(on, &rel(("u", &longer, "k")), &[("/type", "too_long")]);
            refused(on, &rel(("u", "t", &longer_key)), &[("/key", "too_long")]);
            let expected =
                [("/userId", "too_long"), ("/type", "too_long"), ("/key", "too_long")];
            refused(on, &rel((&longer, &longer, &longer_key)), &expected);
        }
    }

    fn no_part_holds_a_nul(on: &OnKeyval) {
        for part in ["\0", "a\0", "\0a"] {
            refused(on, &rel((part, "t", "k")), &[("/userId", "bad_character")]);
            refused(on, &rel(("u", part, "k")), &[("/type", "bad_character")]);
            refused(on, &rel(("u", "t", part)), &[("/key", "bad_character")]);
        }
        let expected = [("/userId", "too_long"), ("/type", "bad_character")];
        refused(on, &rel((&"u".repeat(300), "\0", "k")), &expected);
    }

    fn a_user_is_checked_where_it_stands_alone(on: &OnKeyval) {
        let long = format!("/{}", "u".repeat(257));
        for answer in [on.get(&long), on.delete(&long)] {
            answer.has_violations(&[("/userId", "too_long")]);
        }
        for answer in [on.get("/a%00"), on.delete("/%00")] {
            answer.has_violations(&[("/userId", "bad_character")]);
        }
    }

    fn violations_of_path_query_and_body_are_reported_at_once(on: &OnKeyval) {
        let path = format!("{}?x=1&x=2", rel(("\0", &"t".repeat(257), "k")));
        let answer = on.put_bytes(&path, r#"{"values":1}"#);
        answer.has_violations(&[
            ("/userId", "bad_character"),
            ("/type", "too_long"),
            ("/x", "bad_query"),
            ("/x", "bad_query"),
            ("/value", "missing_field"),
            ("/values", "unknown_field"),
        ]);
        answer.problem(422, "bad_query");
        let errors = answer.json()["errors"].clone();
        let places: Vec<_> = errors.as_array().unwrap().iter().map(|error| &error["in"]).collect();
        assert_eq!(places, ["path", "path", "query", "query", "body", "body"]);
        let answer = on.get(&format!("/{}?limit=0&type=", "u".repeat(257)));
        answer.has_violations(&[
            ("/userId", "too_long"),
            ("/limit", "bad_query"),
            ("/type", "bad_query"),
        ]);
    }

    fn one_kind_of_violation_in_a_path_names_the_problem(on: &OnKeyval) {
        let long = "x".repeat(257);
        on.get(&rel((&long, &long, "k"))).problem(422, "too_long");
        on.get(&rel((&long, "\0", "k"))).problem(422, "invalid_body");
    }

    fn a_segment_beyond_4_kib_is_too_long_for_any_path(on: &OnKeyval) {
        on.get(&format!("/u/t/{}", "k".repeat(4_096))).has_violations(&[("/key", "too_long")]);
        on.get(&format!("/u/t/{}", "k".repeat(4_097))).problem(414, "uri_too_long");
        on.get(&format!("/{}", "u".repeat(4_097))).problem(414, "uri_too_long");
    }
}
