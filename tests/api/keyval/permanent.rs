//! Keys that begin with `!`: only the service itself writes them.

use serde_json::json;

use super::{Address, addresses, each_level, padded, rel};

const THERE: Address<'_> = ("u", "t", "!there");
const NOT_THERE: Address<'_> = ("u", "t", "!not there");

each_level! {
    fn a_permanent_entry_is_read_like_others(on: &OnKeyval) {
        on.store_all([("u", "t", "k")]);
        on.record([THERE]);
        let read = on.get(&rel(THERE)).ok();
        assert_eq!(read["permanent"], json!(true));
        assert_eq!(read["value"], json!(on.tenant.text("recorded")));
        let listed = on.list();
        assert_eq!(listed[0], read);
        assert_eq!(listed[1]["permanent"], json!(false));
        for query in ["?keyPrefix=!", "?key=!there"] {
            assert_eq!(on.get(query).items(), std::slice::from_ref(&read), "{query}");
        }
        on.get(&rel(NOT_THERE)).problem(404, "keyval_entry_not_found");
    }

    fn it_can_not_be_written_whether_it_is_there_or_not(on: &OnKeyval) {
        on.record([THERE]);
        let before = on.tenant.snapshot();
        for address in [THERE, NOT_THERE, ("u", "t", "!")] {
            on.put(&rel(address), &json!(1)).problem(403, "permanent_key");
        }
        // An exclamation mark need not be encoded.
        on.put("/u/t/!x", &json!(1)).problem(403, "permanent_key");
        before.assert_unchanged(&on.tenant);
    }

    fn it_can_not_be_deleted_by_accident_whether_it_is_there_or_not(on: &OnKeyval) {
        on.record([THERE]);
        let before = on.tenant.snapshot();
        for address in [THERE, NOT_THERE] {
            for query in ["", "?keepPermanent=true"] {
                let answer = on.delete(&format!("{}{query}", rel(address)));
                answer.problem(403, "permanent_key");
            }
        }
        before.assert_unchanged(&on.tenant);
    }

    fn it_can_be_deleted_on_purpose(on: &OnKeyval) {
        on.record([THERE]);
        let answer = on.delete(&format!("{}?keepPermanent=false", rel(THERE)));
        assert_eq!(answer.text(), r#"{"deleted":true,"userId":"u","type":"t","key":"!there"}"#);
        for address in [THERE, NOT_THERE] {
            let answer = on.delete(&format!("{}?keepPermanent=false", rel(address)));
            answer.problem(404, "keyval_entry_not_found");
        }
    }

    fn that_it_is_permanent_is_reported_before_any_violation(on: &OnKeyval) {
        on.record([THERE]);
        let before = on.tenant.snapshot();
        for address in [THERE, NOT_THERE, ("u", "t", "!\0"), ("\0", "t", "!x"), ("u", "t", &"!".repeat(1_025))] {
            let rel = rel(address);
            for body in ["", "{", "{}", "[]", r#"{"value":1,"more":2}"#] {
                on.put_bytes(&rel, body).problem(403, "permanent_key");
            }
            let huge = padded(r#"{"value":1}"#, 2 << 20);
            on.put_bytes(&rel, huge).problem(403, "permanent_key");
            on.put(&format!("{rel}?nope=1"), &json!(1)).problem(403, "permanent_key");
            for query in ["nope=1", "keepPermanent=", "keepPermanent=no", "keepPermanent=%66alse%20"] {
                on.delete(&format!("{rel}?{query}")).problem(403, "permanent_key");
            }
        }
        // With `keepPermanent=false`, other violations are reported.
        let answer = on.delete(&format!("{}?keepPermanent=%66alse&nope=1", rel(THERE)));
        answer.has_violations(&[("/nope", "bad_query")]);
        let twice = format!("{}?keepPermanent=false&keepPermanent=false", rel(THERE));
        on.delete(&twice).has_violations(&[("/keepPermanent", "bad_query")]);
        on.get(&rel(("u", "t", "!\0"))).has_violations(&[("/key", "bad_character")]);
        before.assert_unchanged(&on.tenant);
    }

    fn only_the_beginning_of_the_key_makes_it_permanent(on: &OnKeyval) {
        for address in [("!u", "t", "k"), ("u", "!t", "k"), ("u", "t", "k!"), ("u", "t", " !"), ("u", "t", "！")] {
            assert_eq!(on.store(address, &json!(1))["permanent"], json!(false));
            let _ = on.delete(&rel(address)).ok();
        }
    }

    fn deletes_by_filter_keep_it_unless_they_say_otherwise(on: &OnKeyval) {
        let ordinary = [("u", "t", "a"), ("u", "t", "b")];
        let permanent = [("u", "t", "!a"), ("u", "t", "!b")];
        for (keep, left) in [("", 2), ("?keepPermanent=true", 2), ("?keepPermanent=false", 0)] {
            on.store_all(ordinary);
            on.record(permanent);
            let answer = on.delete(&format!("/u{keep}"));
            assert_eq!(answer.ok(), json!({"deleted": 4 - left}), "{keep}");
            assert_eq!(on.list().len(), left, "{keep}");
        }
        for (keep, left) in [(None, 2), (Some(true), 2), (Some(false), 0)] {
            on.store_all(ordinary);
            on.record(permanent);
            let mut body = json!({"userId": "u", "type": "t"});
            if let Some(keep) = keep {
                body["keepPermanent"] = json!(keep);
            }
            assert_eq!(on.bulk_delete(&body).ok(), json!({"deleted": 4 - left}), "{keep:?}");
            assert_eq!(on.list().len(), left, "{keep:?}");
        }
    }

    fn a_prefix_of_permanent_keys_means_nothing_to_a_delete_that_keeps_them(on: &OnKeyval) {
        on.store_all([("u", "t", "a")]);
        on.record([("u", "t", "!a"), ("u", "t", "!b"), ("v", "t", "!a")]);
        assert_eq!(on.bulk_delete(&json!({"keyPrefix": "!"})).ok(), json!({"deleted": 0}));
        assert_eq!(on.delete("/u?keyPrefix=!").ok(), json!({"deleted": 0}));
        let answer = on.delete("/u?keyPrefix=!a&keepPermanent=false");
        assert_eq!(answer.ok(), json!({"deleted": 1}));
        let body = json!({"keyPrefix": "!", "keepPermanent": false});
        assert_eq!(on.bulk_delete(&body).ok(), json!({"deleted": 2}));
        assert_eq!(addresses(&on.list()), [("u", "t", "a")]);
    }
}
