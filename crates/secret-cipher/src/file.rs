//! The file of keys.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use domain::encryption::EncryptionKeyId;
use domain::entropy::Entropy;
use tempfile::{NamedTempFile, TempPath};
use zeroize::Zeroizing;

use crate::error::KeyFileError;
use crate::key::Key;
use crate::text;

/// No file of keys is larger.
const LARGEST: u64 = 64 << 10;
/// What of a mode is for accounts that are neither the owner nor of the group.
const OTHERS: u32 = 0o007;
/// What of a mode says who may do what.
const PERMISSIONS: u32 = 0o777;

/// A file of keys.
#[derive(Clone)]
pub struct KeyFile {
    path: PathBuf,
    pub(crate) entropy: Arc<dyn Entropy>,
}

/// The keys of a file, in their order: at least one.
#[derive(Debug)]
pub struct Keys(pub(crate) Vec<Key>);

impl Keys {
    /// The names of the keys.
    pub fn ids(&self) -> impl Iterator<Item = EncryptionKeyId> {
        self.0.iter().map(Key::id)
    }

    /// Whether this key is among them.
    #[must_use]
    pub fn contains(&self, key: EncryptionKeyId) -> bool {
        self.ids().any(|id| id == key)
    }
}

impl fmt::Debug for KeyFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyFile({})", self.path.display())
    }
}

impl KeyFile {
    /// The file at this path, whether it is there or not. New keys are made of the random bytes.
    #[must_use]
    pub fn new(path: PathBuf, entropy: Arc<dyn Entropy>) -> Self {
        Self { path, entropy }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the keys.
    ///
    /// # Errors
    /// [`KeyFileError`]
    pub fn read(&self) -> Result<Keys, KeyFileError> {
        Ok(Keys(text::read(&self.text()?)?))
    }

    /// Reads the keys, of a new file for the account of this process only if there is none. If several processes do
    /// this at once, all of them read the file of one.
    ///
    /// # Errors
    /// [`KeyFileError`]
    pub fn read_or_make(&self) -> Result<Keys, KeyFileError> {
        match self.read() {
            Err(KeyFileError::Missing) => {}
            read => return read,
        }
        let draft = self.draft(&self.path, &text::new_text(&*self.entropy))?;
        match draft.persist_noclobber(&self.path) {
            Err(error) if error.error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(error.error.into());
            }
            Ok(()) | Err(_) => sync(folder_of(&self.path))?,
        }
        self.read()
    }

    /// The text, if it is as safe as it has to be.
    pub(crate) fn text(&self) -> Result<Zeroizing<String>, KeyFileError> {
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(KeyFileError::Missing);
            }
            opened => opened?,
        };
        let mode = file.metadata()?.permissions().mode() & PERMISSIONS;
        if mode & OTHERS != 0 {
            return Err(KeyFileError::Open(mode));
        }
        let mut bytes = Zeroizing::new(Vec::with_capacity(4 << 10));
        if file.take(LARGEST + 1).read_to_end(&mut bytes)? as u64 > LARGEST {
            return Err(KeyFileError::TooLarge(LARGEST));
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| KeyFileError::NoText)?;
        Ok(Zeroizing::new(text.to_owned()))
    }

    /// Puts another text in the place of the one that is there, with the same mode and owner.
    pub(crate) fn replace(&self, text: &str) -> Result<(), KeyFileError> {
        // A link to the file stays a link.
        let path = fs::canonicalize(&self.path)?;
        let old = fs::metadata(&path)?;
        let draft = self.draft(&path, text)?;
        let new = fs::metadata(&draft)?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            fchown(File::open(&draft)?, Some(old.uid()), Some(old.gid()))?;
        }
        fs::set_permissions(&draft, fs::Permissions::from_mode(old.mode() & PERMISSIONS))?;
        sync(&draft)?;
        draft.persist(&path).map_err(|error| error.error)?;
        Ok(sync(folder_of(&path))?)
    }

    /// A file with this text beside the one that it is for, for the account of this process only. It goes unless it is
    /// given its name.
    fn draft(&self, path: &Path, text: &str) -> Result<TempPath, KeyFileError> {
        let mut draft: NamedTempFile =
            tempfile::Builder::new().prefix(".keys-").tempfile_in(folder_of(path))?;
        draft.write_all(text.as_bytes())?;
        draft.as_file().sync_all()?;
        Ok(draft.into_temp_path())
    }
}

