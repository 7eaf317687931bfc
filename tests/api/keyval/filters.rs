//! Which entries a list and a delete mean: every combination of filters.

use serde_json::{Value, json};

use super::{Address, OnKeyval, addresses, each_level, encoded};

const USERS: [&str; 3] = ["u", "u1", "v"];
const TYPES: [&str; 2] = ["s", "t"];
const KEYS: [&str; 6] = ["a", "a%", "a_b", "ab", "a%b", "b"];
/// `%` and `_` are letters like others.
const PREFIXES: [&str; 9] = ["", "a", "a%", "a_", "ab", "%", "_", "abc", "b"];

/// Some entries of an owner, as a list or a delete names them.
#[derive(Debug, Clone, Copy, Default)]
struct Filter<'a> {
    user: Option<&'a str>,
    entry_type: Option<&'a str>,
    key: Option<&'a str>,
    prefix: Option<&'a str>,
}

impl Filter<'_> {
    fn matches(&self, (user, entry_type, key): &Address<'_>) -> bool {
        self.user.is_none_or(|wanted| wanted == *user)
            && self.entry_type.is_none_or(|wanted| wanted == *entry_type)
            && self.key.is_none_or(|wanted| wanted == *key)
            && self.prefix.is_none_or(|prefix| key.starts_with(prefix))
    }

    /// As a query; the userId stands in it only if the path does not name it.
    fn query(&self, with_user: bool) -> String {
        let user = self.user.filter(|_| with_user);
        let pairs = [
            ("userId", user),
            ("type", self.entry_type),
            ("key", self.key),
            ("keyPrefix", self.prefix),
        ];
        let pairs = pairs.iter().filter_map(|(name, value)| Some((name, (*value)?)));
        let pairs: Vec<_> =
            pairs.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        format!("?{}", pairs.join("&"))
    }

    /// As a body.
    fn body(&self) -> Value {
        let pairs = [("userId", self.user), ("type", self.entry_type), ("keyPrefix", self.prefix)];
        let pairs = pairs.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        pairs.map(|(name, value)| (name, json!(value))).collect()
    }
}

/// One of these, or nothing.
fn or_none<'a>(some: &'a [&'a str]) -> impl Iterator<Item = Option<&'a str>> + Clone {
    std::iter::once(None).chain(some.iter().copied().map(Some))
}

/// Every combination, with whichever of keys and prefixes.
fn every_filter() -> Vec<Filter<'static>> {
    let users = or_none(&["u", "u1", "nobody"]);
    let types = || or_none(&["t", "nothing"]);
    let base = users.flat_map(move |user| {
        types().map(move |entry_type| Filter { user, entry_type, ..Filter::default() })
    });
    base.flat_map(|base| {
        let keys = KEYS.into_iter().map(move |key| Filter { key: Some(key), ..base });
        let prefixes =
            PREFIXES.into_iter().map(move |prefix| Filter { prefix: Some(prefix), ..base });
        std::iter::once(base).chain(keys).chain(prefixes)
    })
    .collect()
}

/// Every address that there is, in the order of lists.
fn everything() -> Vec<Address<'static>> {
    let all = USERS.into_iter().flat_map(|user| {
        TYPES.into_iter().flat_map(move |kind| KEYS.into_iter().map(move |key| (user, kind, key)))
    });
    let mut all: Vec<_> = all.collect();
    all.sort_unstable();
    all
}

/// What of it a filter means, and what not.
fn parted(filter: &Filter<'_>) -> (Vec<Address<'static>>, Vec<Address<'static>>) {
    everything().into_iter().partition(|address| filter.matches(address))
}

/// Filters that a delete can have, each of another kind.
fn some_filters() -> [Filter<'static>; 9] {
    let none = Filter::default();
    let (user, entry_type) = (Some("u"), Some("t"));
    [
        Filter { user, ..none },
        Filter { entry_type, ..none },
        Filter { prefix: Some("a_"), ..none },
        Filter { prefix: Some("a%"), entry_type, ..none },
        Filter { user, entry_type, ..none },
        Filter { user, prefix: Some("a"), ..none },
        Filter { user, entry_type, prefix: Some("%"), ..none },
        Filter { user, entry_type, prefix: Some("ab"), ..none },
        Filter { user: Some("nobody"), prefix: Some(""), ..none },
    ]
}

/// Stores what is not there, deletes, and looks at what is left.
#[track_caller]
fn deletes(on: &OnKeyval<'_>, filter: &Filter<'_>, delete: impl FnOnce() -> Value) {
    let (meant, left) = parted(filter);
    on.store_all(everything());
    assert_eq!(delete(), json!({"deleted": meant.len()}), "{filter:?}");
    assert_eq!(addresses(&on.list()), left, "{filter:?}");
}

each_level! {
    fn every_combination_of_filters_lists_what_it_means(on: &OnKeyval) {
        on.store_all(everything());
        for filter in every_filter() {
            let query = filter.query(true);
            let (meant, _) = parted(&filter);
            assert_eq!(addresses(&on.get(&query).items()), meant, "{query}");
        }
    }

    fn every_combination_of_filters_lists_what_it_means_of_a_user(on: &OnKeyval) {
        on.store_all(everything());
        for filter in every_filter() {
            // A key alone is no filter there.
            let (Some(user), None) = (filter.user, filter.key) else { continue };
            let rel = format!("/{user}{}", filter.query(false));
            let (meant, _) = parted(&filter);
            assert_eq!(addresses(&on.get(&rel).items()), meant, "{rel}");
        }
    }

    fn a_bulk_delete_takes_what_its_filter_means(on: &OnKeyval) {
        for filter in some_filters() {
            deletes(on, &filter, || on.bulk_delete(&filter.body()).ok());
        }
        let all = Filter { prefix: Some(""), ..Filter::default() };
        deletes(on, &all, || on.bulk_delete(&all.body()).ok());
    }

    fn a_delete_of_a_user_takes_what_its_filter_means(on: &OnKeyval) {
        for filter in some_filters() {
            let Some(user) = filter.user else { continue };
            let rel = format!("/{user}{}", filter.query(false));
            deletes(on, &filter, || on.delete(&rel).ok());
        }
    }

    fn prefixes_go_by_whole_characters(on: &OnKeyval) {
        let keys = ["a\u{d7ff}", "a\u{e000}", "a\u{10ffff}", "a\u{10ffff}b", "b", "\u{10ffff}x", "ä"];
        on.store_all(keys.map(|key| ("u", "t", key)));
        for (prefix, expected) in [
            ("a\u{d7ff}", &["a\u{d7ff}"][..]),
            ("a\u{e000}", &["a\u{e000}"]),
            ("a\u{10ffff}", &["a\u{10ffff}", "a\u{10ffff}b"]),
            ("\u{10ffff}", &["\u{10ffff}x"]),
            ("\u{10ffff}\u{10ffff}", &[]),
            ("ä", &["ä"]),
            ("a\u{308}", &[]),
        ] {
            for rel in ["", "/u"] {
                let listed = on.get(&format!("{rel}?keyPrefix={}", encoded(prefix))).items();
                let keys: Vec<_> = addresses(&listed).iter().map(|(.., key)| *key).collect();
                assert_eq!(keys, expected, "{prefix:?}");
            }
        }
        assert_eq!(on.bulk_delete(&json!({"keyPrefix": "a\u{10ffff}"})).ok()["deleted"], 2);
        assert_eq!(on.list().len(), 5);
    }
}
