//! Secrets of tenants, as the database keeps them: encrypted with a key that is not in the database.
//!
//! The installation names the key with which new secrets are encrypted, so that all nodes use the same one. A service
//! encrypts in the unit of work that stores the secret (`Unit::encrypt` in `unit.rs`), which holds that name: a
//! [rotation](EncryptionService::rotate) comes before it or after it, but never between. It runs such a unit in
//! `Context::with_encryption_keys`, because another node may have brought a key in that this one has not read yet.

mod key_id;
mod port;
mod repository;
mod rotation;
mod secret;
mod service;
mod unit;

pub use key_id::EncryptionKeyId;
pub use port::{CipherError, NoCipher, SecretCipher};
pub use repository::{EncryptedSecretRepository, EncryptionRepository, StoredSecret};
pub use secret::EncryptedSecret;
pub use service::{EncryptionService, Rotated};
