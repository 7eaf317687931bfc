//! That the key with which secrets in the database are encrypted is there.

use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use domain::Botyard;
use domain::encryption::EncryptionKeyId;
use secret_cipher::{KeyFile, KeyFileError};
use storage_diesel::system::SystemEntropy;

use crate::operator::OPERATOR;
use crate::settings::Settings;

/// The file of keys.
pub fn key_file(settings: &Settings) -> KeyFile {
    KeyFile::new(settings.secrets.key_file.clone(), Arc::new(SystemEntropy))
}

/// Finds the key that the installation names in the file of keys. An installation that names none yet, and has been
/// begun, names the first one in the file, which is made if it is missing.
///
/// # Errors
/// If the file can't be read or made, or does not have the key.
pub async fn confirm(botyard: &Botyard, settings: &Settings) -> Result<()> {
    let file = key_file(settings);
    let key = match botyard.encryption.key(OPERATOR).await? {
        Some(key) => key,
        None => {
            let keys = file.read_or_make().with_context(|| named(&file))?;
            let first = keys.ids().next().context(KeyFileError::NoKey)?;
            botyard.encryption.get_or_set_key(OPERATOR, first).await?
        }
    };
    require(&file, key)
}

/// Finds a key in the file of keys.
///
/// # Errors
/// If the file can't be read, or does not have the key.
pub fn require(file: &KeyFile, key: EncryptionKeyId) -> Result<()> {
    match fault(file, key).with_context(|| named(file))? {
        None => Ok(()),
        Some(fault) => bail!(
            "{}: {fault}; put the file in its place that this installation had, such as that of another node; if it is \
             lost, `botyard secrets rotate --lost` begins with another key, and all secrets that were encrypted with it are lost",
            named(file)
        ),
    }
}

/// Why a file is not that of this key, if it is not.
///
/// # Errors
/// If it can't be read.
pub fn fault(file: &KeyFile, key: EncryptionKeyId) -> Result<Option<String>, KeyFileError> {
    match file.read() {
        Ok(keys) if keys.contains(key) => Ok(None),
        Ok(_) => Ok(Some(format!(
            "the key {key} is not in it, with which secrets in the database are encrypted"
        ))),
        Err(KeyFileError::Missing) => Ok(Some(format!(
            "the file is not there, with whose key {key} secrets in the database are encrypted"
        ))),
        Err(error) => Err(error),
    }
}

/// The file as errors name it.
pub fn named(file: &KeyFile) -> String {
    format!("setting secrets.key_file: {}", file.path().display())
}
