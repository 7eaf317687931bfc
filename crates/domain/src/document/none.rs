//! A port for programs that read no files.

use std::sync::Arc;

use async_trait::async_trait;

use super::{ChunkReader, Extracting, ExtractionError, ExtractorError, TextExtractor};
use crate::blob::{BlobError, Staged};

/// No extractor: every file is reported as of an unsupported type.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoExtractor;

#[async_trait]
impl TextExtractor for NoExtractor {
    async fn media_type(
        &self,
        _: &Arc<dyn Staged>,
        _: &str,
        said: Option<&str>,
    ) -> Result<String, BlobError> {
        Ok(said.unwrap_or("application/octet-stream").to_owned())
    }

    async fn ocr_languages(&self) -> Vec<String> {
        Vec::new()
    }

    async fn extract(&self, _: Extracting) -> Result<Box<dyn ChunkReader>, ExtractorError> {
        Err(ExtractorError::File(ExtractionError::Unsupported))
    }
}
