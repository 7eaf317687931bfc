//! Making a document into chunks: asked for by a request, done by a job.
//!
//! The chunks of an extraction stand beside those of an earlier one until the last of them is stored;
//! then the document has them, all at once.

use std::sync::Arc;

use super::{
    Chunk, ChunkReader, Document, DocumentToExtract, Extracting, Extraction, ExtractionError,
    ExtractionFault, ExtractionSettings, ExtractionStatus,
};
use crate::access::{Operator, ProjectScope};
use crate::blob::{BlobKey, BlobKind};
use crate::context::Context;
use crate::error::{Busy, DomainError};
use crate::id::{ChunkId, ExtractionId};
use crate::job::{Job, JobKind, Progress};
use crate::store::{Lock, Repositories};

/// How many chunks one unit removes, so that other writers need not wait long.
const REMOVED_AT_ONCE: u32 = 500;

/// Notes that a document is to be extracted. Whoever calls this stores the document.
pub(super) fn begin_extraction(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &ProjectScope,
    document: &mut Document,
    settings: ExtractionSettings,
) -> Result<(), DomainError> {
    let limit = context.limits.queued_extractions_per_project;
    // The place of its own that it may have already is the one that it takes.
    let own = u64::from(document.extraction.status == ExtractionStatus::Queued);
    if tx.extractions_at_once(scope)?.queued >= u64::from(limit) + own {
        return Err(DomainError::Busy(Busy::QueuedExtractions(limit)));
    }
    release_going(tx, context, document)?;
    let id = ExtractionId::from_uuid(context.ids.next());
    document.extraction = Extraction {
        id: Some(id),
        status: ExtractionStatus::Queued,
        error: None,
        settings,
        finished_at: None,
        ..document.extraction
    };
    let job = Job::new(context.ids.next(), JobKind::Extract, id, context.clock.now());
    Ok(tx.insert_job(&job.of_project(document.project_id))?)
}

/// Notes that nobody wants the chunks of a document any more, nor those that are being made.
pub(super) fn end_extraction(
    tx: &mut dyn Repositories,
    context: &Context,
    document: &Document,
) -> Result<(), DomainError> {
    release_going(tx, context, document)?;
    release_chunks(tx, context, document, document.extraction.chunks_of)
}

fn release_going(
    tx: &mut dyn Repositories,
    context: &Context,
    document: &Document,
) -> Result<(), DomainError> {
    let going = document.extraction.id.filter(|_| document.extraction.status.is_going());
    release_chunks(tx, context, document, going)
}

/// Notes that chunks are to be removed, as soon as no document has them.
fn release_chunks(
    tx: &mut dyn Repositories,
    context: &Context,
    document: &Document,
    of: Option<ExtractionId>,
) -> Result<(), DomainError> {
    let Some(of) = of else {
        return Ok(());
    };
    let job = Job::new(context.ids.next(), JobKind::RemoveChunks, of, context.clock.now());
    Ok(tx.insert_job(&job.of_project(document.project_id))?)
}

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

/// Whether an extraction is still to be done.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) fn is_wanted(
    tx: &mut dyn Repositories,
    operator: Operator,
    subject: &str,
) -> Result<bool, DomainError> {
    let id = ExtractionId::parse(subject);
    let found = id.map(|id| tx.document_to_extract(operator, id, Lock::None)).transpose()?;
    Ok(found.flatten().is_some_and(|found| found.document.extraction.status.is_going()))
}

/// Ends an extraction whose job is given up.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) fn give_up(
    tx: &mut dyn Repositories,
    context: &Context,
    operator: Operator,
    job: &Job,
) -> Result<(), DomainError> {
    let Some(id) = ExtractionId::parse(&job.subject) else {
        return Ok(());
    };
    if !tx.holds_job(operator, job)? {
        return Ok(());
    }
    let found = tx.document_to_extract(operator, id, Lock::Exclusive)?;
    match found.map(DocumentToExtract::with_scope) {
        Some((scope, document)) if document.extraction.status.is_going() => {
            fail(tx, context, &scope, document, ExtractionError::Interrupted)
        }
        Some(_) | None => Ok(()),
    }
}

/// Removes the next chunks of an extraction of which no document's chunks are.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) async fn remove_chunks(
    context: &Arc<Context>,
    operator: Operator,
    job: &Job,
    id: ExtractionId,
) -> Result<Progress, DomainError> {
    let job = job.clone();
    context
        .store
        .write(move |tx| {
            if !tx.holds_job(operator, &job)? {
                return Ok(Progress::Lost);
            }
            let removed = tx.remove_unused_chunks(operator, id, REMOVED_AT_ONCE)?;
            Ok(if removed < REMOVED_AT_ONCE { Progress::Done } else { Progress::More })
        })
        .await
}

/// Ends an extraction that came to nothing. The chunks of an earlier one stay.
fn fail(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &ProjectScope,
    mut document: Document,
    error: ExtractionError,
) -> Result<(), DomainError> {
    release_going(tx, context, &document)?;
    document.extraction.status = ExtractionStatus::Failed;
    document.extraction.error = Some(error);
    document.extraction.finished_at = Some(context.clock.now());
    Ok(tx.update_document(scope, &document)?)
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
                        let limit = run.context.limits.extractions_per_project;
                        if tx.extractions_at_once(&scope)?.running >= limit.into() {
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