/// Puts a file, or the names in a folder, on the disk.
fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// The folder in which this lies; a bare name lies in the working directory.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::Barrier;
    use std::thread;

    use tempfile::TempDir;

    use super::*;
    use crate::samples::SeededEntropy;

    fn in_folder(folder: &TempDir, seed: u64) -> KeyFile {
        KeyFile::new(folder.path().join("secrets.key"), Arc::new(SeededEntropy::new(seed)))
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().mode() & PERMISSIONS
    }

    fn names(folder: &TempDir) -> Vec<String> {
        let entries = fs::read_dir(folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn processes_that_begin_at_once_make_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, barrier) = (&folder, &Barrier::new(8));
        assert!(matches!(in_folder(folder, 0).read(), Err(KeyFileError::Missing)));
        let ids: Vec<Vec<_>> = thread::scope(|scope| {
            let made = |seed| {
                scope.spawn(move || {
                    barrier.wait();
                    in_folder(folder, seed).read_or_make().unwrap().ids().collect()
                })
            };
            let threads: Vec<_> = (0..8).map(made).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        let file = in_folder(folder, 9);
        let read: Vec<_> = file.read().unwrap().ids().collect();
        assert_eq!(read.len(), 1);
        assert!(ids.iter().all(|ids| *ids == read), "{ids:?}");
        assert!(file.read_or_make().unwrap().contains(read[0]));
        assert_eq!(mode(file.path()), 0o600);
        assert_eq!(names(folder), ["secrets.key"]);
    }

    #[test]
    fn a_file_that_every_account_can_read_or_write_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = in_folder(&folder, 1);
        file.read_or_make().unwrap();
        let set =
            |mode| fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
        for open in [0o604, 0o602, 0o644, 0o777] {
            set(open);
            let error = file.read().unwrap_err();
            assert!(matches!(error, KeyFileError::Open(mode) if mode == open), "{error}");
            assert!(error.to_string().starts_with(&format!("its mode is {open:o}, ")), "{error}");
            assert!(matches!(file.read_or_make(), Err(KeyFileError::Open(_))));
        }
        for safe in [0o400, 0o440, 0o600, 0o640] {
            set(safe);
            assert_eq!(file.read().unwrap().ids().count(), 1, "{safe:o}");
        }
    }

    #[test]
    fn what_is_no_file_of_keys_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = in_folder(&folder, 1);
        let long = vec![b'#'; usize::try_from(LARGEST).unwrap() + 1];
        for (content, said) in [
            (&b""[..], "there is no key in the file"),
            (b"# \xff", "the file is no UTF-8 text"),
            (&long, "the file has more than 65536 bytes, so it is no file of keys"),
            (b"# a\nkey\n", "line 2: a key begins with `aes-256-gcm `"),
        ] {
            fs::write(file.path(), content).unwrap();
            fs::set_permissions(file.path(), fs::Permissions::from_mode(0o600)).unwrap();
            for refused in [file.read(), file.read_or_make()] {
                assert_eq!(refused.unwrap_err().to_string(), said);
            }
            assert_eq!(fs::read(file.path()).unwrap(), content);
        }
        let nowhere = KeyFile::new(folder.path().join("no/key"), Arc::new(SeededEntropy::new(1)));
        assert!(matches!(nowhere.read(), Err(KeyFileError::Missing)));
        assert!(matches!(nowhere.read_or_make(), Err(KeyFileError::Io(_))));
    }

    #[test]
    fn a_file_is_replaced_where_it_is_and_keeps_its_mode() {
        let folder = tempfile::tempdir().unwrap();
        let file = in_folder(&folder, 1);
        file.read_or_make().unwrap();
        let elsewhere = folder.path().join("elsewhere");
        fs::rename(file.path(), &elsewhere).unwrap();
        symlink(&elsewhere, file.path()).unwrap();
        fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o640)).unwrap();
        file.replace("# nothing\n").unwrap();
        assert!(fs::symlink_metadata(file.path()).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "# nothing\n");
        assert_eq!(mode(&elsewhere), 0o640);
        assert_eq!(names(&folder).len(), 2);
    }
}
