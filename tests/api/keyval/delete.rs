//! `DELETE …/keyval/{userId}/{type}/{key}` and `DELETE …/keyval/{userId}`

use serde_json::json;

use super::{addresses, each_level, rel};

each_level! {
    fn an_entry_goes_and_its_address_is_answered(on: &OnKeyval) {
        on.store_all([("u", "t", "k"), ("u", "t", "l"), ("u", "s", "k"), ("v", "t", "k")]);
        let answer = on.delete(&rel(("u", "t", "k")));
        assert_eq!(answer.text(), r#"{"deleted":true,"userId":"u","type":"t","key":"k"}"#);
        on.get(&rel(("u", "t", "k"))).problem(404, "keyval_entry_not_found");
        assert_eq!(addresses(&on.list()), [("u", "s", "k"), ("u", "t", "l"), ("v", "t", "k")]);
    }

    fn what_is_not_there_is_not_found(on: &OnKeyval) {
        on.store_all([("u", "t", "k")]);
        let before = on.tenant.snapshot();
        for address in [
            ("u", "t", "K"), ("u", "t", "k "), ("u", "T", "k"), ("U", "t", "k"), ("u", "t", "%"),
            ("u", "t", "_"), ("u", "t", "*"), ("%", "%", "%"), ("k", "t", "u"), ("u", "t", "kk"),
        ] {
            on.get(&rel(address)).problem(404, "keyval_entry_not_found");
            on.delete(&rel(address)).problem(404, "keyval_entry_not_found");
        }
        before.assert_unchanged(&on.tenant);
        let _ = on.delete(&rel(("u", "t", "k"))).ok();
        on.delete(&rel(("u", "t", "k"))).problem(404, "keyval_entry_not_found");
    }

    fn a_deleted_entry_can_be_made_anew(on: &OnKeyval) {
        let first = on.store(("u", "t", "k"), &json!(1));
        on.age();
        let _ = on.delete(&rel(("u", "t", "k"))).ok();
        let second = on.store(("u", "t", "k"), &json!(2));
        assert_ne!(second["_id"], first["_id"]);
        assert_eq!(second["createdAt"], second["updatedAt"]);
    }

    fn whether_permanent_ones_are_kept_is_nothing_to_an_ordinary_one(on: &OnKeyval) {
        for query in ["", "?keepPermanent=true", "?keepPermanent=false"] {
            on.store_all([("u", "t", "k")]);
            let answer = on.delete(&format!("{}{query}", rel(("u", "t", "k"))));
            assert_eq!(answer.ok()["deleted"], json!(true), "{query}");
        }
    }

    fn a_body_is_not_looked_at(on: &OnKeyval) {
        on.store_all([("u", "t", "k"), ("u", "t", "l")]);
        let body = json!({"keepPermanent": "maybe"});
        let _ = on.client.delete_with(&on.path("/u/t/k"), &body).ok();
        assert_eq!(on.client.delete_with(&on.path("/u"), &body).ok(), json!({"deleted": 1}));
    }

    fn all_entries_of_a_user_go_and_are_counted(on: &OnKeyval) {
        on.store_all([("u", "s", "a"), ("u", "t", "b"), ("u1", "t", "a"), ("U", "t", "a")]);
        assert_eq!(on.delete("/u").text(), r#"{"deleted":2}"#);
        assert_eq!(addresses(&on.list()), [("U", "t", "a"), ("u1", "t", "a")]);
        assert_eq!(on.delete("/u").ok(), json!({"deleted": 0}));
        assert_eq!(on.delete("/nobody").ok(), json!({"deleted": 0}));
    }
}
