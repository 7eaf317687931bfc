//! Many callers who want the same.

use botyard_tests::at_once;
use serde_json::{Value, json};

use super::{each_level, rel};

const CALLERS: usize = 40;

each_level! {
    fn writes_of_one_entry_are_all_done_and_one_stays(on: &OnKeyval) {
        let here = rel(("u", "t", "k"));
        for round in 0..3 {
            let answers = at_once(CALLERS, |number| {
                let value = json!({"round": round, "number": number});
                let answer = on.put(&here, &value).ok();
                assert_eq!(answer["value"], value);
                answer
            });
            // There was one entry all the time.
            for answer in &answers {
                assert_eq!(answer["_id"], answers[0]["_id"]);
                assert_eq!(answer["createdAt"], answers[0]["createdAt"]);
            }
            let listed = on.list();
            assert_eq!(listed.len(), 1);
            let values: Vec<&Value> = answers.iter().map(|answer| &answer["value"]).collect();
            assert!(values.contains(&&listed[0]["value"]), "{listed:?}");
        }
        // A write that begins when all others were acknowledged is the one that stays.
        let _ = on.put(&here, &json!("last")).ok();
        assert_eq!(on.get(&here).ok()["value"], json!("last"));
    }

    fn writes_and_deletes_of_one_entry_do_not_fail(on: &OnKeyval) {
        let here = rel(("u", "t", "k"));
        let _ = at_once(CALLERS, |number| match number % 4 {
            0 => assert_eq!(on.put(&here, &json!(number)).ok()["value"], json!(number)),
            1 => {
                let answer = on.delete(&here);
                assert!(matches!(answer.status(), 200 | 404), "{answer}");
            }
            2 => assert!(on.delete("/u").ok()["deleted"].as_u64() <= Some(1)),
            _ => {
                let answer = on.get(&here);
                assert!(matches!(answer.status(), 200 | 404), "{answer}");
            }
        });
        assert!(on.list().len() <= 1);
    }

    fn writes_of_different_entries_are_all_done(on: &OnKeyval) {
        let _ = at_once(CALLERS, |number| on.store(("u", "t", &format!("k{number}")), &json!(number)));
        let listed = on.list();
        assert_eq!(listed.len(), CALLERS);
        let sum: u64 = listed.iter().filter_map(|entry| entry["value"].as_u64()).sum();
        assert_eq!(sum, (0..CALLERS as u64).sum::<u64>());
    }

    fn of_deletes_of_one_entry_one_is_done(on: &OnKeyval) {
        on.store_all([("u", "t", "k")]);
        let here = rel(("u", "t", "k"));
        let answers = at_once(20, |_| on.delete(&here));
        let done = answers.iter().filter(|answer| answer.status() == 200).count();
        for answer in answers.iter().filter(|answer| answer.status() != 200) {
            answer.problem(404, "keyval_entry_not_found");
        }
        assert_eq!(done, 1);
    }

    fn deletes_of_the_same_entries_count_each_of_them_once(on: &OnKeyval) {
        let keys: Vec<_> = (0..50).map(|number| format!("k{number}")).collect();
        on.store_all(keys.iter().map(|key| ("u", "t", key.as_str())));
        let counts = at_once(8, |number| match number % 2 {
            0 => on.bulk_delete(&json!({"keyPrefix": "k"})).ok()["deleted"].as_u64().unwrap(),
            _ => on.delete("/u").ok()["deleted"].as_u64().unwrap(),
        });
        assert_eq!(counts.iter().sum::<u64>(), 50);
        assert_eq!(on.list().len(), 0);
    }
}
