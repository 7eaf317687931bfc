//! Blobs: large, immutable bytes that rows refer to, kept outside of the database.
//!
//! A blob belongs to a project and lies under the hash of its content, so that duplicates within the
//! project share it, and nothing is ever shared across projects. [`Blobs`] is the port to the place
//! where the bytes are; [`BlobRepository`] knows which blobs there are. The two are kept in step: a row
//! never points to bytes that are not there.

mod hasher;
mod job;
mod keep;
mod none;
mod port;
mod repository;

use std::fmt;

pub use hasher::Sha256Hasher;
pub use job::{REMOVE_BLOB, SWEEP_BLOBS};
pub(crate) use job::{RemoveBlob, SweepBlobs};
pub(crate) use keep::{keep, release};
pub use none::{NoArchives, NoBlobs};
pub use port::{
    BlobError, BlobLister, BlobReader, Blobs, OneBlock, ReadSeek, Staged, Staging, StoredBlob,
};
pub use repository::BlobRepository;

use crate::choice;
use crate::clock::Timestamp;
use crate::id::{BlobId, ProjectId};

choice! {
    /// What a blob is part of; a segment of its key.
    BlobKind {
        Fusion "fusion",
        Document "document",
    }

    /// Whether a blob can be referred to.
    BlobState {
        Present "present",
        Deleting "deleting",
    }
}

/// A SHA-256 (FIPS 180-4), written as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// Takes these bytes for a hash.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Reads the 64 digits; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            for digit in pair {
                let value = match digit {
                    b'0'..=b'9' => digit - b'0',
                    b'a'..=b'f' => digit - b'a' + 10,
                    _ => return None,
                };
                *byte = *byte << 4 | value;
            }
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sha256({self})")
    }
}

impl serde::Serialize for Sha256 {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Sha256 {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("no SHA-256"))
    }
}

/// What the database knows of a blob.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// Its identifier. Content that is stored again after its removal had begun gets a new one, so
    /// that the removal can't hit it.
    pub id: BlobId,
    /// The project that it belongs to.
    pub project_id: ProjectId,
    /// What it is part of.
    pub kind: BlobKind,
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// How many bytes it has.
    pub size: u64,
    /// Whether it can be referred to.
    pub state: BlobState,
    /// When it was stored.
    pub created_at: Timestamp,
}

impl Blob {
    /// Where its bytes lie.
    #[must_use]
    pub fn key(&self) -> BlobKey {
        BlobKey::of(self.project_id, self.kind, self.sha256, self.id)
    }
}

/// Where the bytes of a blob lie, relative to the root of the blob store: `project/kind/sha256-id`. Made
/// of lower-case hexadecimal digits, words, hyphens and two slashes, so it is fit for a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlobKey(String);

impl BlobKey {
    /// The key of a blob.
    #[must_use]
    pub fn of(project_id: ProjectId, kind: BlobKind, sha256: Sha256, id: BlobId) -> Self {
        Self(format!("{project_id}/{}/{sha256}-{id}", kind.as_str()))
    }

    /// Reads a key as [`Blob::key`] makes it; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (project, rest) = text.split_once('/')?;
        let (kind, name) = rest.split_once('/')?;
        let (sha256, id) = name.split_once('-')?;
        ProjectId::parse(project)?;
        BlobKind::parse(kind)?;
        Sha256::parse(sha256)?;
        BlobId::parse(id)?;
        Some(Self(text.to_owned()))
    }

    /// The key as a path with slashes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The project of the blob that lies here.
    #[must_use]
    pub fn project_id(&self) -> Option<ProjectId> {
        self.0.split_once('/').and_then(|(project, _)| ProjectId::parse(project))
    }

    /// The identifier of the blob that lies here.
    #[must_use]
    pub fn blob_id(&self) -> Option<BlobId> {
        let (_, name) = self.0.rsplit_once('/')?;
        name.split_once('-').and_then(|(_, id)| BlobId::parse(id))
    }
}

impl fmt::Display for BlobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_reads_back_as_it_was_written() {
        let hash = Sha256::from_bytes(std::array::from_fn(|at| at as u8 * 8));
        assert_eq!(Sha256::parse(&hash.to_string()), Some(hash));
        let hex = hash.to_string();
        for bad in ["", &"a".repeat(63), &hex.to_uppercase(), &format!("{hex}0"), &"g".repeat(64)] {
            assert_eq!(Sha256::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_key_reads_back_as_it_was_made() {
        let blob = Blob {
            id: BlobId::parse("0197d0c8-3c5e-7000-8000-0123456789ab").unwrap(),
            project_id: ProjectId::parse("0197d0c8-3c5e-7000-8000-0123456789cd").unwrap(),
            kind: BlobKind::Fusion,
            sha256: Sha256::from_bytes([0xab; 32]),
            size: 1,
            state: BlobState::Present,
            created_at: Timestamp::from_millis(0),
        };
        let key = blob.key();
        assert_eq!(BlobKey::parse(key.as_str()), Some(key.clone()));
        assert_eq!((key.project_id(), key.blob_id()), (Some(blob.project_id), Some(blob.id)));
        for bad in ["", "a/fusion/b", "../fusion/x-y", &format!("{key}#1"), &format!("/{key}")] {
            assert_eq!(BlobKey::parse(bad), None, "{bad}");
        }
    }
}
