//! Bytes on their way in: a file without a name, which goes when its last handle is closed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use domain::blob::{BlobError, ReadSeek, Sha256, Staged, Staging};
use sha2::Digest as _;

use crate::blocking::blocking;
use crate::reserve::Reserve;

/// How many bytes are collected before a thread writes and hashes them.
const BLOCK: usize = 64 << 10;

/// The intake of one blob.
pub(crate) struct FileStaging {
    /// `None` after a failure, or after a write that was given up.
    intake: Option<Intake>,
}

struct Intake {
    file: File,
    reserve: Reserve,
    hasher: sha2::Sha256,
    size: u64,
    block: Vec<u8>,
}

impl Intake {
    /// Writes and hashes what was collected.
    fn flush(&mut self) -> Result<(), BlobError> {
        self.reserve.check(&self.file)?;
        self.file.write_all(&self.block)?;
        self.hasher.update(&self.block);
        self.size += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }
}

impl FileStaging {
    pub(crate) async fn begin(folder: &Path, reserve: Reserve) -> Result<Self, BlobError> {
        let folder = folder.to_owned();
        blocking(move || {
            let file = tempfile::tempfile_in(folder)?;
            reserve.check(&file)?;
            let (hasher, block) = (sha2::Sha256::new(), Vec::with_capacity(BLOCK));
            Ok(Self { intake: Some(Intake { file, reserve, hasher, size: 0, block }) })
        })
        .await
    }

    fn intake(&mut self) -> Result<&mut Intake, BlobError> {
        self.intake.as_mut().ok_or_else(broken)
    }
}

fn broken() -> BlobError {
    BlobError::Failed("an earlier write of these bytes failed or was given up".to_owned())
}

#[async_trait]
impl Staging for FileStaging {
    async fn write(&mut self, mut bytes: &[u8]) -> Result<(), BlobError> {
        loop {
            let intake = self.intake()?;
            let room = BLOCK.saturating_sub(intake.block.len());
            let (fitting, rest) = bytes.split_at(room.min(bytes.len()));
            intake.block.extend_from_slice(fitting);
            bytes = rest;
            if intake.block.len() < BLOCK {
                return Ok(());
            }
            let mut intake = self.intake.take().ok_or_else(broken)?;
            self.intake = Some(blocking(move || intake.flush().map(|()| intake)).await?);
        }
    }

    async fn finish(mut self: Box<Self>) -> Result<Arc<dyn Staged>, BlobError> {
        let mut intake = self.intake.take().ok_or_else(broken)?;
        blocking(move || {
            intake.flush()?;
            let Intake { file, hasher, size, .. } = intake;
            let sha256 = Sha256::from_bytes(hasher.finalize().into());
            Ok(Arc::new(StagedFile { file: Arc::new(file), size, sha256 }) as Arc<dyn Staged>)
        })
        .await
    }
}

/// What came in whole.
struct StagedFile {
    file: Arc<File>,
    size: u64,
    sha256: Sha256,
}

impl Staged for StagedFile {
    fn size(&self) -> u64 {
        self.size
    }

    fn sha256(&self) -> Sha256 {
        self.sha256
    }

    fn open(&self) -> io::Result<Box<dyn ReadSeek>> {
        Ok(Box::new(Reader { file: self.file.clone(), position: 0 }))
    }
}

/// A position in a file that others read, too.
struct Reader {
    file: Arc<File>,
    position: u64,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.position)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for Reader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
            SeekFrom::End(offset) => self.file.metadata()?.len().checked_add_signed(offset),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
