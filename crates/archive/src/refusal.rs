//! Why a check ended early.

use std::io;

use domain::archive::{ArchiveError, ArchiveRule};
use domain::blob::BlobError;

/// What ends a check early.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// It is no ZIP archive.
    NotAnArchive,
    /// It breaks a rule.
    Rule(ArchiveRule),
    /// Its bytes could not be read.
    Read(io::Error),
}

impl From<ArchiveRule> for Refusal {
    fn from(rule: ArchiveRule) -> Self {
        Self::Rule(rule)
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

impl From<Refusal> for ArchiveError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotAnArchive => Self::NotAnArchive,
            Refusal::Rule(rule) => Self::Bad(rule),
            Refusal::Read(error) => Self::Unreadable(BlobError::from(error)),
        }
    }
}
