//! The port [`SecretCipher`](domain::encryption::SecretCipher) with keys that are in a file: AES-256-GCM, with a random
//! nonce for each secret.
//!
//! `key.rs` encrypts and decrypts with one key, `text.rs` says how keys are written, `file.rs` reads the file and makes
//! it, `rotation.rs` replaces its keys, and `cipher.rs` has the keys in memory. Which of the keys encrypts is not
//! decided here: the installation names it.

mod cipher;
mod error;
mod file;
mod key;
mod rotation;
#[cfg(test)]
mod samples;
mod text;

pub use cipher::FileCipher;
pub use error::{KeyFileError, LineError};
pub use file::{KeyFile, Keys};
pub use rotation::Rotation;
