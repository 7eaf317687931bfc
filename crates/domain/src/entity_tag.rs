//! Entity tags: which state of a thing a client has seen (RFC 9110, section 8.8.3).

use std::fmt;
use std::io::{self, BufWriter, Write};

use serde::Serialize;
use sha2::{Digest, Sha256};

/// How many bytes of the hash make a tag.
const BYTES: usize = 16;

/// Shorter pieces of what is hashed are put together to this many bytes. A thing may have megabytes, so it is not put
/// together as a whole.
const BUFFER: usize = 4 << 10;

/// The state of one thing as clients see it. It changes exactly when that does, whichever node, database or
/// scheme the thing is read by; when something was accessed last does not count. As text it is a strong
/// entity tag: 32 hexadecimal digits in quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EntityTag([u8; BYTES]);

/// Something that is read and changed as one, and so has an entity tag.
pub trait Tagged {
    /// The tag of the state that it is in.
    fn entity_tag(&self) -> EntityTag;
}

impl EntityTag {
    /// The tag of a thing of which clients see these values.
    pub(crate) fn of(seen: &impl Serialize) -> Self {
        // What is hashed consists of texts, numbers and lists, all of which can be written as JSON.
        let mut hash = BufWriter::with_capacity(BUFFER, Hash(Sha256::new()));
        let written = serde_json::to_writer(&mut hash, seen);
        debug_assert!(written.is_ok(), "{written:?}");
        let (Hash(mut hash), rest) = hash.into_parts();
        hash.update(rest.unwrap_or_default());
        Self::of_hash(hash.finalize())
    }

    /// The tag of a thing of which clients see these values as they are, or nothing in their places: without
    /// writing them as JSON, which takes longer than to hash them.
    pub(crate) fn of_bytes<const N: usize>(seen: [Option<&[u8]>; N]) -> Self {
        let mut hash = Sha256::new();
        for bytes in seen {
            // Behind their lengths, values can't run into each other.
            hash.update(bytes.map_or(0, |bytes| bytes.len() as u64 + 1).to_be_bytes());
            hash.update(bytes.unwrap_or_default());
        }
        Self::of_hash(hash.finalize())
    }

    fn of_hash(hash: impl IntoIterator<Item = u8>) -> Self {
        let mut tag = [0; BYTES];
        tag.iter_mut().zip(hash).for_each(|(byte, of_hash)| *byte = of_hash);
        Self(tag)
    }

    /// Reads what is written as text; `None` for every other text, which is the tag of nothing.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('"')?.strip_suffix('"')?;
        let is_written = |digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        if digits.len() != 2 * BYTES || !digits.bytes().all(is_written) {
            return None;
        }
        u128::from_str_radix(digits, 16).ok().map(|number| Self(number.to_be_bytes()))
    }
}

impl fmt::Display for EntityTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{:032x}\"", u128::from_be_bytes(self.0))
    }
}

/// A hash of what is written.
struct Hash(Sha256);

impl Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_that_of_all_values_and_their_places() {
        let tag = EntityTag::of(&("a", 1));
        assert_eq!(tag, EntityTag::of(&("a", 1)));
        for other in [("a", 2), ("b", 1), ("a1", 1)] {
            assert_ne!(tag, EntityTag::of(&other), "{other:?}");
        }
        assert_ne!(EntityTag::of(&(Some(1), None::<u8>)), EntityTag::of(&(None::<u8>, Some(1))));
    }

    #[test]
    fn values_as_they_are_do_not_run_into_each_other() {
        let of =
            |seen: [Option<&str>; 2]| EntityTag::of_bytes(seen.map(|text| text.map(str::as_bytes)));
        let tag = of([Some("ab"), Some("c")]);
        assert_eq!(tag, of([Some("ab"), Some("c")]));
        for other in [
            [Some("a"), Some("bc")],
            [Some("abc"), Some("")],
            [Some("abc"), None],
            [None, Some("abc")],
            [Some("ab"), Some("d")],
        ] {
            assert_ne!(tag, of(other), "{other:?}");
        }
    }

    #[test]
    fn a_tag_is_read_as_it_is_written() {
        let tag = EntityTag::of(&"");
        let text = tag.to_string();
        assert_eq!(text.len(), 34);
        assert_eq!(EntityTag::parse(&text), Some(tag));
        let bare = text.trim_matches('"');
        for other in [
            String::new(),
            "\"\"".to_owned(),
            bare.to_owned(),
            format!("W/{text}"),
            text.to_uppercase(),
            format!("\"+{}\"", bare.get(1..).unwrap()),
            format!("\"{bare}0\""),
        ] {
            assert_eq!(EntityTag::parse(&other), None, "{other}");
        }
    }
}
