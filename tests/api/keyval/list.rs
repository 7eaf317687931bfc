//! `GET …/keyval` and `GET …/keyval/{userId}`

use serde_json::{Value, json};

use super::{addresses, each_level, rel};

each_level! {
    fn nothing_is_an_empty_array(on: &OnKeyval) {
        for rel in ["", "/nobody", "?limit=1", "?userId=nobody", "/nobody?keyPrefix=x", "?", "?&"] {
            let answer = on.get(rel);
            assert_eq!((answer.text().as_str(), answer.next_page()), ("[]", None), "{rel}");
        }
    }

    fn entries_go_by_user_type_and_key_bytewise(on: &OnKeyval) {
        // By some languages' rules, each of these would stand elsewhere.
        let texts = ["A", "B", "Z", "_", "a", "aB", "aa", "a-b", "ab", "b", "ä", "ﬀ", "𝄞"];
        let all = texts.iter().flat_map(|one| {
            [(*one, "t", "k"), ("m", *one, "k"), ("m", "t", *one), (*one, *one, *one)]
        });
        let mut all: Vec<_> = all.collect();
        on.store_all(all.iter().rev().copied());
        all.sort_unstable();
        all.dedup();
        let listed = on.list();
        assert_eq!(addresses(&listed), all);
        let of_user: Vec<_> = all.into_iter().filter(|(user, ..)| *user == "m").collect();
        assert_eq!(addresses(&on.get("/m").items()), of_user);
    }

    fn a_list_shows_what_a_read_shows(on: &OnKeyval) {
        let here = [("u", "t", "a"), ("u", "t", "b"), ("v", "t", "a")];
        on.store_all(here);
        let read: Vec<Value> = here.into_iter().map(|address| on.get(&rel(address)).ok()).collect();
        assert_eq!(on.list(), read);
        assert_eq!(on.get("/u").items(), read[..2]);
        assert_eq!(on.get("?key=a").items(), [read[0].clone(), read[2].clone()]);
    }

    fn what_is_written_again_keeps_its_place(on: &OnKeyval) {
        on.store_all([("u", "t", "a"), ("u", "t", "b")]);
        let _ = on.store(("u", "t", "a"), &json!("again"));
        assert_eq!(addresses(&on.list()), [("u", "t", "a"), ("u", "t", "b")]);
    }

    fn head_says_what_get_would(on: &OnKeyval) {
        let _ = on.store(("u", "t", "k"), &json!(1));
        for (rel, status) in [
            ("", 200),
            ("/u", 200),
            ("/nobody", 200),
            ("/u/t/k", 200),
            ("/u/t/none", 404),
            ("?nope=1", 422),
            ("/u?keyPrefix=x&keyPrefix=y", 422),
        ] {
            let answer = on.client.head(&on.path(rel));
            assert_eq!((answer.status(), answer.bytes().len()), (status, 0), "{rel}");
        }
        assert_eq!(on.client.head(&on.path("/bulk-delete")).status(), 405);
    }
}
