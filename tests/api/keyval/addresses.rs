//! What may stand in userId, type and key, however it is encoded.

use botyard_tests::Response;
use serde_json::json;

use super::{OnKeyval, addresses, each_level, encoded, rel};

/// Texts that a path, a query, a pattern or a database could take for something else.
const ODD: [&str; 48] = [
    "/",
    "//",
    "a/b",
    "/a",
    "a/",
    "%",
    "%%",
    "%2F",
    "%00",
    "%ff",
    "+",
    "a+b",
    " ",
    "  a  ",
    "?",
    "a?b=c",
    "#",
    "a#b",
    ".",
    "..",
    "...",
    "../..",
    "&",
    "=",
    ";",
    ":",
    "@",
    "'",
    "\"",
    "\\",
    "`",
    "*",
    "_",
    "$1",
    "{userId}",
    "<script>",
    "' OR '1'='1",
    "\u{1}",
    "\t",
    "\r\n",
    "\u{7f}",
    "\u{85}",
    "ä",
    "a\u{308}",
    "𝄞",
    "\u{feff}",
    "\u{ffff}",
    "\u{10ffff}",
];

/// Sends a path as it stands, past any client that would tidy it up.
#[track_caller]
fn raw(on: &OnKeyval<'_>, method: &str, rel: &str, body: &str) -> Response {
    let length = format!("Content-Length: {}", body.len());
    let path = on.path(rel);
    on.client.connect().exchange(method, &path, &[&length], body.as_bytes())
}

