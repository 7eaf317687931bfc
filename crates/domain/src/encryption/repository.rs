//! The repository of encryption.

use super::{EncryptedSecret, EncryptionKeyId};
use crate::access::Operator;
use crate::error::StorageError;
use crate::lock::Lock;

/// The key that the installation names.
pub trait EncryptionRepository {
    /// The key with which new secrets are encrypted, once a server has begun to use one; locked as `lock` says.
    fn encryption_key(&mut self, lock: Lock) -> Result<Option<EncryptionKeyId>, StorageError>;

    /// Names another key. The installation must be there.
    fn set_encryption_key(
        &mut self,
        operator: Operator,
        key: EncryptionKeyId,
    ) -> Result<(), StorageError>;
}

/// An encrypted secret in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSecret {
    /// To what it belongs, and what it is bound to. No two secrets have the same.
    pub bound_to: String,
    /// The secret.
    pub encrypted: EncryptedSecret,
}

/// All encrypted secrets of the database, whatever they belong to.
pub trait EncryptedSecretRepository {
    /// Secrets in the order of the bytes of `bound_to`, at most `limit`, after the one that is given.
    fn encrypted_secrets(
        &mut self,
        operator: Operator,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<StoredSecret>, StorageError>;

    /// Replaces a secret by the same one with another key, unless it has gone meanwhile.
    fn replace_encrypted_secret(
        &mut self,
        operator: Operator,
        secret: &StoredSecret,
    ) -> Result<(), StorageError>;
}
