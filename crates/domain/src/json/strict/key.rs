//! A member's name.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};

use super::escape::{DecodedChar, DecodedChars};

/// A member's name as it stands in the text. Two are equal if they mean the same, so that `"a"`
/// equals `"\u0061"`; only where an escape occurs is anything decoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Key<'a>(&'a str);

impl<'a> Key<'a> {
    /// From what stands between the quotes, with its escapes known to be well-formed.
    pub(super) const fn new(raw: &'a str) -> Self {
        Self(raw)
    }

    /// The text between the quotes.
    pub(super) const fn raw(self) -> &'a str {
        self.0
    }

    /// Whether the text differs from its meaning.
    pub(super) fn is_escaped(self) -> bool {
        self.0.as_bytes().contains(&b'\\')
    }

    /// The decoded name. Half a surrogate pair becomes U+FFFD, because a `str` can't hold it.
    pub(super) fn name(self) -> Cow<'a, str> {
        if !self.is_escaped() {
            return Cow::Borrowed(self.0);
        }
        let chars = DecodedChars::of(self.0).map(|decoded| match decoded {
            DecodedChar::Char(char) => char,
            DecodedChar::Lone(_) => char::REPLACEMENT_CHARACTER,
        });
        Cow::Owned(chars.collect())
    }

    /// Whether it means this name.
    pub(super) fn is(self, name: &str) -> bool {
        DecodedChars::of(self.0).eq(name.chars().map(DecodedChar::Char))
    }
}

impl PartialEq for Key<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
            || ((self.is_escaped() || other.is_escaped())
                && DecodedChars::of(self.0).eq(DecodedChars::of(other.0)))
    }
}

impl Eq for Key<'_> {}

impl Hash for Key<'_> {
    /// Halves of surrogate pairs count for what they are, because a client that had them all
    /// taken for one another could write any number of names with one hash.
    fn hash<H: Hasher>(&self, state: &mut H) {
        if !self.is_escaped() {
            return self.0.as_bytes().hash(state);
        }
        let mut decoded = Vec::with_capacity(self.0.len());
        for one in DecodedChars::of(self.0) {
            match one {
                DecodedChar::Char(char) => {
                    decoded.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                }
                DecodedChar::Lone(half) => {
                    // No UTF-8 text holds this first byte.
                    decoded.push(0xff);
                    decoded.extend_from_slice(&half.to_be_bytes());
                }
            }
        }
        decoded.hash(state);
    }
}