each_level! {
    fn every_part_takes_odd_texts(on: &OnKeyval) {
        for odd in ODD {
            for address in [(odd, "t", "k"), ("u", odd, "k"), ("u", "t", odd)] {
                let stored = on.store(address, &json!(odd));
                assert_eq!(addresses(std::slice::from_ref(&stored)), [address]);
                let read = on.get(&rel(address)).ok();
                assert_eq!((&read["_id"], &read["value"]), (&stored["_id"], &json!(odd)));
            }
        }
        let mut expected: Vec<_> = ODD
            .into_iter()
            .flat_map(|odd| [(odd, "t", "k"), ("u", odd, "k"), ("u", "t", odd)])
            .collect();
        expected.sort_unstable();
        assert_eq!(addresses(&on.list()), expected);
        for odd in ODD {
            let answer = on.delete(&rel(("u", "t", odd)));
            let key = json!(odd);
            assert_eq!(answer.text(), format!(
                "{{\"deleted\":true,\"userId\":\"u\",\"type\":\"t\",\"key\":{key}}}"
            ));
            on.get(&rel(("u", "t", odd))).problem(404, "keyval_entry_not_found");
        }
        assert_eq!(on.list().len(), 2 * ODD.len());
    }

    fn odd_texts_in_filters_mean_themselves(on: &OnKeyval) {
        on.store_all(ODD.map(|odd| (odd, odd, odd)));
        for odd in ODD {
            let odd_encoded = encoded(odd);
            for query in [
                format!("?userId={odd_encoded}"),
                format!("?type={odd_encoded}"),
                format!("?key={odd_encoded}"),
                format!("/{odd_encoded}"),
                format!("/{odd_encoded}?type={odd_encoded}&keyPrefix={odd_encoded}"),
            ] {
                assert_eq!(addresses(&on.get(&query).items()), [(odd, odd, odd)], "{query}");
            }
            let mut beginning: Vec<_> = ODD.into_iter().filter(|key| key.starts_with(odd)).collect();
            beginning.sort_unstable();
            let listed = on.get(&format!("?keyPrefix={odd_encoded}")).items();
            let keys: Vec<_> = addresses(&listed).iter().map(|(.., key)| *key).collect();
            assert_eq!(keys, beginning, "{odd:?}");
        }
    }

    fn a_segment_may_be_written_with_more_or_fewer_escapes(on: &OnKeyval) {
        let _ = on.store(("u", "t", "some:key+x"), &json!(1));
        for segment in ["some:key+x", "some%3Akey%2Bx", "s%6Fme%3akey%2bx"] {
            let read = raw(on, "GET", &format!("/u/t/{segment}"), "");
            assert_eq!(read.ok()["value"], json!(1), "{segment}");
        }
        // In a path, a plus sign is no blank.
        raw(on, "GET", "/u/t/some:key%20x", "").problem(404, "keyval_entry_not_found");
        // What is no encoding stands for itself.
        let _ = raw(on, "PUT", "/u/t/%zz", r#"{"value":2}"#).ok();
        assert_eq!(on.get(&rel(("u", "t", "%zz"))).ok()["value"], json!(2));
    }

    fn dots_are_keys_like_others(on: &OnKeyval) {
        for (rel, address) in [
            ("/../../..", ("..", "..", "..")),
            ("/u/./.", ("u", ".", ".")),
            ("/u/%2e%2E/..%2f", ("u", "..", "../")),
        ] {
            let stored = raw(on, "PUT", rel, r#"{"value":1}"#).ok();
            assert_eq!(addresses(std::slice::from_ref(&stored)), [address]);
            let _ = raw(on, "GET", rel, "").ok();
            let _ = raw(on, "DELETE", rel, "").ok();
        }
        assert_eq!(on.list().len(), 0);
    }

    fn an_empty_part_makes_another_path(on: &OnKeyval) {
        for rel in ["/", "//t/k", "/u//k", "/u/t/", "/u/t", "/u/t/k/", "/u/t/k/x", "///"] {
            for method in ["GET", "PUT", "DELETE"] {
                raw(on, method, rel, r#"{"value":1}"#).problem(404, "unknown_path");
            }
        }
    }

    fn a_part_that_is_no_text_makes_another_path(on: &OnKeyval) {
        for part in ["%ff", "a%C3", "%ED%A0%80", "%c3%28"] {
            for rel in [format!("/{part}/t/k"), format!("/u/{part}/k"), format!("/u/t/{part}")] {
                raw(on, "PUT", &rel, r#"{"value":1}"#).problem(404, "unknown_path");
            }
            raw(on, "GET", &format!("/{part}"), "").problem(404, "unknown_path");
        }
    }

    fn bulk_delete_is_no_user_id(on: &OnKeyval) {
        for user in ["bulk-delete", "%62ulk-delete"] {
            for method in ["GET", "DELETE", "PUT"] {
                let answer = raw(on, method, &format!("/{user}"), r#"{"value":1}"#);
                answer.problem(405, "method_not_allowed");
                assert_eq!(answer.header("allow"), Some("POST"));
                let below = raw(on, method, &format!("/{user}/t/k"), r#"{"value":1}"#);
                below.problem(404, "unknown_path");
            }
        }
        // By the filter it can be asked for all the same.
        on.record([("bulk-delete", "t", "k")]);
        assert_eq!(addresses(&on.get("?userId=bulk-delete").items()), [("bulk-delete", "t", "k")]);
        let _ = on.store(("Bulk-Delete", "t", "bulk-delete"), &json!(1));
    }

    fn maxage_is_a_user_id_of_bots_only(on: &OnKeyval) {
        let path = rel(("maxage", "t", "k"));
        if on.is_of_bot() {
            let _ = on.store(("maxage", "t", "k"), &json!(1));
            assert_eq!(on.get(&path).ok()["userId"], json!("maxage"));
            assert_eq!(addresses(&on.get("/maxage").items()), [("maxage", "t", "k")]);
            assert_eq!(on.delete("/maxage").ok(), json!({"deleted": 1}));
        } else {
            for method in ["GET", "DELETE", "PUT"] {
                raw(on, method, &path, r#"{"value":1}"#).problem(404, "unknown_path");
            }
            on.delete("/maxage").problem(405, "method_not_allowed");
        }
    }
}
