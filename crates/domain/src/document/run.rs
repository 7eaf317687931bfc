//! One attempt of an extraction, from the file to its last chunk.

use super::release::{REMOVED_AT_ONCE, fail_extraction, release_chunks};
use super::{
    Chunk, ChunkReader, Document, DocumentToExtract, Extracting, ExtractionError, ExtractionStatus,
    ExtractorError,
};
use crate::blob::{BlobKey, BlobKind};
use crate::error::DomainError;
use crate::event::{EventData, EventType};
use crate::id::{ExtractionId, ProjectId};
use crate::job::StepOutcome;
use crate::job::run::JobRun;
use crate::lock::Lock;
use crate::unit::ProjectUnit;

/// One attempt of an extraction.
#[derive(Clone)]
pub(super) struct Attempt {
    pub(super) run: JobRun,
    pub(super) id: ExtractionId,
}

/// What came of reading a file.
enum Stored {
    /// All its chunks are stored, so many.
    All(u32),
    /// It could not be read.
    Broken(ExtractionError),
    /// This attempt of the extraction runs no more, so its chunks are not wanted.
    Unwanted,
}

impl Attempt {
    /// Reads the document and stores its chunks.
    ///
    /// # Errors
    /// [`DomainError::Storage`], [`DomainError::Blob`] or [`DomainError::Extractor`] if one of them did
    /// not do its part. What is due to the file ends the extraction as failed.
    pub(super) async fn run(self, document: &Document) -> Result<StepOutcome, DomainError> {
        if !self.remove_remains(document.project_id).await? {
            return Ok(StepOutcome::Continue);
        }
        match self.store_all(document).await? {
            Stored::All(count) => self.end(Ok(count)).await,
            Stored::Broken(error) => self.end(Err(error)).await,
            Stored::Unwanted => Ok(StepOutcome::Continue),
        }
    }

    /// Removes what an attempt before this one left; returns whether this attempt still runs.
    async fn remove_remains(&self, project: ProjectId) -> Result<bool, DomainError> {
        loop {
            let (operator, id) = (self.run.operator, self.id);
            let removed = self.write(move |unit, _| {
                Ok(unit.tx.remove_unused_chunks(operator, project, id, REMOVED_AT_ONCE)?)
            });
            match removed.await? {
                Some(REMOVED_AT_ONCE) => {}
                removed => return Ok(removed.is_some()),
            }
        }
    }

    async fn store_all(&self, document: &Document) -> Result<Stored, DomainError> {
        let mut reader = match self.open(document).await {
            Ok(reader) => reader,
            Err(error) => return broken(error),
        };
        let mut count = 0;
        loop {
            let extracted = match reader.next().await {
                Ok(Some(extracted)) => extracted,
                Ok(None) => return Ok(Stored::All(count)),
                Err(error) => return broken(error),
            };
            let ids = &self.run.context.ids;
            let chunks: Vec<Chunk> = (count..)
                .zip(extracted)
                .map(|(index, extracted)| Chunk { id: ids.next().into(), index, extracted })
                .collect();
            count = chunks.last().map_or(count, |last| last.index + 1);
            let id = self.id;
            let inserted =
                self.write(move |unit, _| Ok(unit.tx.insert_chunks(&unit.scope, id, &chunks)?));
            if inserted.await?.is_none() {
                return Ok(Stored::Unwanted);
            }
        }
    }

    async fn open(&self, document: &Document) -> Result<Box<dyn ChunkReader>, ExtractorError> {
        let file = &document.file;
        let kind = BlobKind::Document;
        let key = BlobKey::of(document.project_id, kind, file.sha256, file.blob_id);
        let bytes = self.run.context.blobs.read(&key, 0..file.size).await?;
        let file = Extracting {
            bytes,
            size: file.size,
            file_name: file.file_name.clone(),
            media_type: file.mime_type.clone(),
            settings: document.extraction.settings.clone(),
        };
        self.run.context.extractor.extract(file).await
    }

    /// Ends the extraction: with all its chunks the document has them from now on.
    async fn end(self, outcome: Result<u32, ExtractionError>) -> Result<StepOutcome, DomainError> {
        let id = self.id;
        let ended = self.write(move |unit, mut document| {
            let count = match outcome {
                Ok(count) => count,
                Err(error) => return fail_extraction(unit, document, error),
            };
            release_chunks(unit, &document, document.extraction.chunks_of)?;
            document.extraction.status = ExtractionStatus::Finished;
            document.extraction.chunks_of = Some(id);
            document.extraction.chunk_count = count;
            document.extraction.finished_at = Some(unit.now());
            unit.notify_extraction_end(id);
            unit.tx.update_document(&unit.scope, &document)?;
            let data = EventData { chunk_count: Some(count), ..EventData::NONE };
            unit.emit(EventType::DocumentExtracted, document.id, &data)
        });
        Ok(match (ended.await?, outcome) {
            (None, _) => StepOutcome::Continue,
            (Some(()), Ok(_)) => StepOutcome::Done,
            (Some(()), Err(error)) => StepOutcome::Unsuccessful(error.as_str()),
        })
    }

    /// Runs a unit, unless this attempt of the extraction runs no more.
    async fn write<T, F>(&self, work: F) -> Result<Option<T>, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut ProjectUnit<'_>, Document) -> Result<T, DomainError> + Send + 'static,
    {
        let (operator, id) = (self.run.operator, self.id);
        let written = self.run.write_leased(move |unit| {
            let found = unit.tx.document_to_extract(operator, id, Lock::Exclusive)?;
            match found.map(DocumentToExtract::with_scope) {
                Some((scope, document))
                    if document.extraction.status == ExtractionStatus::Running =>
                {
                    work(&mut unit.with_scope(scope), document).map(Some)
                }
                Some(_) | None => Ok(None),
            }
        });
        Ok(written.await?.flatten())
    }
}

/// What is due to the file ends the extraction; all else may pass.
fn broken(error: ExtractorError) -> Result<Stored, DomainError> {
    match error {
        ExtractorError::File(error) => Ok(Stored::Broken(error)),
        ExtractorError::Blob(error) => Err(error.into()),
        ExtractorError::Extractor(text) => Err(DomainError::Extractor(text)),
    }
}
