//! Why there is no text.

use std::io;

use domain::document::ExtractionError;

/// Why a file was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReadError {
    /// It is due to the file, or to what is asked of it; trying again would end the same way.
    File(ExtractionError),
    /// It is due to the machine, and says nothing of the file; the text is for the log.
    Machine(String),
}

impl ReadError {
    /// What follows from an error of the system that no content of a file brings about.
    pub(super) fn of_system(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::OutOfMemory {
            Self::File(ExtractionError::Memory)
        } else {
            Self::Machine(error.to_string())
        }
    }
}

impl From<ExtractionError> for ReadError {
    fn from(error: ExtractionError) -> Self {
        Self::File(error)
    }
}
