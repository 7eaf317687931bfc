//! One server for each folder: two would not know of each other's files.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Held for as long as the server runs. The system lets go of it when the process ends, however it
/// ends.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Makes the folder if it is missing, for its owner only, and claims it.
    ///
    /// # Errors
    /// If the folder can't be made or written to, or another server holds it.
    pub fn claim(folder: &Path) -> Result<Self> {
        make_private(folder)
            .with_context(|| format!("the folder {} can't be made", folder.display()))?;
        let path = folder.join("botyard.lock");
        let file = File::options().create(true).append(true).open(&path);
        let file =
            file.with_context(|| format!("the folder {} can't be written to", folder.display()))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => {
                bail!("another botyard serves from the folder {}", folder.display())
            }
            Err(TryLockError::Error(error)) => {
                Err(error).with_context(|| format!("{} can't be locked", path.display()))
            }
        }
    }
}

#[cfg(unix)]
fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)
}
