//! The folder in which a worker works.

use std::fs;
use std::io;
use std::path::Path;

use domain::blob::BlobReader;
use domain::document::ExtractionFault;
use tempfile::TempDir;
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;
use tokio::task::spawn_blocking;

use super::failed;
use crate::record::Head;
use crate::worker::{FILE, HEAD};

/// How the names of these folders begin.
const PREFIX: &str = "extract-";

/// The folder of one worker, which nobody else may look into. It goes when this is dropped.
#[derive(Debug)]
pub(super) struct Room {
    folder: TempDir,
    /// The head, locked as long as this process cares for the folder.
    _head: fs::File,
}

impl Room {
    /// Makes a folder with a file in it that is to be read. A worker can go back and forth in a file, as
    /// it could not in a stream, and does not wait for the blob store while its time runs.
    pub(super) async fn furnish(
        parent: &Path,
        head: &Head,
        mut bytes: Box<dyn BlobReader>,
    ) -> Result<Self, ExtractionFault> {
        let (parent, head) = (parent.to_owned(), head.clone());
        let room = spawn_blocking(move || Self::new(&parent, &head)).await.map_err(failed)?;
        let room = room.map_err(failed)?;
        let mut file = File::create_new(room.path().join(FILE)).await.map_err(failed)?;
        while let Some(block) = bytes.next().await? {
            file.write_all(&block).await.map_err(failed)?;
        }
        // What is still under way would not be seen by the worker.
        file.flush().await.map_err(failed)?;
        Ok(room)
    }

    fn new(parent: &Path, head: &Head) -> io::Result<Self> {
        let folder = TempDir::with_prefix_in(PREFIX, parent)?;
        let unlocked = folder.path().join("unlocked");
        let mut file = fs::File::create_new(&unlocked)?;
        file.lock()?;
        head.write(&mut file)?;
        // By this name it is locked from its beginning.
        fs::rename(unlocked, folder.path().join(HEAD))?;
        Ok(Self { folder, _head: file })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The file that is to be read, for reading.
    pub(super) fn open(&self) -> io::Result<fs::File> {
        fs::File::open(self.path().join(FILE))
    }
}

/// Removes the folders that processes left behind which were killed. What can't be removed stays.
pub(super) fn sweep(parent: &Path) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let is_room = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if is_room && is_abandoned(&entry.path()) {
            // Somebody else may do the same.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

fn is_abandoned(room: &Path) -> bool {
    fs::File::open(room.join(HEAD)).is_ok_and(|head| head.try_lock().is_ok())
}
