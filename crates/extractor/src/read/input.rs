//! The bytes of a file.

use std::fmt;
use std::io::{Cursor, Read, Seek, SeekFrom};

use domain::blob::ReadSeek;
use domain::document::ExtractionError;

use super::error::ReadError;

/// The bytes of a file, which may be more than fit into memory.
pub(crate) struct Input(Box<dyn ReadSeek>);

impl Input {
    /// Bytes that can be read from anywhere.
    pub(crate) fn new(source: impl ReadSeek + 'static) -> Self {
        Self(Box::new(source))
    }

    /// All of them, if they are no more than this.
    pub(crate) fn whole(mut self, limit: u64) -> Result<Vec<u8>, ReadError> {
        let mut bytes = Vec::new();
        let read = self.0.by_ref().take(limit.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| ReadError::of_system(&error))?;
        if bytes.len() as u64 > limit { Err(ExtractionError::TooLarge.into()) } else { Ok(bytes) }
    }
}

impl From<Vec<u8>> for Input {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(Cursor::new(bytes))
    }
}

impl Read for Input {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Seek for Input {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        self.0.seek(to)
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Input")
    }
}
