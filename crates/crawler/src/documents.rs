//! Documents among the pages of a site: PDFs, whose text the document extractor reads.

use std::fmt;
use std::sync::Arc;

use domain::blob::OneBlock;
use domain::crawl::CrawlError;
use domain::document::{
    CHARS_MAX, Extracting, ExtractionError, ExtractionSettings, ExtractorError, Strategy,
    TextExtractor,
};
use domain::id::ProjectId;
use tokio::sync::Semaphore;

use crate::fair_permits::{FairPermit, FairPermits};

/// The media type of the documents that are read.
pub(crate) const PDF: &str = "application/pdf";

/// Has them read, one at a time: those that clients upload shall not wait for a whole site.
pub(crate) struct Documents {
    extractor: Arc<dyn TextExtractor>,
    permits: FairPermits,
}

impl Documents {
    pub(crate) fn new(extractor: Arc<dyn TextExtractor>) -> Self {
        Self { extractor, permits: FairPermits::new(1, || Semaphore::new(1)) }
    }

    /// Waits for a permit to have a document of a project's crawl read.
    pub(crate) async fn permit(&self, project: ProjectId) -> DocumentPermit<'_> {
        let permit = self.permits.take(Some(project)).await;
        DocumentPermit { extractor: &*self.extractor, _permit: permit }
    }
}

impl fmt::Debug for Documents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Documents")
    }
}

/// The right to have a document read now.
pub(crate) struct DocumentPermit<'a> {
    extractor: &'a dyn TextExtractor,
    _permit: FairPermit,
}

impl DocumentPermit<'_> {
    /// The text of a PDF, of at most `limit` bytes.
    ///
    /// # Errors
    /// It is larger, or there is none that can be read.
    pub(crate) async fn read(self, pdf: Vec<u8>, limit: u64) -> Result<String, CrawlError> {
        let file = Extracting {
            size: pdf.len() as u64,
            bytes: Box::new(OneBlock::new(pdf)),
            file_name: "page.pdf".to_owned(),
            media_type: PDF.to_owned(),
            settings: ExtractionSettings {
                max_chars: CHARS_MAX,
                max_overlap: 0,
                strategy: Strategy::Text,
                ..ExtractionSettings::of_type(PDF)
            },
        };
        let mut chunks = self.extractor.extract(file).await.map_err(word)?;
        let mut text = String::new();
        while let Some(more) = chunks.next().await.map_err(word)? {
            for chunk in more {
                if !text.is_empty() {
                    text.push_str("\n\n");
                }
                text.push_str(&chunk.text);
            }
            if text.len() as u64 > limit {
                return Err(CrawlError::TooLarge);
            }
        }
        Ok(text)
    }
}

/// What went wrong, as it is said of pages.
fn word(error: ExtractorError) -> CrawlError {
    match error {
        ExtractorError::File(error) => match error {
            ExtractionError::TooLarge | ExtractionError::Memory => CrawlError::TooLarge,
            ExtractionError::Timeout => CrawlError::Timeout,
            ExtractionError::Corrupt
            | ExtractionError::Encrypted
            | ExtractionError::NoText
            | ExtractionError::Crashed
            | ExtractionError::Interrupted => CrawlError::BadContent,
            ExtractionError::Unsupported
            | ExtractionError::OcrUnavailable
            | ExtractionError::OcrLanguage => CrawlError::UnsupportedType,
        },
        // The extractor itself failed, so PDFs can't be read here.
        ExtractorError::Blob(_) | ExtractorError::Extractor(_) => CrawlError::UnsupportedType,
    }
}
