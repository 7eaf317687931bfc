//! Thousands of entries.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};

use super::{OnKeyval, addresses, each_level, rel};

/// More than any unit of work reads or deletes.
const MANY: usize = 2_503;

/// Makes many entries; returns their keys, in order.
#[track_caller]
fn make_many(on: &OnKeyval<'_>) -> Vec<String> {
    let keys: Vec<_> = (0..MANY).map(|number| format!("k{number:05}")).collect();
    on.record(keys.iter().map(|key| ("u", "t", key.as_str())));
    keys
}

fn keys(items: &[Value]) -> Vec<&str> {
    addresses(items).into_iter().map(|(.., key)| key).collect()
}

each_level! {
    fn a_long_list_is_streamed_whole(on: &OnKeyval) {
        let made = make_many(on);
        for rel in ["", "/u", "?userId=u", "?keyPrefix=k", "/u?type=t&keyPrefix=k", "?type=t"] {
            let answer = on.client.connect().exchange("GET", &on.path(rel), &[], b"");
            assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
            assert_eq!(answer.next_page(), None);
            assert!(keys(&answer.items()) == made, "{rel}");
        }
        let mut collected: Vec<Value> = Vec::new();
        let mut next = Some(on.path("?limit=1000"));
        while let Some(path) = next {
            let page = on.client.get(&path);
            collected.extend(page.items());
            next = page.next_page();
        }
        assert!(keys(&collected) == made);
    }

    fn large_values_are_listed_whole(on: &OnKeyval) {
        let value = json!("x".repeat((1 << 20) - 2));
        for number in 0..20 {
            assert_eq!(on.put(&format!("/u/t/k{number:02}"), &value).status(), 200);
        }
        let listed = on.list();
        assert!(listed.len() == 20 && listed.iter().all(|entry| entry["value"] == value));
        // A page ends early, so that it fits into memory.
        let page = on.get("?limit=1000");
        assert!(page.items().len() < 20 && page.next_page().is_some());
        let next = page.next_page().unwrap();
        let rest = on.client.get(&next).items();
        assert_eq!(page.items().len() + rest.len(), 20);
        assert_eq!(on.delete("/u").ok(), json!({"deleted": 20}));
    }

    fn a_large_delete_takes_all_and_lets_others_write(on: &OnKeyval) {
        for by_body in [true, false] {
            let _ = make_many(on);
            let is_done = AtomicBool::new(false);
            let written = thread::scope(|scope| {
                let writer = scope.spawn(|| {
                    let mut written = 0;
                    while !is_done.load(Ordering::SeqCst) {
                        let _ = on.store(("v", "t", &format!("k{written}")), &json!(written));
                        written += 1;
                    }
                    written
                });
                let deleted = if by_body {
                    on.bulk_delete(&json!({"userId": "u", "keyPrefix": "k"}))
                } else {
                    on.delete("/u?type=t")
                };
                is_done.store(true, Ordering::SeqCst);
                assert_eq!(deleted.ok(), json!({"deleted": MANY}));
                writer.join().expect("every write succeeds")
            });
            assert_eq!(on.get("/u").items().len(), 0);
            assert_eq!(on.get("/v").items().len(), written);
            let _ = on.delete("/v").ok();
        }
    }

    fn a_large_delete_passes_over_what_it_keeps(on: &OnKeyval) {
        let made = make_many(on);
        on.record(made.iter().map(|_| ("u", "t", "!one")).take(1));
        let permanent: Vec<_> = made.iter().map(|key| format!("!{key}")).collect();
        on.record(permanent.iter().map(|key| ("u", "t", key.as_str())));
        assert_eq!(on.bulk_delete(&json!({"userId": "u"})).ok(), json!({"deleted": MANY}));
        let listed = on.get("?limit=1000").items();
        assert!(listed.len() == 1_000 && listed.iter().all(|entry| entry["permanent"] == true));
        let all = on.delete("/u?keepPermanent=false").ok();
        assert_eq!(all, json!({"deleted": MANY + 1}));
        on.get(&rel(("u", "t", "!one"))).problem(404, "keyval_entry_not_found");
    }
}
