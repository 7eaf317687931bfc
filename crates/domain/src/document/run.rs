//! Doing an extraction: one attempt, from the file to its last chunk.

use std::sync::Arc;

use super::extraction::{REMOVED_AT_ONCE, fail, is_place_free, release_chunks};
use super::{
    Chunk, ChunkReader, Document, DocumentToExtract, Extracting, ExtractionError, ExtractionFault,
    ExtractionStatus,
};
use crate::access::{Operator, ProjectScope};
use crate::blob::{BlobKey, BlobKind};
use crate::context::Context;
use crate::error::DomainError;
use crate::id::{ChunkId, ExtractionId};
use crate::job::{Job, Progress};
use crate::lock::Lock;
use crate::store::Repositories;

/// Does an extraction.
///
/// # Errors
/// [`DomainError::Storage`], [`DomainError::Blob`] or [`DomainError::Extractor`] if one of them did not do
/// its part. What is due to the file ends the extraction as failed.
pub(crate) async fn extract(
    context: &Arc<Context>,
    operator: Operator,
    job: &Job,
    id: ExtractionId,
) -> Result<Progress, DomainError> {
    let run = Run { context: context.clone(), operator, job: job.clone(), id };
    let document = match run.begin().await? {
        Ok(document) => document,
        Err(progress) => return Ok(progress),
    };
    if !run.remove_remains().await? {
        return Ok(Progress::More);
    }
    match run.store_all(&document).await? {
        Stored::All(count) => run.end(Ok(count)).await,
        Stored::Broken(error) => run.end(Err(error)).await,
        Stored::Unwanted => Ok(Progress::More),
    }
}

/// One attempt of an extraction.
#[derive(Clone)]
struct Run {
    context: Arc<Context>,
    operator: Operator,
    job: Job,
    id: ExtractionId,
}

/// What came of reading a file.
enum Stored {
    /// All its chunks are stored, so many.
    All(u32),
    /// It could not be read.
    Broken(ExtractionError),
    /// Nobody wants them any more.
    Unwanted,
}

impl Run {
    /// Looks the document up and says that it is being extracted; or says how far this step got without.
    async fn begin(&self) -> Result<Result<Document, Progress>, DomainError> {
        let run = self.clone();
        self.context
            .store
            .write(move |tx| {
                if !tx.holds_job(run.operator, &run.job)? {
                    return Ok(Err(Progress::Lost));
                }
                // The project is held, so that two do not take its last place, and before the document, as
                // by whoever replaces that.
                let found = tx.document_to_extract(run.operator, run.id, Lock::None)?;
                if let Some((scope, _)) = found.map(DocumentToExtract::with_scope) {
                    scope.claim().resolve(tx, Lock::Exclusive)?;
                }
                let found = tx.document_to_extract(run.operator, run.id, Lock::Exclusive)?;
                let Some((scope, mut document)) = found.map(DocumentToExtract::with_scope) else {
                    return Ok(Err(Progress::Done));
                };
                match document.extraction.status {
                    ExtractionStatus::Queued => {
                        if !is_place_free(tx, &run.context, &scope)? {
                            return Ok(Err(Progress::Later));
                        }
                        document.extraction.status = ExtractionStatus::Running;
                        tx.update_document(&scope, &document)?;
                        Ok(Ok(document))
                    }
                    ExtractionStatus::Running => Ok(Ok(document)),
                    ExtractionStatus::None
                    | ExtractionStatus::Finished
                    | ExtractionStatus::Failed => Ok(Err(Progress::Done)),
                }
            })
            .await
    }

    /// Removes what an attempt before this one left; returns whether this attempt still runs.
    async fn remove_remains(&self) -> Result<bool, DomainError> {
        loop {
            let (operator, id) = (self.operator, self.id);
            let removed = self.write(move |tx, _, _| {
                Ok(tx.remove_unused_chunks(operator, id, REMOVED_AT_ONCE)?)
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
            Err(fault) => return broken(fault),
        };
        let mut count = 0;
        loop {
            let extracted = match reader.next().await {
                Ok(Some(extracted)) => extracted,
                Ok(None) => return Ok(Stored::All(count)),
                Err(fault) => return broken(fault),
            };
            let ids = &self.context.ids;
            let chunks: Vec<Chunk> = (count..)
                .zip(extracted)
                .map(|(index, extracted)| Chunk {
                    id: ChunkId::from_uuid(ids.next()),
                    index,
                    extracted,
                })
                .collect();
            count = chunks.last().map_or(count, |last| last.index + 1);
            let id = self.id;
            let unit = move |tx: &mut dyn Repositories, scope: &ProjectScope, _: Document| {
                Ok(tx.insert_chunks(scope, id, &chunks)?)
            };
            if self.write(unit).await?.is_none() {
                return Ok(Stored::Unwanted);
            }
        }
    }

    async fn open(&self, document: &Document) -> Result<Box<dyn ChunkReader>, ExtractionFault> {
        let file = &document.file;
        let kind = BlobKind::Document;
        let key = BlobKey::of(document.project_id, kind, file.sha256, file.blob_id);
        let bytes = self.context.blobs.read(&key, 0..file.size).await?;
        let file = Extracting {
            bytes,
            size: file.size,
            file_name: file.file_name.clone(),
            media_type: file.mime_type.clone(),
            settings: document.extraction.settings.clone(),
        };
        self.context.extractor.extract(file).await
    }

    /// Ends the extraction: with all its chunks the document has them from now on.
    async fn end(self, outcome: Result<u32, ExtractionError>) -> Result<Progress, DomainError> {
        let (context, id) = (self.context.clone(), self.id);
        let unit =
            move |tx: &mut dyn Repositories, scope: &ProjectScope, mut document: Document| {
                let count = match outcome {
                    Ok(count) => count,
                    Err(error) => return fail(tx, &context, scope, document, error),
                };
                release_chunks(tx, &context, &document, document.extraction.chunks_of)?;
                document.extraction.status = ExtractionStatus::Finished;
                document.extraction.chunks_of = Some(id);
                document.extraction.chunk_count = count;
                document.extraction.finished_at = Some(context.clock.now());
                Ok(tx.update_document(scope, &document)?)
            };
        Ok(self.write(unit).await?.map_or(Progress::More, |()| Progress::Done))
    }

    /// Runs a unit, unless this attempt of the extraction runs no more.
    async fn write<T, F>(&self, unit: F) -> Result<Option<T>, DomainError>
    where
        T: Send + 'static,
        F: Fn(&mut dyn Repositories, &ProjectScope, Document) -> Result<T, DomainError>
            + Send
            + 'static,
    {
        let run = self.clone();
        self.context
            .store
            .write(move |tx| {
                if !tx.holds_job(run.operator, &run.job)? {
                    return Ok(None);
                }
                let found = tx.document_to_extract(run.operator, run.id, Lock::Exclusive)?;
                match found.map(DocumentToExtract::with_scope) {
                    Some((scope, document))
                        if document.extraction.status == ExtractionStatus::Running =>
                    {
                        unit(tx, &scope, document).map(Some)
                    }
                    Some(_) | None => Ok(None),
                }
            })
            .await
    }
}

/// What is due to the file ends the extraction; all else may pass.
fn broken(fault: ExtractionFault) -> Result<Stored, DomainError> {
    match fault {
        ExtractionFault::File(error) => Ok(Stored::Broken(error)),
        ExtractionFault::Blob(error) => Err(error.into()),
        ExtractionFault::Extractor(text) => Err(DomainError::Extractor(text)),
    }
}
