//! Replacing the keys of a file.

use std::fs::{File, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;

use domain::encryption::EncryptionKeyId;

use crate::error::KeyFileError;
use crate::file::KeyFile;
use crate::text;

/// What the name of the file ends with that is locked meanwhile. It stays.
const LOCK: &str = ".lock";

/// The right to replace the keys of a file, which only one process has at a time. First a new key is
/// [added](Self::new_key), then all secrets are encrypted with it, and then the other keys are [removed](Self::finish).
/// A rotation that is broken off anywhere between leaves a file from which the next one goes on.
#[derive(Debug)]
pub struct Rotation<'a> {
    file: &'a KeyFile,
    _lock: File,
}

impl KeyFile {
    /// Begins to replace the keys, of a new file if there is none.
    ///
    /// # Errors
    /// [`KeyFileError::Busy`] if another process does so, [`KeyFileError`] if the file can't be read or made.
    pub fn begin_rotation(&self) -> Result<Rotation<'_>, KeyFileError> {
        let mut path = self.path().to_owned().into_os_string();
        path.push(LOCK);
        let lock = File::options().create(true).append(true).mode(0o600).open(path)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(KeyFileError::Busy),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        self.read_or_make()?;
        Ok(Rotation { file: self, _lock: lock })
    }
}

impl Rotation<'_> {
    /// The key that is to replace the one which the installation names, and all keys with it: the first in the file if
    /// it is another one, as it is after a rotation that was broken off, and else a new one.
    ///
    /// # Errors
    /// [`KeyFileError`] if the file can't be read or written.
    pub fn new_key(&self, named: Option<EncryptionKeyId>) -> Result<EncryptionKeyId, KeyFileError> {
        let mut keys = self.file.read()?;
        if keys.ids().next() == named {
            let text = text::add_key(&self.file.text()?, &*self.file.entropy);
            self.file.replace(&text)?;
            keys = self.file.read()?;
        }
        keys.ids().next().ok_or(KeyFileError::NoKey)
    }

    /// Removes all keys but this.
    ///
    /// # Errors
    /// [`KeyFileError`] if the file can't be read or written, or does not have the key.
    pub fn finish(self, key: EncryptionKeyId) -> Result<(), KeyFileError> {
        let text = self.file.text()?;
        let kept = text::only_key(&text, key);
        text::read(&kept)?;
        if *kept == *text { Ok(()) } else { self.file.replace(&kept) }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::*;
    use crate::samples::SeededEntropy;

    fn ids(file: &KeyFile) -> Vec<EncryptionKeyId> {
        file.read().unwrap().ids().collect()
    }

    #[test]
    fn a_rotation_goes_on_where_it_was_broken_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.key");
        let file = KeyFile::new(path.clone(), Arc::new(SeededEntropy::new(1)));
        // Without a file, and an installation that names none.
        let first = file.begin_rotation().unwrap().new_key(None).unwrap();
        assert_eq!(ids(&file), [first]);
        file.begin_rotation().unwrap().finish(first).unwrap();
        assert_eq!(ids(&file), [first]);

        // Broken off after the first step, twice: there is one new key all the same.
        for _ in 0..2 {
            let rotation = file.begin_rotation().unwrap();
            let second = rotation.new_key(Some(first)).unwrap();
            assert_eq!(ids(&file), [second, first]);
        }
        // Broken off after the installation named it.
        let second = ids(&file)[0];
        let rotation = file.begin_rotation().unwrap();
        let third = rotation.new_key(Some(second)).unwrap();
        assert_eq!(ids(&file), [third, second, first]);
        rotation.finish(third).unwrap();
        assert_eq!(ids(&file), [third]);
        assert!(fs::read_to_string(&path).unwrap().starts_with("# "));

        let refused = file.begin_rotation().unwrap().finish(first);
        assert!(matches!(refused, Err(KeyFileError::NoKey)));
        assert_eq!(ids(&file), [third]);
    }

    #[test]
    fn one_process_rotates_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secrets.key");
        let file = KeyFile::new(path, Arc::new(SeededEntropy::new(1)));
        let rotation = file.begin_rotation().unwrap();
        assert!(matches!(file.begin_rotation(), Err(KeyFileError::Busy)));
        drop(rotation);
        file.begin_rotation().unwrap();
    }
}
