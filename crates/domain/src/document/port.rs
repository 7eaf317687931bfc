//! The port to the extractor of text from files.

use std::sync::Arc;

use async_trait::async_trait;

use super::{ExtractionError, ExtractionSettings};
use crate::blob::{BlobError, BlobReader, Staged};

/// Reads text from files.
///
/// # Contract
/// - What a file does to its reader (a crash, a bomb, a hang) affects no other work: it ends in an
///   [`ExtractionError`].
/// - This process never holds a whole file in memory, nor all chunks of one.
#[async_trait]
pub trait TextExtractor: Send + Sync {
    /// The media type of a file, by its bytes, and where they leave it open by its name and then by
    /// what its sender said: `text/markdown`, never with parameters; `application/octet-stream` if
    /// nothing is known.
    ///
    /// # Errors
    /// [`BlobError`] if its bytes can't be read.
    async fn media_type(
        &self,
        staged: &Arc<dyn Staged>,
        file_name: &str,
        said: Option<&str>,
    ) -> Result<String, BlobError>;

    /// The languages in which text can be read from images, as Tesseract names them; none if it can't
    /// at all.
    async fn ocr_languages(&self) -> Vec<String>;

    /// Begins to make a file into chunks, when there is a slot for it: few files are read at once.
    /// Dropping what it returns ends the work.
    ///
    /// # Errors
    /// [`ExtractorError`]
    async fn extract(&self, file: Extracting) -> Result<Box<dyn ChunkReader>, ExtractorError>;
}

/// A file that is to be made into chunks.
pub struct Extracting {
    /// Its bytes.
    pub bytes: Box<dyn BlobReader>,
    /// How many there are.
    pub size: u64,
    /// What it is called.
    pub file_name: String,
    /// Its media type.
    pub media_type: String,
    /// How it is made into chunks.
    pub settings: ExtractionSettings,
}

/// The chunks of a file, in their order.
#[async_trait]
pub trait ChunkReader: Send {
    /// The next chunks, at least one and a bounded number of bytes; `None` at the end.
    ///
    /// # Errors
    /// [`ExtractorError`]; then those before are not all that the file has.
    async fn next(&mut self) -> Result<Option<Vec<ExtractedChunk>>, ExtractorError>;
}

/// A piece of the text of a file. Characters are Unicode scalar values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtractedChunk {
    /// The text: exactly the characters from `char_start` up to `char_end` of the file's text.
    pub text: String,
    /// Where it begins in the file's text, in characters.
    pub char_start: u64,
    /// Where it ends.
    pub char_end: u64,
    /// On which page it begins, counted from 1, if the file has pages.
    pub page: Option<u32>,
    /// The headings under which it stands, outermost first.
    pub heading: Vec<String>,
}

/// Why there are no chunks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExtractorError {
    /// It is due to the file, or to what is asked of it; trying again would end the same way.
    #[error("the document could not be read: {}", .0.as_str())]
    File(ExtractionError),
    /// Its bytes could not be fetched.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// The extractor itself failed; the text is for the log.
    #[error("the extractor failed: {0}")]
    Extractor(String),
}
