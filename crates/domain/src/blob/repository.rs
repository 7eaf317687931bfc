//! The repository of blobs.

use super::{Blob, BlobKey, BlobKind, Sha256};
use crate::access::{Operator, ProjectScope};
use crate::error::StorageError;
use crate::id::BlobId;

/// What the database knows of blobs.
pub trait BlobRepository {
    /// The project's blob of this kind and content that can be referred to, held so that its removal
    /// can't begin. There is one at most.
    fn present_blob(
        &mut self,
        scope: &ProjectScope,
        kind: BlobKind,
        sha256: Sha256,
    ) -> Result<Option<Blob>, StorageError>;

    /// How many bytes the project's blobs have together.
    fn blob_bytes(&mut self, scope: &ProjectScope) -> Result<u64, StorageError>;

    /// Stores a new blob, whose bytes are in their place.
    fn insert_blob(&mut self, scope: &ProjectScope, blob: &Blob) -> Result<(), StorageError>;

    /// A blob of any project, locked exclusively.
    fn blob(&mut self, operator: Operator, id: BlobId) -> Result<Option<Blob>, StorageError>;

    /// Whether any row of its project refers to the blob.
    fn is_blob_referred_to(
        &mut self,
        operator: Operator,
        blob: &Blob,
    ) -> Result<bool, StorageError>;

    /// Marks a blob, to which nothing refers, as being removed.
    fn mark_blob_deleting(&mut self, operator: Operator, id: BlobId) -> Result<(), StorageError>;

    /// Forgets a blob whose bytes are gone. If it is forgotten already, that is no error.
    fn forget_blob(&mut self, operator: Operator, id: BlobId) -> Result<(), StorageError>;

    /// Those of these keys whose project the database knows, but not their blob.
    fn orphaned_blobs(
        &mut self,
        operator: Operator,
        keys: &[BlobKey],
    ) -> Result<Vec<BlobKey>, StorageError>;
}
