//! The folder in which a worker works.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use domain::blob::BlobReader;
use domain::document::ExtractorError;
use tempfile::TempDir;
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::failure::failed;
use crate::disk;
use crate::record::Head;
use crate::work_dir_files::{FILE, HEAD};

/// How the names of these folders begin.
const PREFIX: &str = "extract-";
/// How often it is looked at how much is in one.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);
/// How many bytes a file takes up at least that is empty, and a folder.
const ENTRY: u64 = 4 << 10;

/// The folder of one worker, which other accounts may not look into. It goes when this is dropped.
#[derive(Debug)]
pub(super) struct WorkDir {
    folder: TempDir,
    /// The head, locked as long as this process cares for the folder.
    _head: fs::File,
    /// How many bytes there may be in it.
    most: u64,
}

impl WorkDir {
    /// Makes a folder with a file in it that is to be read. A worker can go back and forth in a file, as
    /// it could not in a stream, and does not wait for the blob store while its time runs.
    pub(super) async fn create(
        parent: &Path,
        head: &Head,
        mut bytes: Box<dyn BlobReader>,
    ) -> Result<Self, ExtractorError> {
        let (parent, head) = (parent.to_owned(), head.clone());
        let work_dir = spawn_blocking(move || Self::new(&parent, &head)).await.map_err(failed)?;
        let mut work_dir = work_dir.map_err(failed)?;
        let mut file = File::create_new(work_dir.path().join(FILE)).await.map_err(failed)?;
        while let Some(block) = bytes.next().await? {
            file.write_all(&block).await.map_err(failed)?;
            work_dir.most += block.len() as u64;
        }
        // What is still under way would not be seen by the worker.
        file.flush().await.map_err(failed)?;
        Ok(work_dir)
    }

    fn new(parent: &Path, head: &Head) -> io::Result<Self> {
        let folder = TempDir::with_prefix_in(PREFIX, parent)?;
        let unlocked = folder.path().join("unlocked");
        let mut file = fs::File::create_new(&unlocked)?;
        file.lock()?;
        head.write(&mut file)?;
        // By this name it is locked from its beginning.
        fs::rename(unlocked, folder.path().join(HEAD))?;
        Ok(Self { folder, _head: file, most: head.limits.room_bytes })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Waits until there is more in it than there may be.
    pub(super) async fn overflows(&self) {
        loop {
            sleep(CHECK_INTERVAL).await;
            let (folder, most) = (self.path().to_owned(), self.most);
            if spawn_blocking(move || holds_more(folder, most)).await.is_ok_and(|more| more) {
                return;
            }
        }
    }

    /// Whether nothing more can be written into it.
    pub(super) async fn is_on_full_disk(&self) -> bool {
        let folder = self.path().to_owned();
        spawn_blocking(move || !disk::has_free_space(&folder)).await.unwrap_or(false)
    }

    /// The file that is to be read, for reading.
    pub(super) fn open(&self) -> io::Result<fs::File> {
        fs::File::open(self.path().join(FILE))
    }
}

/// Whether the files in a folder, and in those within it, have more bytes together than so many.
fn holds_more(folder: PathBuf, most: u64) -> bool {
    let (mut folders, mut bytes) = (vec![folder], 0);
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            // Only the worker can have hidden what is there.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return true,
            // It has gone meanwhile.
            Err(_) => continue,
        };
        for entry in entries.flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            bytes += ENTRY.max(metadata.len());
            if metadata.is_dir() {
                folders.push(entry.path());
            }
            if bytes > most {
                return true;
            }
        }
    }
    false
}

/// Removes the folders that processes left behind which were killed. What can't be removed stays.
pub(super) fn sweep(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let is_room = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if is_room && is_abandoned(&entry.path()) {
            // Another process may remove it at the same time, so this may fail.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

fn is_abandoned(work_dir: &Path) -> bool {
    fs::File::open(work_dir.join(HEAD)).is_ok_and(|head| head.try_lock().is_ok())
}
