//! A secret as it is stored.

use std::fmt;

use super::EncryptionKeyId;

/// A secret that was encrypted: the name of the key, and then what only the cipher can read.
#[derive(Clone, PartialEq, Eq)]
pub struct EncryptedSecret {
    key: EncryptionKeyId,
    bytes: Vec<u8>,
}

impl EncryptedSecret {
    /// What a cipher made with this key.
    #[must_use]
    pub fn new(key: EncryptionKeyId, ciphertext: &[u8]) -> Self {
        Self { key, bytes: [key.as_bytes(), ciphertext].concat() }
    }

    /// Reads stored bytes; `None` if they are too few to name a key.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Option<Self> {
        let key = EncryptionKeyId::from_bytes(*bytes.first_chunk()?);
        Some(Self { key, bytes })
    }

    /// The bytes to be stored.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The key with which it was encrypted.
    #[must_use]
    pub const fn key(&self) -> EncryptionKeyId {
        self.key
    }

    /// What the cipher made.
    #[must_use]
    pub fn ciphertext(&self) -> &[u8] {
        self.bytes.get(self.key.as_bytes().len()..).unwrap_or_default()
    }
}

impl fmt::Debug for EncryptedSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EncryptedSecret(with key {}, {} bytes)", self.key, self.bytes.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_bytes_name_the_key() {
        let key = EncryptionKeyId::from_bytes([7; 8]);
        let secret = EncryptedSecret::new(key, b"abc");
        assert_eq!(secret.as_bytes(), [&[7; 8][..], b"abc"].concat());
        let read = EncryptedSecret::from_bytes(secret.as_bytes().to_vec()).unwrap();
        assert_eq!((&read, read.key(), read.ciphertext()), (&secret, key, &b"abc"[..]));
        assert_eq!(EncryptedSecret::from_bytes(vec![7; 7]), None);
        assert_eq!(EncryptedSecret::from_bytes(vec![7; 8]).unwrap().ciphertext(), b"");
    }
}
