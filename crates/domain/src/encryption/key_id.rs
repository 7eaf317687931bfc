//! What a key is called.

use std::fmt;

/// How many bytes the name of a key has.
const BYTES: usize = 8;

/// What a key is called: a few bytes that are derived from it, and from which it can't be found. Its text is
/// hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EncryptionKeyId([u8; BYTES]);

impl EncryptionKeyId {
    /// The name in these bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; BYTES]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; BYTES] {
        &self.0
    }

    /// Reads its text; only the one form in which it is written.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let number = u64::from_str_radix(text, 16).ok()?;
        Some(Self(number.to_be_bytes())).filter(|id| id.to_string() == text)
    }
}

impl fmt::Display for EncryptionKeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

impl fmt::Debug for EncryptionKeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncryptionKeyId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_key_has_one_form() {
        let id = EncryptionKeyId::from_bytes([0, 1, 2, 3, 0xfc, 0xfd, 0xfe, 0xff]);
        assert_eq!(id.to_string(), "00010203fcfdfeff");
        assert_eq!(EncryptionKeyId::parse("00010203fcfdfeff"), Some(id));
        for other in [
            "",
            "10203fcfdfeff",
            "00010203FCFDFEFF",
            "+0010203fcfdfeff",
            "00010203fcfdfefg",
            "0000010203fcfdfeff",
        ] {
            assert_eq!(EncryptionKeyId::parse(other), None, "{other}");
        }
    }
}
