//! The keys in memory.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use domain::encryption::{CipherError, EncryptedSecret, EncryptionKeyId, SecretCipher};
use tokio::task::spawn_blocking;
use zeroize::Zeroizing;

use crate::file::{KeyFile, Keys};
use crate::key::Key;

/// Encrypts with the keys of a file. Those that were in it once stay known to this process.
pub struct FileCipher {
    file: KeyFile,
    keys: RwLock<BTreeMap<EncryptionKeyId, Arc<Key>>>,
}

impl FileCipher {
    /// A cipher with the keys of this file, which is not read before it is [reloaded](SecretCipher::reload).
    #[must_use]
    pub fn new(file: KeyFile) -> Self {
        Self { file, keys: RwLock::default() }
    }

    fn key(&self, id: EncryptionKeyId) -> Result<Arc<Key>, CipherError> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        keys.get(&id).cloned().ok_or(CipherError::UnknownKey(id))
    }
}

impl fmt::Debug for FileCipher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileCipher({})", self.file.path().display())
    }
}

#[async_trait]
impl SecretCipher for FileCipher {
    fn encrypt(
        &self,
        key: EncryptionKeyId,
        secret: &[u8],
        bound_to: &str,
    ) -> Result<EncryptedSecret, CipherError> {
        self.key(key)?.encrypt(&*self.file.entropy, secret, bound_to)
    }

    fn decrypt(
        &self,
        encrypted: &EncryptedSecret,
        bound_to: &str,
    ) -> Result<Zeroizing<Vec<u8>>, CipherError> {
        self.key(encrypted.key())?.decrypt(encrypted.ciphertext(), bound_to)
    }

    async fn reload(&self) -> Result<(), CipherError> {
        let file = self.file.clone();
        let failed =
            |error: String| CipherError::Keys(format!("{}: {error}", self.file.path().display()));
        let read = spawn_blocking(move || file.read()).await;
        let read = read.map_err(|error| failed(error.to_string()))?;
        let Keys(keys) = read.map_err(|error| failed(error.to_string()))?;
        let keys = keys.into_iter().map(|key| (key.id(), Arc::new(key)));
        self.keys.write().unwrap_or_else(PoisonError::into_inner).extend(keys);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::samples::SeededEntropy;

    #[tokio::test]
    async fn keys_that_were_added_are_known_after_a_look_and_those_before_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.key");
        let file = KeyFile::new(path.clone(), Arc::new(SeededEntropy::new(1)));
        let first = file.read_or_make().unwrap().ids().next().unwrap();
        let cipher = FileCipher::new(file.clone());
        assert_eq!(cipher.encrypt(first, b"secret", "a"), Err(CipherError::UnknownKey(first)));
        cipher.reload().await.unwrap();
        let old = cipher.encrypt(first, b"secret", "a").unwrap();
        assert_eq!(old.key(), first);

        let rotation = file.begin_rotation().unwrap();
        let second = rotation.new_key(Some(first)).unwrap();
        rotation.finish(second).unwrap();
        let unknown = CipherError::UnknownKey(second);
        assert_eq!(cipher.encrypt(second, b"secret", "a"), Err(unknown.clone()));
        assert_eq!(unknown.to_string(), format!("the key {second} for secrets is not known"));
        cipher.reload().await.unwrap();
        let new = cipher.encrypt(second, b"secret", "a").unwrap();
        for encrypted in [old, new] {
            assert_eq!(**cipher.decrypt(&encrypted, "a").unwrap(), *b"secret");
        }

        fs::remove_file(&path).unwrap();
        let said = format!("{}: the file is not there", path.display());
        assert_eq!(cipher.reload().await, Err(CipherError::Keys(said)));
        assert!(cipher.encrypt(second, b"secret", "a").is_ok());
        assert_eq!(format!("{cipher:?}"), format!("FileCipher({})", path.display()));
    }
}
