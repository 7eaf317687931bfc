//! The port to the blob store, which has the bytes of blobs.

use std::io::{self, ErrorKind, Read, Seek};
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;

use super::{BlobKey, Sha256};
use crate::clock::Timestamp;
use crate::id::ProjectId;

/// Bytes that can be read from anywhere.
pub trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

/// A blob store, which has the bytes of blobs: a folder, a bucket.
///
/// # Contract
/// - What [`put`](Blobs::put) has stored is durable when it returns, and whole: a reader sees all of
///   its bytes or none, also after a crash half-way.
/// - No caller and no implementation holds more than a few blocks of a blob in memory.
/// - Nothing that is staged is left behind, neither by a drop nor by a killed process.
#[async_trait]
pub trait Blobs: Send + Sync {
    /// Begins to take in bytes whose number and hash are not known yet.
    ///
    /// # Errors
    /// [`BlobError`] if they can't be stored.
    async fn stage(&self) -> Result<Box<dyn Staging>, BlobError>;

    /// Stores staged bytes under a key. Doing so twice with the same bytes does no harm.
    ///
    /// # Errors
    /// [`BlobError`] if they could not be stored; then there is nothing under the key.
    async fn put(&self, key: &BlobKey, staged: &Arc<dyn Staged>) -> Result<(), BlobError>;

    /// The bytes in this range of a blob, block by block. What of the range lies beyond the end of
    /// the blob is left out.
    ///
    /// # Errors
    /// [`BlobError::Missing`] if there is no such blob.
    async fn read(
        &self,
        key: &BlobKey,
        range: Range<u64>,
    ) -> Result<Box<dyn BlobReader>, BlobError>;

    /// Removes what lies under a key. If nothing is there, that is no error.
    ///
    /// # Errors
    /// [`BlobError`] if it could not be removed.
    async fn delete(&self, key: &BlobKey) -> Result<(), BlobError>;

    /// Begins to go through what is stored of a project, in no particular order. What is stored or removed
    /// meanwhile may turn up or not; whatever else lies in the same blob store is passed over.
    ///
    /// # Errors
    /// [`BlobError`] if it can't be listed.
    async fn list(&self, project: ProjectId) -> Result<Box<dyn BlobLister>, BlobError>;

    /// Removes what earlier processes left half-written.
    ///
    /// # Errors
    /// [`BlobError`] if it can't be looked through.
    async fn tidy(&self) -> Result<(), BlobError>;

    /// Whether the blob store answers, takes blobs and has room for more.
    ///
    /// # Errors
    /// [`BlobError`] if it does not.
    async fn check(&self) -> Result<(), BlobError>;
}

/// The blocks of a blob, in order.
#[async_trait]
pub trait BlobReader: Send {
    /// The next block; `None` at the end.
    ///
    /// # Errors
    /// [`BlobError`] if the bytes can't be read.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError>;
}

/// Bytes that are in memory already, as one block.
#[derive(Debug, Clone)]
pub struct OneBlock(Option<Vec<u8>>);

impl OneBlock {
    /// A reader of these bytes.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(Some(bytes.into()))
    }
}

#[async_trait]
impl BlobReader for OneBlock {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, BlobError> {
        Ok(self.0.take())
    }
}

/// Blobs of a blob store, page by page, so that they are never all in memory at once.
#[async_trait]
pub trait BlobLister: Send {
    /// The next blobs, at least one; `None` at the end.
    ///
    /// # Errors
    /// [`BlobError`] if the blob store can't be listed any further.
    async fn next(&mut self) -> Result<Option<Vec<StoredBlob>>, BlobError>;
}

/// Bytes that are coming in. Dropping it throws them away.
#[async_trait]
pub trait Staging: Send {
    /// Takes in more bytes.
    ///
    /// # Errors
    /// [`BlobError`] if they can't be kept.
    async fn write(&mut self, bytes: &[u8]) -> Result<(), BlobError>;

    /// Ends the intake.
    ///
    /// # Errors
    /// [`BlobError`] if the last bytes can't be kept.
    async fn finish(self: Box<Self>) -> Result<Arc<dyn Staged>, BlobError>;
}

/// Bytes that came in whole. The last drop throws them away.
pub trait Staged: Send + Sync {
    /// How many there are.
    fn size(&self) -> u64;

    /// Their hash.
    fn sha256(&self) -> Sha256;

    /// The bytes from their beginning; every reader has a position of its own. Reading blocks.
    ///
    /// # Errors
    /// If they can't be opened.
    fn open(&self) -> io::Result<Box<dyn ReadSeek>>;
}

/// A blob as it was found in the blob store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBlob {
    /// Its key.
    pub key: BlobKey,
    /// How many bytes it has.
    pub size: u64,
    /// When it was stored, by the clock of the blob store.
    pub stored_at: Timestamp,
}

/// What can go wrong with the blob store. The texts are for the log and never reach a client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlobError {
    /// There is no such blob.
    #[error("there is no blob {0}")]
    Missing(String),
    /// The blob store has no room for more.
    #[error("the blob store has no room left: {0}")]
    Full(String),
    /// The blob store could not be read or written.
    #[error("the blob store failed: {0}")]
    Failed(String),
}

impl From<io::Error> for BlobError {
    fn from(error: io::Error) -> Self {
        let is_full = [ErrorKind::StorageFull, ErrorKind::QuotaExceeded].contains(&error.kind());
        let text = error.to_string();
        if is_full { Self::Full(text) } else { Self::Failed(text) }
    }
}
