//! Which key the installation encrypts with.

use std::sync::Arc;

use super::EncryptionKeyId;
use super::rotation::reencrypt_all;
use crate::access::Operator;
use crate::audit::AuditedResource;
use crate::context::Context;
use crate::error::DomainError;
use crate::lock::Lock;

/// The key with which secrets are encrypted.
#[derive(Clone)]
pub struct EncryptionService {
    context: Arc<Context>,
}

/// What a rotation did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotated {
    /// The key that the installation named before, if it named one.
    pub from: Option<EncryptionKeyId>,
    /// The key that it names now.
    pub to: EncryptionKeyId,
    /// How many secrets were encrypted with it.
    pub secrets: u64,
}

impl EncryptionService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// The key that the installation names, if there is an installation and it names one.
    pub async fn key(&self, _: Operator) -> Result<Option<EncryptionKeyId>, DomainError> {
        self.context.read(None, |unit| Ok(unit.tx.encryption_key(Lock::None)?)).await
    }

    /// The key that the installation names; if it names none, it names this one from now on. The installation must be
    /// there.
    pub async fn get_or_set_key(
        &self,
        operator: Operator,
        key: EncryptionKeyId,
    ) -> Result<EncryptionKeyId, DomainError> {
        self.context
            .write(None, move |unit| {
                if let Some(named) = unit.tx.encryption_key(Lock::Exclusive)? {
                    return Ok(named);
                }
                unit.tx.set_encryption_key(operator, key)?;
                Ok(key)
            })
            .await
    }

    /// Encrypts all secrets with this key, and has the installation name it, both in one unit of work. The installation
    /// must be there.
    ///
    /// # Errors
    /// [`DomainError::Cipher`] if the cipher does not know one of the keys with which secrets are encrypted; then
    /// nothing has changed. If keys are `lost`, such a secret is replaced by another one, which nobody knows.
    pub async fn rotate(
        &self,
        operator: Operator,
        key: EncryptionKeyId,
        lost: bool,
    ) -> Result<Rotated, DomainError> {
        self.context.cipher.reload().await?;
        self.context
            .write(None, move |unit| {
                let from = unit.tx.encryption_key(Lock::Exclusive)?;
                let (cipher, entropy) = (&*unit.context.cipher, &*unit.context.entropy);
                let random = lost.then_some(entropy);
                let secrets = reencrypt_all(unit.tx, operator, cipher, key, random)?;
                unit.tx.set_encryption_key(operator, key)?;
                unit.audit(AuditedResource::Key, key)?;
                Ok(Rotated { from, to: key, secrets })
            })
            .await
    }
}
