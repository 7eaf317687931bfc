//! `PUT …/keyval/{userId}/{type}/{key}`

use domain::id::KeyvalEntryId;
use serde_json::json;

use super::{LONG_AGO, each_level, rel};

const HERE: (&str, &str, &str) = ("u", "t", "k");

each_level! {
    fn what_is_stored_can_be_read(on: &OnKeyval) {
        let value = json!({"said": on.tenant.text("hello")});
        let answer = on.put(&rel(HERE), &value);
        let stored = answer.ok();
        let expected = json!({
            "_id": stored["_id"],
            "userId": "u",
            "type": "t",
            "key": "k",
            "value": value,
            "permanent": false,
            "createdAt": stored["createdAt"],
            "updatedAt": stored["createdAt"],
            "accessedAt": stored["createdAt"],
        });
        assert_eq!(stored, expected);
        let id = stored["_id"].as_str().unwrap();
        assert!(KeyvalEntryId::parse(id).is_some() && &id[14..15] == "7", "{id}");
        let mut read = expected;
        if on.is_of_bot() {
            read["guestId"] = json!(null);
        }
        assert_eq!(on.get(&rel(HERE)).ok(), read);
        assert_eq!(on.list(), [read]);
    }

    fn members_stand_in_the_documented_order(on: &OnKeyval) {
        let _ = on.store(HERE, &json!(1));
        let read = on.get(&rel(HERE));
        let mut members = vec![
            "_id", "userId", "type", "key", "value", "permanent", "createdAt", "updatedAt",
            "accessedAt",
        ];
        if on.is_of_bot() {
            members.push("guestId");
        }
        let text = read.text();
        let places: Vec<_> =
            members.iter().map(|name| text.find(&format!("\"{name}\":")).unwrap()).collect();
        assert!(places.is_sorted(), "{read}");
        assert_eq!(read.ok().as_object().unwrap().len(), members.len());
    }

    fn a_second_value_takes_the_place_of_the_first(on: &OnKeyval) {
        let first = on.store(HERE, &json!({"a": 1}));
        on.age();
        let second = on.store(HERE, &json!([2]));
        assert_eq!(second["_id"], first["_id"]);
        assert_eq!(second["value"], json!([2]));
        assert_eq!(second["createdAt"], json!(LONG_AGO));
        assert_ne!(second["updatedAt"], json!(LONG_AGO));
        assert_eq!(second["accessedAt"], second["updatedAt"]);
        let listed = on.list();
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0]["value"], json!([2]));
        // The same value again is a write like any other.
        on.age();
        assert_ne!(on.store(HERE, &json!([2]))["updatedAt"], json!(LONG_AGO));
    }

    fn entries_that_differ_in_one_part_are_two(on: &OnKeyval) {
        let around = [HERE, ("v", "t", "k"), ("u", "s", "k"), ("u", "t", "l"), ("u", "t", "K")];
        for (number, address) in around.into_iter().enumerate() {
            let _ = on.store(address, &json!(number));
        }
        for (number, address) in around.into_iter().enumerate() {
            assert_eq!(on.get(&rel(address)).ok()["value"], json!(number));
        }
        assert_eq!(on.list().len(), around.len());
    }

    fn an_entry_leaves_nothing_in_the_changelog(on: &OnKeyval) {
        let log = || {
            let path = format!("{}/{}/changelog", crate::bots::BOTS, on.tenant.bot());
            on.tenant.as_project().get(&path).items()
        };
        let before = log();
        let _ = on.store(HERE, &json!(1));
        let _ = on.delete(&rel(HERE)).ok();
        assert_eq!(log(), before);
    }

    fn a_value_is_needed(on: &OnKeyval) {
        let rel = rel(HERE);
        let before = on.tenant.snapshot();
        for (body, violations) in [
            ("{}", &[("/value", "missing_field")][..]),
            (r#"{"Value":1}"#, &[("/value", "missing_field"), ("/Value", "unknown_field")]),
            (r#"{"value":1,"key":"k"}"#, &[("/key", "unknown_field")]),
            (r#"{"value":1,"permanent":true,"_id":1}"#, &[
                ("/permanent", "unknown_field"),
                ("/_id", "unknown_field"),
            ]),
            (r#"{"value":1,"value":1}"#, &[("/value", "duplicate_field")]),
            ("", &[("", "malformed_json")]),
            ("1", &[("", "not_an_object")]),
            ("[]", &[("", "not_an_object")]),
            ("null", &[("", "not_an_object")]),
            (r#"{"value":}"#, &[("", "malformed_json")]),
            (r#"{"value":1"#, &[("", "malformed_json")]),
        ] {
            on.put_bytes(&rel, body).has_violations(violations);
        }
        before.assert_unchanged(&on.tenant);
    }

    fn nothing_can_be_asked_of_a_write(on: &OnKeyval) {
        for query in ["type=t", "keepPermanent=true", "limit=1"] {
            let name = query.split('=').next().unwrap();
            let answer = on.put(&format!("{}?{query}", rel(HERE)), &json!(1));
            answer.has_violations(&[(&format!("/{name}"), "bad_query")]);
        }
        on.put_bytes(&format!("{}?x=1", rel(HERE)), "{}")
            .has_violations(&[("/x", "bad_query"), ("/value", "missing_field")]);
        assert_eq!(on.list().len(), 0);
    }
}
