//! Where the body of a request ends.

use super::chunks::Chunks;

/// What is still to come of a body.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// The number of bytes left.
    Length(u64),
    /// Chunks, to the last one.
    Chunked(Chunks),
}

/// Whether a body is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyProgress {
    /// There is more to come.
    More,
    /// It is complete.
    Complete,
    /// It can't be read on; what is wrong with it.
    Broken(&'static str),
}

impl Framing {
    /// A body in chunks, of which nothing has come.
    pub(super) fn chunked() -> Self {
        Self::Chunked(Chunks::default())
    }

    /// How many of these bytes belong to the body, and how far it has come with them.
    pub(super) fn advance(&mut self, bytes: &[u8]) -> (usize, BodyProgress) {
        match self {
            Self::Length(left) => {
                let count =
                    usize::try_from(*left).map_or(bytes.len(), |left| left.min(bytes.len()));
                *left -= count as u64;
                (count, if *left == 0 { BodyProgress::Complete } else { BodyProgress::More })
            }
            Self::Chunked(chunks) => chunks.advance(bytes),
        }
    }
}
