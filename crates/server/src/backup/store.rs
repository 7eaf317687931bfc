//! The files of all backups of a folder, each under the hash of its content: `files/ab/abcd…`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use domain::blob::{Blob, BlobError, Blobs, Sha256};

use super::durable::{Draft, PART, sync};
use crate::folder_lock::make_folder;

/// The files of all backups of a folder.
pub struct FileStore {
    root: PathBuf,
    /// Folders with names that may not be on the disk yet.
    unsynced: BTreeSet<PathBuf>,
}

/// What became of a file that was to be stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoredFile {
    /// An earlier backup has it.
    Already,
    Copied,
    /// The installation does not have it.
    Missing,
}

impl FileStore {
    pub const fn new(root: PathBuf) -> Self {
        Self { root, unsynced: BTreeSet::new() }
    }

    fn path(&self, sha256: Sha256) -> PathBuf {
        let name = sha256.to_string();
        let folder = name.get(..2).unwrap_or_default();
        self.root.join(folder).join(&name)
    }

    /// Opens the file with this content; `None` if it is not there.
    ///
    /// # Errors
    /// If it can't be opened.
    pub fn open(&self, sha256: Sha256) -> Result<Option<File>> {
        let path = self.path(sha256);
        match File::open(&path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error).with_context(|| path.display().to_string()),
        }
    }

    /// Stores the file of a blob, unless it is there already.
    ///
    /// # Errors
    /// If it can't be read or written, or its content is not what was stored.
    pub async fn keep(&mut self, blobs: &dyn Blobs, blob: &Blob) -> Result<StoredFile> {
        let path = self.path(blob.sha256);
        let has_size = |found: fs::Metadata| found.is_file() && found.len() == blob.size;
        if fs::metadata(&path).is_ok_and(has_size) {
            return Ok(StoredFile::Already);
        }
        let mut reader = match blobs.read(&blob.key(), 0..blob.size + 1).await {
            Ok(reader) => reader,
            Err(BlobError::Missing(_)) => return Ok(StoredFile::Missing),
            Err(error) => return Err(error.into()),
        };
        let folder = path.parent().unwrap_or(&self.root);
        make_folder(&self.root)?;
        make_folder(folder)?;
        let named = || path.display().to_string();
        let mut draft = Draft::begin(path.clone()).with_context(named)?;
        while let Some(block) = reader.next().await? {
            draft.write_all(&block).with_context(named)?;
        }
        if draft.content().sha256 != blob.sha256 {
            bail!("the file {} has other content than was stored", blob.key());
        }
        draft.finish().with_context(named)?;
        self.unsynced.extend([folder.to_owned(), self.root.clone()]);
        Ok(StoredFile::Copied)
    }

    /// Puts the names of all files that were stored on the disk.
    ///
    /// # Errors
    /// If that fails.
    pub fn sync(&mut self) -> Result<()> {
        for folder in std::mem::take(&mut self.unsynced) {
            sync(&folder).with_context(|| folder.display().to_string())?;
        }
        if let Some(above) = self.root.parent() {
            sync(above).with_context(|| above.display().to_string())?;
        }
        Ok(())
    }

    /// Removes all files that are not to be kept, and those that were not finished; returns how many, and how many
    /// bytes they had. Files with other names are not this store's, and stay.
    ///
    /// # Errors
    /// If one can't be removed.
    pub fn retain(&self, is_kept: impl Fn(Sha256) -> bool) -> Result<(u64, u64)> {
        let (mut files, mut bytes) = (0, 0);
        for folder in entries(&self.root)? {
            if !folder.is_dir() {
                continue;
            }
            for path in entries(&folder)? {
                let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
                let name = name.unwrap_or_default();
                let (hash, is_finished) =
                    name.strip_suffix(PART).map_or((name.as_str(), true), |hash| (hash, false));
                let Some(content) = Sha256::parse(hash) else { continue };
                let is_own = path.with_file_name(hash) == self.path(content);
                if !is_own || is_finished && is_kept(content) {
                    continue;
                }
                let named = || path.display().to_string();
                bytes += fs::metadata(&path).with_context(named)?.len();
                fs::remove_file(&path).with_context(named)?;
                files += 1;
            }
        }
        Ok((files, bytes))
    }
}

/// The paths in a folder; none if it is not there.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let named = || folder.display().to_string();
    match fs::read_dir(folder) {
        Ok(entries) => {
            let paths: Result<Vec<_>, _> =
                entries.map(|entry| entry.map(|entry| entry.path())).collect();
            paths.with_context(named)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error).with_context(named),
    }
}
