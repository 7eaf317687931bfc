//! What the machine does wrong.

use domain::document::ExtractionFault;

/// A fault that is neither the file's nor the blob store's.
pub(super) fn failed(error: impl std::fmt::Display) -> ExtractionFault {
    ExtractionFault::Extractor(error.to_string())
}
