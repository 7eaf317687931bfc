//! Ports for programs that have no use for blobs.

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;

use super::{BlobError, BlobKey, BlobLister, BlobReader, Blobs, Staged, Staging};
use crate::archive::{Archive, ArchiveCheck, ArchiveError};
use crate::id::ProjectId;

/// No blob store: every call fails.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoBlobs;

fn none<T>() -> Result<T, BlobError> {
    Err(BlobError::Failed("this program has no blob store".to_owned()))
}

#[async_trait]
impl Blobs for NoBlobs {
    async fn stage(&self) -> Result<Box<dyn Staging>, BlobError> {
        none()
    }

    async fn put(&self, _: &BlobKey, _: &Arc<dyn Staged>) -> Result<(), BlobError> {
        none()
    }

    async fn read(&self, _: &BlobKey, _: Range<u64>) -> Result<Box<dyn BlobReader>, BlobError> {
        none()
    }

    async fn delete(&self, _: &BlobKey) -> Result<(), BlobError> {
        none()
    }

    async fn list(&self, _: ProjectId) -> Result<Box<dyn BlobLister>, BlobError> {
        none()
    }

    async fn tidy(&self) -> Result<(), BlobError> {
        none()
    }

    async fn check(&self) -> Result<(), BlobError> {
        none()
    }
}

/// No check of archives: every call fails, so no archive is accepted.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoArchives;

#[async_trait]
impl ArchiveCheck for NoArchives {
    async fn check(&self, _: ProjectId, _: &Arc<dyn Staged>) -> Result<Archive, ArchiveError> {
        Err(ArchiveError::Unreadable(BlobError::Failed(
            "this program looks through no archives".to_owned(),
        )))
    }
}
