//! Which entries a list or a delete means, as the query says it.

use domain::keyval::{EntryAddress, EntryFilter, KEY_MAX, KeyFilter, WORD_MAX, violation_of};

use crate::pipeline::query::{Query, QueryParams};
use crate::reply::{Cursor, Paging, join_texts, split_texts};

/// Entries of all users.
pub(super) struct ListAll {
    pub(super) filter: EntryFilter,
    pub(super) paging: Paging<EntryAddress>,
}

impl Query for ListAll {
    fn read(params: &mut QueryParams) -> Self {
        let user_id = text(params, "userId", (1, WORD_MAX), "Only entries of this userId.");
        let entry_type = entry_type(params);
        let key = text(params, "key", (1, KEY_MAX), "Only entries with this key.");
        let prefix = key_prefix(params);
        if key.is_some() && prefix.is_some() {
            params.violation("keyPrefix", "can't be given together with `key`");
        }
        let key = match (key, prefix) {
            (Some(key), _) => KeyFilter::Is(key),
            (None, Some(prefix)) => KeyFilter::prefix(prefix),
            (None, None) => KeyFilter::Any,
        };
        let filter = EntryFilter { user_id, entry_type, key };
        Self { filter, paging: Paging::read(params) }
    }
}

/// Some entries of the user that the path names.
pub(super) struct Keys {
    entry_type: Option<String>,
    key: KeyFilter,
}

impl Keys {
    /// Those of this user.
    pub(super) fn of_user(self, user_id: String) -> EntryFilter {
        EntryFilter { user_id: Some(user_id), entry_type: self.entry_type, key: self.key }
    }
}

impl Query for Keys {
    fn read(params: &mut QueryParams) -> Self {
        let entry_type = entry_type(params);
        let key = key_prefix(params).map_or(KeyFilter::Any, KeyFilter::prefix);
        Self { entry_type, key }
    }
}

/// Entries of one user.
pub(super) struct ListOfUser {
    pub(super) keys: Keys,
    pub(super) paging: Paging<EntryAddress>,
}

impl Query for ListOfUser {
    fn read(params: &mut QueryParams) -> Self {
        Self { keys: Keys::read(params), paging: Paging::read(params) }
    }
}

/// Entries of one user that shall go.
pub(super) struct DeleteOfUser {
    pub(super) keys: Keys,
    pub(super) keep_permanent: bool,
}

impl Query for DeleteOfUser {
    fn read(params: &mut QueryParams) -> Self {
        let keys = Keys::read(params);
        let KeepPermanent(keep_permanent) = KeepPermanent::read(params);
        Self { keys, keep_permanent }
    }
}

/// Whether permanent entries stay, which they do unless the query says otherwise.
pub(super) struct KeepPermanent(pub(super) bool);

impl KeepPermanent {
    const NAME: &'static str = "keepPermanent";

    /// Whether they stay by a query that was not checked yet: anything but `false` keeps them.
    pub(super) fn is_said_by(query: &QueryParams) -> bool {
        query.peek(Self::NAME) != Some("false")
    }
}

impl Query for KeepPermanent {
    fn read(params: &mut QueryParams) -> Self {
        let description =
            "Whether entries with a key that begins with `!` are kept; true by default.";
        Self(params.boolean(Self::NAME, description).unwrap_or(true))
    }
}

fn entry_type(params: &mut QueryParams) -> Option<String> {
    text(params, "type", (1, WORD_MAX), "Only entries of this type.")
}

fn key_prefix(params: &mut QueryParams) -> Option<String> {
    let description = "Only entries with a key that begins so; all keys do if it is empty.";
    text(params, "keyPrefix", (0, KEY_MAX), description)
}

/// A text of so many bytes.
fn text(
    params: &mut QueryParams,
    name: &'static str,
    (min, max): (usize, usize),
    description: &'static str,
) -> Option<String> {
    let text = params.bytes(name, (min, max), description)?;
    let is_checked = min > 0 || !text.is_empty();
    if let Some((_, what)) = violation_of(&text, max).filter(|_| is_checked) {
        params.violation(name, &what);
    }
    Some(text)
}

