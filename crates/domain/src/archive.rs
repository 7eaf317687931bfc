//! What a package must be like: a ZIP archive that keeps to a strict policy.

use std::sync::Arc;

use async_trait::async_trait;

use crate::blob::{BlobError, Staged};
use crate::choice;
use crate::id::ProjectId;

choice! {
    /// The rule of the archive policy that an archive breaks (docs/security.md has the bounds).
    ArchiveRule {
        Malformed "malformed",
        Empty "empty",
        LeadingData "leading_data",
        TrailingData "trailing_data",
        MultiDisk "multi_disk",
        HeadersDisagree "headers_disagree",
        OverlappingEntries "overlapping_entries",
        UnsupportedCompression "unsupported_compression",
        Encrypted "encrypted",
        TooManyEntries "too_many_entries",
        BadName "bad_name",
        NameTooLong "name_too_long",
        TooDeep "too_deep",
        PathTraversal "path_traversal",
        DuplicateName "duplicate_name",
        NotAFile "not_a_file",
        EntryTooLarge "entry_too_large",
        TooLarge "too_large",
        RatioTooHigh "ratio_too_high",
        ChecksumMismatch "checksum_mismatch",
        TookTooLong "took_too_long",
    }
}

/// What is known of an archive that keeps to the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Archive {
    /// How many entries it has, folders included.
    pub entries: u64,
}

/// Why an archive was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// The bytes are no ZIP archive at all.
    #[error("no ZIP archive")]
    NotAnArchive,
    /// It breaks a rule.
    #[error("the archive breaks the rule {}", .0.as_str())]
    Bad(ArchiveRule),
    /// Too many archives wait already; try again.
    #[error("too many archives wait to be looked through")]
    Overloaded,
    /// The bytes could not be read.
    #[error(transparent)]
    Unreadable(#[from] BlobError),
}

/// Looks through archives; never unpacks them.
#[async_trait]
pub trait ArchiveCheck: Send + Sync {
    /// Holds the archive of this project against the policy, its content included.
    ///
    /// # Errors
    /// [`ArchiveError`] if it is not to be accepted.
    async fn check(
        &self,
        project: ProjectId,
        file: &Arc<dyn Staged>,
    ) -> Result<Archive, ArchiveError>;
}
