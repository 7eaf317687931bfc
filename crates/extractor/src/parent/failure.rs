//! What the machine does wrong.

use domain::document::ExtractorError;

/// An error that is neither the file's nor the blob store's.
pub(super) fn failed(error: impl std::fmt::Display) -> ExtractorError {
    ExtractorError::Extractor(error.to_string())
}
