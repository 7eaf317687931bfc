//! A cipher that hides nothing.

use std::collections::BTreeSet;

use async_trait::async_trait;
use zeroize::Zeroizing;

use crate::encryption::{CipherError, EncryptedSecret, EncryptionKeyId, SecretCipher};

/// A cipher whose keys are only names: what it makes shows the secret. For tests that look at what is encrypted with
/// which key, and bound to what.
#[derive(Debug, Default)]
pub struct TransparentCipher {
    known: BTreeSet<EncryptionKeyId>,
}

impl TransparentCipher {
    /// Knows these keys.
    pub fn with_keys(keys: impl IntoIterator<Item = EncryptionKeyId>) -> Self {
        Self { known: keys.into_iter().collect() }
    }

    fn check(&self, key: EncryptionKeyId) -> Result<(), CipherError> {
        if self.known.contains(&key) { Ok(()) } else { Err(CipherError::UnknownKey(key)) }
    }
}

#[async_trait]
impl SecretCipher for TransparentCipher {
    fn encrypt(
        &self,
        key: EncryptionKeyId,
        secret: &[u8],
        bound_to: &str,
    ) -> Result<EncryptedSecret, CipherError> {
        self.check(key)?;
        Ok(EncryptedSecret::new(key, &[bound_to.as_bytes(), b"\0", secret].concat()))
    }

    fn decrypt(
        &self,
        encrypted: &EncryptedSecret,
        bound_to: &str,
    ) -> Result<Zeroizing<Vec<u8>>, CipherError> {
        self.check(encrypted.key())?;
        let secret = encrypted.ciphertext().strip_prefix(bound_to.as_bytes());
        let secret = secret.and_then(|rest| rest.strip_prefix(b"\0"));
        Ok(Zeroizing::new(secret.ok_or(CipherError::Altered)?.to_vec()))
    }

    async fn reload(&self) -> Result<(), CipherError> {
        Ok(())
    }
}
