//! Lists in pages: `limit`, `cursor` and `Link`.

use serde_json::{Value, json};

use super::{Address, OnKeyval, addresses, each_level, encoded, rel};

/// The items of all pages, and how many there were on each.
#[track_caller]
fn collect_pages(on: &OnKeyval<'_>, first: &str) -> (Vec<Value>, Vec<usize>) {
    let (mut all, mut sizes, mut next) = (Vec::new(), Vec::new(), Some(on.path(first)));
    while let Some(path) = next {
        let page = on.client.get(&path);
        let items = page.items();
        sizes.push(items.len());
        all.extend(items);
        assert!(sizes.len() < 100, "the list does not end");
        next = page.next_page();
    }
    (all, sizes)
}

/// Entries with odd characters at every place.
const ODD: [Address<'_>; 8] = [
    ("\u{1}", "\u{10ffff}", "\t"),
    (" ", "+", "%2F"),
    ("/", "?", "#"),
    ("a", "b", "&limit=1"),
    ("a", "b", "=;"),
    ("ä", "𝄞", "\u{feff}"),
    ("ä", "𝄞", "\u{feff}\u{feff}"),
    ("𝄞", "..", "."),
];

each_level! {
    fn pages_together_are_the_whole_list(on: &OnKeyval) {
        on.store_all(ODD);
        let whole = on.list();
        assert_eq!(addresses(&whole), ODD);
        for (limit, expected) in [
            (1, vec![1; 8]),
            (3, vec![3, 3, 2]),
            (7, vec![7, 1]),
            // A page that holds the last one has no next.
            (8, vec![8]),
            (9, vec![8]),
            (1_000, vec![8]),
        ] {
            assert_eq!(collect_pages(on, &format!("?limit={limit}")), (whole.clone(), expected));
        }
    }

    fn pages_keep_to_their_filters(on: &OnKeyval) {
        let keys = ["k%a", "k%b", "k%c", "k_a", "l"];
        on.store_all(keys.map(|key| ("u &", "t=", key)));
        on.store_all(keys.map(|key| ("v", "t=", key)));
        on.store_all(keys.map(|key| ("u &", "s", key)));
        for first in [
            format!("?userId={}&type=t%3D&keyPrefix=k%25&limit=1", encoded("u &")),
            format!("/{}?limit=1&keyPrefix=k%25&type=t=", encoded("u &")),
        ] {
            let (collected, sizes) = collect_pages(on, &first);
            let expected = [("u &", "t=", "k%a"), ("u &", "t=", "k%b"), ("u &", "t=", "k%c")];
            assert_eq!((addresses(&collected), sizes), (expected.to_vec(), vec![1; 3]), "{first}");
        }
        let (collected, sizes) = collect_pages(on, "?limit=2&key=l");
        assert_eq!((collected.len(), sizes), (3, vec![2, 1]));
        let next = on.get("?limit=2&key=l").next_page().unwrap();
        assert!(next.starts_with(&on.path("?limit=2&key=l&cursor=")), "{next}");
    }

    fn the_longest_address_has_a_cursor_that_fits(on: &OnKeyval) {
        let (word, prefix) = ("𝄞".repeat(64), "\u{1}".repeat(1_023));
        let keys = ["a", "b"].map(|end| format!("{prefix}{end}"));
        on.store_all(keys.iter().map(|key| (&*word, &*word, &**key)));
        let filters = format!("limit=1&type={}&keyPrefix={}", encoded(&word), encoded(&prefix));
        for first in [
            format!("?userId={}&{filters}", encoded(&word)),
            format!("/{}?{filters}", encoded(&word)),
        ] {
            let (collected, sizes) = collect_pages(on, &first);
            assert_eq!((collected.len(), sizes), (2, vec![1, 1]));
        }
    }

    fn a_cursor_without_a_limit_gives_the_whole_rest(on: &OnKeyval) {
        on.store_all(ODD);
        let next = on.get("?limit=3").next_page().unwrap();
        let rest = on.client.get(&next.replace("limit=3&", ""));
        assert_eq!((addresses(&rest.items()), rest.next_page()), (ODD[3..].to_vec(), None));
    }

    fn paging_goes_on_when_entries_come_and_go(on: &OnKeyval) {
        on.store_all(["a", "b", "c", "d", "e"].map(|key| ("u", "t", key)));
        let next = on.get("?limit=2").next_page().unwrap();
        for gone in ["b", "c"] {
            let _ = on.delete(&rel(("u", "t", gone))).ok();
        }
        on.store_all([("u", "t", "a1"), ("u", "t", "d1"), ("v", "t", "a")]);
        let rest = on.client.get(&next.replace("limit=2", "limit=1000")).items();
        let expected = [("u", "t", "d"), ("u", "t", "d1"), ("u", "t", "e"), ("v", "t", "a")];
        assert_eq!(addresses(&rest), expected);
    }

    fn a_cursor_is_a_place_and_no_more(on: &OnKeyval) {
        on.store_all([("b", "t", "k"), ("c", "t", "k")]);
        let next = on.get("?limit=1").next_page().unwrap();
        let cursor = next.split_once("cursor=").unwrap().1.to_owned();
        // On another list, it is the same place.
        let other = OnKeyval::new(on.tenant.app(), on.scheme);
        other.store_all([("a", "t", "k"), ("b", "t", "l")]);
        let rest = other.get(&format!("?cursor={cursor}")).items();
        assert_eq!(addresses(&rest), [("b", "t", "l")]);
        assert_eq!(addresses(&on.get(&format!("/c?cursor={cursor}")).items()), [("c", "t", "k")]);
        assert_eq!(on.get(&format!("/b?cursor={cursor}")).items(), Vec::<Value>::new());
    }

    fn a_cursor_that_was_never_given_is_refused(on: &OnKeyval) {
        let _ = on.store(("u", "t", "k"), &json!(1));
        for cursor in [
            "", "x", "%00", "u", "dQ", "dQB0", "dQB0AA", "AHQAaw", "dQB0AGs%3D", "dQB0AGsA",
            "dQB0AP8", "%2F%2F%2F", "dQB0 AGs", "null", "[]", crate::skills::NEVER,
        ] {
            let cursor = cursor.replace(' ', "%20");
            for rel in ["", "/u"] {
                let answer = on.get(&format!("{rel}?cursor={cursor}"));
                answer.has_violations(&[("/cursor", "bad_query")]);
            }
        }
    }
}
