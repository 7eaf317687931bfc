//! Hashing of what comes bit by bit.

use sha2::Digest as _;

use super::Sha256;

/// A SHA-256 of which not all bytes are there yet.
#[derive(Debug, Clone, Default)]
pub struct Sha256Hasher(sha2::Sha256);

impl Sha256Hasher {
    /// Goes on with these bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The hash of all bytes.
    #[must_use]
    pub fn finish(self) -> Sha256 {
        Sha256::from_bytes(self.0.finalize().into())
    }
}

impl Sha256 {
    /// The hash of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = Sha256Hasher::default();
        hasher.update(bytes);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_have_one_hash_however_they_come() {
        let whole = Sha256::of(b"abc");
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(whole.to_string(), expected);
        let mut hasher = Sha256Hasher::default();
        hasher.update(b"a");
        hasher.update(b"bc");
        assert_eq!(hasher.finish(), whole);
    }
}
