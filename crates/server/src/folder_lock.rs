//! One server for each folder: two would not know of each other's files.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use rustix::fs::OFlags;

use crate::settings::{DatabaseUrl, Settings};

/// Held for as long as the server runs. The system lets go of it when the process ends, however it
/// ends.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Makes the folder if it is missing, and claims it.
    ///
    /// # Errors
    /// If the folder can't be made or written to, or another server holds it.
    pub fn claim(folder: &Path) -> Result<Self> {
        make_folder(folder)?;
        Self::claim_for(folder, "another botyard serves from the folder")
    }

    /// Claims a folder that is there; `taken` begins the error if another process holds it.
    ///
    /// # Errors
    /// If the folder can't be written to, or another process holds it.
    pub fn claim_for(folder: &Path, taken: &str) -> Result<Self> {
        let path = folder.join("botyard.lock");
        // A link could lead to a file that is none of botyard's.
        let no_link = i32::try_from(OFlags::NOFOLLOW.bits())?;
        let file = private().create(true).append(true).custom_flags(no_link).open(&path);
        let file =
            file.with_context(|| format!("the folder {} can't be written to", folder.display()))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => {
                bail!("{taken} {}", folder.display())
            }
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("{} can't be locked", path.display()))
            }
        }
    }
}

/// A server that keeps files claims their folders.
///
/// # Errors
/// As [`FolderLock::claim`].
pub fn claim_folders(settings: &Settings) -> Result<Vec<FolderLock>> {
    let DatabaseUrl::Sqlite(database) = &settings.database_url else {
        return Ok(Vec::new());
    };
    let mut locks = vec![FolderLock::claim(&settings.data_dir)?];
    let folder = folder_of(database);
    if folder.canonicalize().ok() != settings.data_dir.canonicalize().ok() {
        locks.push(FolderLock::claim(folder)?);
    }
    Ok(locks)
}

/// Makes the folder if it is missing, for its owner only. The folder above it must be there: one that
/// is not was probably misspelt, or is not mounted.
///
/// # Errors
/// If it can't be made.
pub fn make_folder(folder: &Path) -> Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.mode(0o700);
    let made = match builder.create(folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(anyhow!("there is no folder {}", folder_of(folder).display()))
        }
        made => made.map_err(Into::into),
    };
    made.with_context(|| format!("the folder {} can't be made", folder.display()))
}

/// The folder in which this lies; a bare name lies in the working directory.
pub fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    }
}

/// Options for files that other accounts can't read.
fn private() -> OpenOptions {
    let mut options = File::options();
    options.mode(0o600);
    options
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_in_the_place_of_the_lock_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = folder.path().join("elsewhere");
        symlink(&elsewhere, folder.path().join("botyard.lock")).unwrap();
        assert!(FolderLock::claim(folder.path()).is_err());
        assert!(!elsewhere.exists());
    }
}
