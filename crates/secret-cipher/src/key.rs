//! A key.

use std::fmt;

use domain::encryption::{CipherError, EncryptedSecret, EncryptionKeyId};
use domain::entropy::Entropy;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::digest::{Context, SHA256};
use zeroize::Zeroizing;

/// How many bytes a key has.
pub(crate) const KEY_BYTES: usize = 32;

/// From what the name of a key is derived, besides the key.
const NAME: &[u8] = b"botyard: the name of a key for secrets\0";

/// A key with which secrets are encrypted. What it makes is a nonce, the encrypted secret, and a tag.
pub(crate) struct Key {
    id: EncryptionKeyId,
    key: LessSafeKey,
}

impl Key {
    /// The key of these bytes; `None` if they are not as many as a key has.
    pub(crate) fn new(bytes: &[u8]) -> Option<Self> {
        let key = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, bytes).ok()?);
        let mut hash = Context::new(&SHA256);
        hash.update(NAME);
        hash.update(bytes);
        let id = EncryptionKeyId::from_bytes(*hash.finish().as_ref().first_chunk()?);
        Some(Self { id, key })
    }

    pub(crate) const fn id(&self) -> EncryptionKeyId {
        self.id
    }

    pub(crate) fn encrypt(
        &self,
        entropy: &dyn Entropy,
        secret: &[u8],
        bound_to: &str,
    ) -> Result<EncryptedSecret, CipherError> {
        let mut nonce = [0; NONCE_LEN];
        entropy.fill(&mut nonce);
        // With room for the tag, so that the secret is not moved and left behind.
        let mut bytes = Vec::with_capacity(secret.len() + AES_256_GCM.tag_len());
        bytes.extend_from_slice(secret);
        let (of_this, bound_to) = (Nonce::assume_unique_for_key(nonce), Aad::from(bound_to));
        self.key
            .seal_in_place_append_tag(of_this, bound_to, &mut bytes)
            .map_err(|_| CipherError::Keys("a secret is too long to be encrypted".to_owned()))?;
        Ok(EncryptedSecret::new(self.id, &[&nonce[..], &bytes].concat()))
    }

    pub(crate) fn decrypt(
        &self,
        ciphertext: &[u8],
        bound_to: &str,
    ) -> Result<Zeroizing<Vec<u8>>, CipherError> {
        let (nonce, sealed) = ciphertext.split_first_chunk().ok_or(CipherError::Altered)?;
        let mut bytes = Zeroizing::new(sealed.to_vec());
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = self.key.open_in_place(nonce, Aad::from(bound_to), &mut bytes);
        let length = opened.map_err(|_| CipherError::Altered)?.len();
        bytes.truncate(length);
        Ok(bytes)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.id)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::samples::SeededEntropy;

    fn key(byte: u8) -> Key {
        Key::new(&[byte; KEY_BYTES]).unwrap()
    }

    proptest! {
        #[test]
        fn what_was_encrypted_is_decrypted(secret: Vec<u8>, bound_to: String, seed: u64) {
            let encrypted = key(1).encrypt(&SeededEntropy::new(seed), &secret, &bound_to).unwrap();
            let decrypted = key(1).decrypt(encrypted.ciphertext(), &bound_to).unwrap();
            prop_assert_eq!(&*decrypted, &secret);
        }

        #[test]
        fn nothing_of_it_can_be_changed(
            secret in prop::collection::vec(any::<u8>(), 0..64),
            at: prop::sample::Index,
            bit in 0..8,
        ) {
            let encrypted = key(1).encrypt(&SeededEntropy::new(1), &secret, "a").unwrap();
            let mut changed = encrypted.ciphertext().to_vec();
            let at = at.index(changed.len());
            changed[at] ^= 1_u8 << bit;
            prop_assert_eq!(key(1).decrypt(&changed, "a"), Err(CipherError::Altered));
            let cut = &encrypted.ciphertext()[..at];
            prop_assert_eq!(key(1).decrypt(cut, "a"), Err(CipherError::Altered));
        }
    }

    #[test]
    fn a_secret_belongs_to_one_thing_and_one_key() {
        let entropy = SeededEntropy::new(1);
        let encrypted = key(1).encrypt(&entropy, b"whsec", "a").unwrap();
        assert_eq!(**key(1).decrypt(encrypted.ciphertext(), "a").unwrap(), *b"whsec");
        for (key, bound_to) in [(key(1), "b"), (key(1), ""), (key(2), "a")] {
            let refused = key.decrypt(encrypted.ciphertext(), bound_to);
            assert_eq!(refused, Err(CipherError::Altered), "{bound_to}");
        }
        let again = key(1).encrypt(&entropy, b"whsec", "a").unwrap();
        assert_ne!(again, encrypted);
    }

    #[test]
    fn the_name_of_a_key_is_always_the_same_and_shows_nothing_else() {
        let name = key(1).id().to_string();
        assert_eq!(name, "0d14746a6ff2b29c");
        assert_ne!(key(2).id(), key(1).id());
        assert_eq!(format!("{:?}", key(1)), format!("Key({name})"));
        for bytes in [&[1; KEY_BYTES - 1][..], &[1; KEY_BYTES + 1], &[]] {
            assert!(Key::new(bytes).is_none());
        }
    }
}