impl Cursor for EntryAddress {
    fn encode(&self) -> String {
        join_texts([&self.user_id, &self.entry_type, &self.key])
    }

    fn decode(text: &str) -> Option<Self> {
        let [user_id, entry_type, key] = split_texts(text)?;
        let address = Self { user_id, entry_type, key };
        address.violations().is_empty().then_some(address)
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use super::*;

    fn read<Q: Query>(query: &str) -> (Q, Vec<String>) {
        let mut params = QueryParams::of(query);
        let read = Q::read(&mut params);
        (read, params.finish().iter().map(|violation| violation.message.clone()).collect())
    }

    #[test]
    fn a_cursor_is_the_address_and_nothing_else() {
        let address = |user_id: &str, entry_type: &str, key: &str| EntryAddress {
            user_id: user_id.into(),
            entry_type: entry_type.into(),
            key: key.into(),
        };
        let longest = address(&"ü".repeat(128), &"t".repeat(256), &"\u{1}".repeat(1_024));
        for address in [address("u", "t", "k"), address("/ %", "+?#", "..\u{10ffff}"), longest] {
            let text = address.encode();
            assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)));
            assert!(text.len() <= 2_051);
            assert_eq!(EntryAddress::decode(&text), Some(address));
        }
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        for text in [
            String::new(),
            "x".to_owned(),
            "dQB0AGs=".to_owned(),
            encode(b"u\0t"),
            encode(b"u\0t\0"),
            encode(b"\0t\0k"),
            encode(b"u\0\0k"),
            encode(b"u\0t\0k\0"),
            encode(b"u\0t\0\xff"),
            encode(format!("u\0t\0{}", "k".repeat(1_025)).as_bytes()),
        ] {
            assert_eq!(EntryAddress::decode(&text), None, "{text}");
        }
    }

    #[test]
    fn filters_are_read_as_they_are_meant() {
        let some = |text: &str| Some(text.to_owned());
        for (query, expected) in [
            ("", EntryFilter::default()),
            ("keyPrefix=", EntryFilter::default()),
            (
                "userId=u%2F&type=+t&key=%25",
                EntryFilter {
                    user_id: some("u/"),
                    entry_type: some(" t"),
                    key: KeyFilter::Is("%".into()),
                },
            ),
            (
                "keyPrefix=k_%25",
                EntryFilter { key: KeyFilter::Prefix("k_%".into()), ..EntryFilter::default() },
            ),
        ] {
            let (ListAll { filter, .. }, violations) = read(query);
            assert_eq!((filter, violations.len()), (expected, 0), "{query}");
        }
    }

    #[test]
    fn filters_that_say_nothing_or_too_much_are_refused() {
        let long = "x".repeat(1_025);
        for (query, count) in [
            ("userId=&type=&key=".to_owned(), 3),
            ("key=a&keyPrefix=b".to_owned(), 1),
            ("key=a&keyPrefix=".to_owned(), 1),
            (format!("userId={long}&type={long}&key={long}"), 3),
            (format!("keyPrefix={long}"), 1),
            (format!("userId={}", "ü".repeat(129)), 1),
            ("keepPermanent=true".to_owned(), 1),
        ] {
            assert_eq!(read::<ListAll>(&query).1.len(), count, "{query}");
        }
        for query in ["keepPermanent=", "keepPermanent=0", "keepPermanent=FALSE", "key=x"] {
            assert_eq!(read::<DeleteOfUser>(query).1.len(), 1, "{query}");
        }
        let (DeleteOfUser { keep_permanent, .. }, violations) = read("keepPermanent=false");
        assert_eq!((keep_permanent, violations.len()), (false, 0));
        assert!(read::<DeleteOfUser>("").0.keep_permanent);
    }
}
