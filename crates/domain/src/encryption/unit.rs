//! Encrypting and decrypting, as services do it.

use zeroize::Zeroizing;

use super::{CipherError, EncryptedSecret};
use crate::context::Context;
use crate::error::DomainError;
use crate::lock::Lock;
use crate::unit::Unit;

impl<S> Unit<'_, S> {
    /// Encrypts a secret that this unit stores, with the key that the installation names. Until the unit ends, the
    /// installation names no other. To be run in [`Context::with_encryption_keys`].
    pub(crate) fn encrypt(
        &mut self,
        secret: &[u8],
        bound_to: &str,
    ) -> Result<EncryptedSecret, DomainError> {
        let key = self.tx.encryption_key(Lock::Shared)?.ok_or(CipherError::NoKey)?;
        Ok(self.context.cipher.encrypt(key, secret, bound_to)?)
    }
}

impl Context {
    /// Decrypts a secret that was read.
    pub(crate) async fn decrypt(
        &self,
        encrypted: &EncryptedSecret,
        bound_to: &str,
    ) -> Result<Zeroizing<Vec<u8>>, DomainError> {
        self.with_encryption_keys(|| async { Ok(self.cipher.decrypt(encrypted, bound_to)?) }).await
    }

    /// Does work that encrypts or decrypts; a second time, with the keys that were added meanwhile, if it needs one
    /// that was not known.
    pub(crate) async fn with_encryption_keys<T, F>(
        &self,
        work: impl Fn() -> F + Send + Sync,
    ) -> Result<T, DomainError>
    where
        F: Future<Output = Result<T, DomainError>> + Send,
    {
        let done = work().await;
        if !matches!(done, Err(DomainError::Cipher(CipherError::UnknownKey(_)))) {
            return done;
        }
        self.cipher.reload().await?;
        work().await
    }
}
