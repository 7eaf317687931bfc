//! Blobs in memory, and a check of archives that accepts all of them.

use std::collections::BTreeMap;
use std::io::{self, Cursor};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use sha2::Digest as _;

use crate::archive::{Archive, ArchiveCheck, ArchiveError};
use crate::blob::{
    BlobError, BlobKey, BlobLister, BlobReader, Blobs, ReadSeek, Sha256, Staged, Staging,
    StoredBlob,
};
use crate::clock::{Clock, Timestamp};
use crate::id::ProjectId;

/// A blob store in memory: its blobs go with the process.
pub struct MemoryBlobs {
    clock: Arc<dyn Clock>,
    blobs: Mutex<BTreeMap<BlobKey, (Timestamp, Vec<u8>)>>,
    fails: AtomicBool,
}

impl MemoryBlobs {
    /// One without blobs.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, blobs: Mutex::default(), fails: AtomicBool::new(false) }
    }

    /// Lets every call fail from now on, or none.
    pub fn fail(&self, fails: bool) {
        self.fails.store(fails, Ordering::SeqCst);
    }

    /// The keys of all blobs that are there.
    #[must_use]
    pub fn keys(&self) -> Vec<BlobKey> {
        self.lock().keys().cloned().collect()
    }

    /// Puts bytes into their place, past all services.
    pub fn insert(&self, key: BlobKey, stored_at: Timestamp, bytes: Vec<u8>) {
        self.lock().insert(key, (stored_at, bytes));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<BlobKey, (Timestamp, Vec<u8>)>> {
        self.blobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self) -> Result<(), BlobError> {
        if self.fails.load(Ordering::SeqCst) {
            return Err(BlobError::Failed("it was told to fail".to_owned()));
        }
        Ok(())
    }
}

#[async_trait]
impl Blobs for MemoryBlobs {
    async fn stage(&self) -> Result<Box<dyn Staging>, BlobError> {
        self.answer()?;
        Ok(Box::new(Incoming(Vec::new())))
    }

    async fn put(&self, key: &BlobKey, staged: &Arc<dyn Staged>) -> Result<(), BlobError> {
        self.answer()?;
        let mut bytes = Vec::new();
        io::Read::read_to_end(&mut staged.open()?, &mut bytes)?;
        self.insert(key.clone(), self.clock.now(), bytes);
        Ok(())
    }

    async fn read(
        &self,
        key: &BlobKey,
        range: Range<u64>,
    ) -> Result<Box<dyn BlobReader>, BlobError> {
        self.answer()?;
        let blobs = self.lock();
        let (_, bytes) = blobs.get(key).ok_or_else(|| BlobError::Missing(key.to_string()))?;
        let end = usize::try_from(range.end).unwrap_or(usize::MAX).min(bytes.len());
        let start = usize::try_from(range.start).unwrap_or(usize::MAX).min(end);
        Ok(Box::new(Outgoing(bytes.get(start..end).map(<[u8]>::to_vec))))
    }

    async fn delete(&self, key: &BlobKey) -> Result<(), BlobError> {
        self.answer()?;
        self.lock().remove(key);
        Ok(())
    }

    async fn list(&self, project: ProjectId) -> Result<Box<dyn BlobLister>, BlobError> {
        self.answer()?;
        let blobs = self.lock();
        let of_project = blobs.iter().filter(|(key, _)| key.project_id() == Some(project));
        let stored = of_project.map(|(key, (stored_at, bytes))| StoredBlob {
            key: key.clone(),
            size: bytes.len() as u64,
            stored_at: *stored_at,
        });
        Ok(Box::new(Listed(Some(stored.collect()))))
    }

    async fn tidy(&self) -> Result<(), BlobError> {
        self.answer()
    }

    async fn check(&self) -> Result<(), BlobError> {
        self.answer()
    }
}

struct Incoming(Vec<u8>);

#[async_trait]
impl Staging for Incoming {
    async fn write(&mut self, bytes: &[u8]) -> Result<(), BlobError> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    async fn finish(self: Box<Self>) -> Result<Arc<dyn Staged>, BlobError> {
        Ok(Arc::new(Whole(self.0.into())))
    }
}

struct Whole(Arc<[u8]>);

impl Staged for Whole {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn sha256(&self) -> Sha256 {
        Sha256::from_bytes(sha2::Sha256::digest(&self.0).into())
    }

    fn open(&self) -> io::Result<Box<dyn ReadSeek>> {
        Ok(Box::new(Cursor::new(self.0.clone())))
    }
}

struct Outgoing(Option<Vec<u8>>);

#[async_trait]
impl BlobReader for Outgoing {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        Ok(self.0.take().filter(|bytes| !bytes.is_empty()))
    }
}

struct Listed(Option<Vec<StoredBlob>>);

#[async_trait]
impl BlobLister for Listed {
    async fn next(&mut self) -> Result<Option<Vec<StoredBlob>>, BlobError> {
        Ok(self.0.take().filter(|page| !page.is_empty()))
    }
}

/// Accepts every archive, as one that has one entry.
pub struct TrustingArchives;

#[async_trait]
impl ArchiveCheck for TrustingArchives {
    async fn check(&self, _: ProjectId, _: &Arc<dyn Staged>) -> Result<Archive, ArchiveError> {
        Ok(Archive { entries: 1 })
    }
}
