//! The port to the keys with which secrets are encrypted.

use async_trait::async_trait;
use zeroize::Zeroizing;

use super::{EncryptedSecret, EncryptionKeyId};

/// Why a secret was not encrypted or decrypted. No variant says anything of the secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CipherError {
    /// The services have no cipher, or the installation names no key yet.
    #[error("there is no key with which secrets are encrypted")]
    NoKey,
    /// The cipher does not know this key.
    #[error("the key {0} for secrets is not known")]
    UnknownKey(EncryptionKeyId),
    /// What is stored was changed, or belongs elsewhere.
    #[error("an encrypted secret was changed, or is not where it was stored")]
    Altered,
    /// The keys can't be read; the text is for the log.
    #[error("the keys for secrets can't be read: {0}")]
    Keys(String),
}

/// Encrypts secrets for the database.
///
/// # Contract
/// - Encrypting and decrypting are short computations, without I/O: a unit of work may do so.
/// - What was encrypted is authentic: it is decrypted unchanged, with the same `bound_to`, or not at all. The same secret
///   is encrypted differently each time.
/// - A key that was known once stays known, because a secret that was read before a rotation may be decrypted after it.
#[async_trait]
pub trait SecretCipher: Send + Sync {
    /// Encrypts a secret with this key. `bound_to` says to what it belongs, such as the identifier of a webhook; it
    /// can't be decrypted as that of something else.
    ///
    /// # Errors
    /// [`CipherError::UnknownKey`], [`CipherError::NoKey`]
    fn encrypt(
        &self,
        key: EncryptionKeyId,
        secret: &[u8],
        bound_to: &str,
    ) -> Result<EncryptedSecret, CipherError>;

    /// Decrypts a secret.
    ///
    /// # Errors
    /// [`CipherError::UnknownKey`], [`CipherError::NoKey`], [`CipherError::Altered`]
    fn decrypt(
        &self,
        encrypted: &EncryptedSecret,
        bound_to: &str,
    ) -> Result<Zeroizing<Vec<u8>>, CipherError>;

    /// Looks for keys that were added since the keys were last read.
    ///
    /// # Errors
    /// [`CipherError::Keys`]; those that were known stay.
    async fn reload(&self) -> Result<(), CipherError>;
}

/// No cipher: nothing can be encrypted, and so there is nothing to decrypt.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoCipher;

#[async_trait]
impl SecretCipher for NoCipher {
    fn encrypt(
        &self,
        _: EncryptionKeyId,
        _: &[u8],
        _: &str,
    ) -> Result<EncryptedSecret, CipherError> {
        Err(CipherError::NoKey)
    }

    fn decrypt(&self, _: &EncryptedSecret, _: &str) -> Result<Zeroizing<Vec<u8>>, CipherError> {
        Err(CipherError::NoKey)
    }

    async fn reload(&self) -> Result<(), CipherError> {
        Ok(())
    }
}
