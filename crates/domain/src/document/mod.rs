//! Project documents: files that become chunks of text (specification, section 2.8).

mod none;
mod port;
mod settings;

pub use none::NoExtractor;
pub use port::{ChunkReader, ExtractedChunk, Extracting, ExtractionFault, TextExtractor};
pub use settings::{CHARS_DEFAULT, CHARS_MAX, CHARS_MIN, ExtractionSettings, Strategy};

use crate::choice;

choice! {
    /// Why a document could not be made into chunks.
    ExtractionError {
        Unsupported "unsupported",
        Corrupt "corrupt",
        Encrypted "encrypted",
        TooLarge "too_large",
        NoText "no_text",
        OcrUnavailable "ocr_unavailable",
        OcrLanguage "ocr_language",
        Timeout "timeout",
        Memory "memory",
        Crashed "crashed",
        Interrupted "interrupted",
    }
}
