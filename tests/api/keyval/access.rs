//! What counts as an access, which `accessedAt` tells and clean-up goes by.

use botyard_tests::waiting::until;
use serde_json::json;

use super::{LONG_AGO, OnKeyval, each_level, rel};

/// When the entry with this key was used last, as a list shows it.
#[track_caller]
fn accessed_at(on: &OnKeyval<'_>, key: &str) -> String {
    let listed = on.list();
    let entry = listed.iter().find(|entry| entry["key"] == key).expect("the entry");
    entry["accessedAt"].as_str().unwrap().to_owned()
}

each_level! {
    fn a_read_is_an_access_and_a_list_is_none(on: &OnKeyval) {
        on.store_all([("u", "t", "listed"), ("u", "t", "read")]);
        on.age();
        for rel in ["", "/u", "?key=listed", "?limit=1"] {
            let _ = on.get(rel).items();
        }
        let _ = on.get(&rel(("u", "t", "read"))).ok();
        until("the access is recorded", || accessed_at(on, "read") != LONG_AGO);
        assert_eq!(accessed_at(on, "listed"), LONG_AGO);
        let read = on.get(&rel(("u", "t", "read"))).ok();
        // It is no change.
        assert_eq!((&read["updatedAt"], &read["createdAt"]), (&json!(LONG_AGO), &json!(LONG_AGO)));
    }

    fn a_write_is_an_access_at_once(on: &OnKeyval) {
        on.store_all([("u", "t", "k")]);
        on.age();
        let written = on.store(("u", "t", "k"), &json!(2));
        assert_eq!(json!(accessed_at(on, "k")), written["accessedAt"]);
        assert_ne!(written["accessedAt"], json!(LONG_AGO));
    }

    fn a_read_that_found_nothing_leaves_nothing(on: &OnKeyval) {
        on.store_all([("u", "t", "other")]);
        on.age();
        on.get(&rel(("u", "t", "gone"))).problem(404, "keyval_entry_not_found");
        // What was read is deleted before its access was written.
        on.store_all([("u", "t", "gone")]);
        on.age();
        let _ = on.get(&rel(("u", "t", "gone"))).ok();
        let _ = on.delete(&rel(("u", "t", "gone"))).ok();
        let _ = on.get(&rel(("u", "t", "other"))).ok();
        until("the accesses are recorded", || accessed_at(on, "other") != LONG_AGO);
        assert_eq!(on.list().len(), 1);
    }

    fn a_permanent_entry_is_accessed_like_others(on: &OnKeyval) {
        on.record([("u", "t", "!p")]);
        on.age();
        let _ = on.get(&rel(("u", "t", "!p"))).ok();
        until("the access is recorded", || accessed_at(on, "!p") != LONG_AGO);
    }
}
