//! Which entries a list or a delete means.

use super::{EntryAddress, KEY_MAX, WORD_MAX, violation_of};
use crate::violation::Violations;

/// Some entries of an owner: those to which all parts apply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EntryFilter {
    /// Only those of this userId.
    pub user_id: Option<String>,
    /// Only those of this type.
    pub entry_type: Option<String>,
    /// Only those with such a key.
    pub key: KeyFilter,
}

/// Which keys a filter means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum KeyFilter {
    /// Every key.
    #[default]
    Any,
    /// This key.
    Is(String),
    /// Keys that begin so.
    Prefix(String),
}

impl KeyFilter {
    /// Keys with this prefix, which all keys have if it is empty.
    #[must_use]
    pub fn prefix(prefix: String) -> Self {
        if prefix.is_empty() { Self::Any } else { Self::Prefix(prefix) }
    }

    /// Whether it means this key.
    #[must_use]
    pub fn matches(&self, key: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Is(same) => key == same,
            Self::Prefix(prefix) => key.starts_with(prefix.as_str()),
        }
    }
}

impl EntryFilter {
    /// Whether it means the entry at this address.
    #[must_use]
    pub fn matches(&self, address: &EntryAddress) -> bool {
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == found)
        };
        is(&self.user_id, &address.user_id)
            && is(&self.entry_type, &address.entry_type)
            && self.key.matches(&address.key)
    }

    /// What is wrong with its parts, by the names that they have in a query: none of them can be a
    /// part of an entry's address.
    #[must_use]
    pub fn violations(&self) -> Violations {
        let (key, key_prefix) = match &self.key {
            KeyFilter::Any => (None, None),
            KeyFilter::Is(key) => (Some(key), None),
            KeyFilter::Prefix(prefix) => (None, Some(prefix)),
        };
        let mut violations = Violations::none();
        for (name, text, max) in [
            ("userId", self.user_id.as_ref(), WORD_MAX),
            ("type", self.entry_type.as_ref(), WORD_MAX),
            ("key", key, KEY_MAX),
            ("keyPrefix", key_prefix, KEY_MAX),
        ] {
            if let Some((_, what)) = text.and_then(|text| violation_of(text, max)) {
                violations.query(name, format!("`{name}` {what}."));
            }
        }
        violations
    }
}

/// The first text, by the order of bytes, after all those that begin with `prefix`; `None` if no
/// text comes after them.
#[must_use]
pub fn after_prefix(prefix: &str) -> Option<String> {
    let mut text = prefix.to_owned();
    while let Some(last) = text.pop() {
        // The order of UTF-8 is that of code points, and the surrogates between are none.
        let next = (last..=char::MAX).nth(1);
        if let Some(next) = next {
            text.push(next);
            return Some(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_end_of_a_prefix() {
        for (prefix, expected) in [
            ("a", Some("b")),
            ("a%", Some("a&")),
            ("a_\u{10ffff}", Some("a`")),
            ("\u{d7ff}", Some("\u{e000}")),
            ("\u{7f}", Some("\u{80}")),
            ("\u{10ffff}", None),
            ("", None),
        ] {
            assert_eq!(after_prefix(prefix).as_deref(), expected, "{prefix:?}");
        }
    }

    proptest! {
        #[test]
        fn a_prefix_is_a_range(prefix in "\\PC{1,4}", key in "\\PC{0,6}") {
            for key in [key.clone(), format!("{prefix}{key}")] {
                let is_before_end = after_prefix(&prefix).is_none_or(|end| key < end);
                prop_assert_eq!(key.starts_with(&prefix), key >= prefix && is_before_end);
            }
        }
    }
}
