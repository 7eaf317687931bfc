//! Files that are whole and on the disk, or not there: for this account only.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use domain::blob::Sha256;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256 as Hasher};

/// What the name of a file ends with until it is finished.
pub const PART: &str = ".part";

/// How much is read at once.
const BLOCK: usize = 64 << 10;

/// Gives a file another name, which no other file may have.
///
/// # Errors
/// If that fails, or there is a file of that name.
pub fn rename_to_new(from: &Path, to: &Path) -> io::Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // The file system can't do it in one step.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            fs::hard_link(from, to)?;
            fs::remove_file(from)
        }
        renamed => renamed.map_err(Into::into),
    }
}

/// How many bytes something has, and their hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Content {
    pub bytes: u64,
    pub sha256: Sha256,
}

/// A file that is being written under another name, which goes with it unless it is finished.
pub struct Draft {
    file: File,
    draft: PathBuf,
    path: PathBuf,
    hasher: Hasher,
    bytes: u64,
    is_finished: bool,
}

impl Draft {
    /// Begins a file. There is only one process that writes here.
    ///
    /// # Errors
    /// If it can't be made.
    pub fn begin(path: PathBuf) -> io::Result<Self> {
        let mut draft = path.clone().into_os_string();
        draft.push(PART);
        let draft = PathBuf::from(draft);
        // What an earlier process left goes; whatever else comes to stand there is not written to.
        if let Err(error) = fs::remove_file(&draft)
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(error);
        }
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
        Ok(Self { file, draft, path, hasher: Hasher::new(), bytes: 0, is_finished: false })
    }

    /// What was written so far.
    pub fn content(&self) -> Content {
        content(&self.hasher, self.bytes)
    }

    /// Gives the file its name once it is on the disk. The folder is not synced yet.
    ///
    /// # Errors
    /// If that fails.
    pub fn finish(mut self) -> io::Result<Content> {
        self.file.sync_all()?;
        fs::rename(&self.draft, &self.path)?;
        self.is_finished = true;
        Ok(self.content())
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_all(bytes)?;
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_finished {
            // What can't be removed is written over the next time.
            drop(fs::remove_file(&self.draft));
        }
    }
}

/// Makes a folder for this account only; the one above it must be there.
///
/// # Errors
/// If it can't be made, or is there.
pub fn new_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)?;
    sync(path.parent().unwrap_or(Path::new(".")))
}

/// Puts the names in a folder on the disk.
///
/// # Errors
/// If that fails.
pub fn sync(folder: &Path) -> io::Result<()> {
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    File::open(folder)?.sync_all()
}

/// Reads to the end, and hands on each block.
///
/// # Errors
/// If reading fails, or what is done with a block.
pub fn for_each_block<E: From<io::Error>>(
    mut from: impl Read,
    mut each: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<Content, E> {
    let (mut hasher, mut bytes) = (Hasher::new(), 0);
    let mut buffer = vec![0; BLOCK];
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => return Ok(content(&hasher, bytes)),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error.into()),
        };
        let block = buffer.get(..read).unwrap_or_default();
        hasher.update(block);
        bytes += block.len() as u64;
        each(block)?;
    }
}

fn content(hasher: &Hasher, bytes: u64) -> Content {
    Content { bytes, sha256: Sha256::from_bytes(hasher.clone().finalize().into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_name_takes_the_place_of_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let [draft, path] = ["draft", "path"].map(|name| folder.path().join(name));
        fs::write(&draft, "new").unwrap();
        rename_to_new(&draft, &path).unwrap();
        fs::write(&draft, "newer").unwrap();
        let refused = rename_to_new(&draft, &path).unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }
}
