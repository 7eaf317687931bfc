//! Extractions as requests ask for them and as their jobs end: what becomes of documents and chunks.
//!
//! The chunks of an extraction stand beside those of an earlier one until the last of them is stored;
//! then the document has them, all at once.

use std::sync::Arc;

use super::{
    Document, DocumentToExtract, Extraction, ExtractionError, ExtractionSettings, ExtractionStatus,
};
use crate::access::{Operator, ProjectScope};
use crate::context::Context;
use crate::error::{Busy, DomainError, StorageError};
use crate::id::ExtractionId;
use crate::job::{Job, JobKind, Progress};
use crate::lock::Lock;
use crate::store::Repositories;

/// How many chunks one unit removes, so that other writers need not wait long.
pub(super) const REMOVED_AT_ONCE: u32 = 500;

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
pub(super) fn release_chunks(
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

/// Whether an extraction is still to be done.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) fn is_wanted(
    tx: &mut dyn Repositories,
    operator: Operator,
    subject: &str,
) -> Result<bool, DomainError> {
    let found = find(tx, operator, subject, Lock::None)?;
    Ok(found.is_some_and(|(_, document)| document.extraction.status.is_going()))
}

/// Whether there is a place for an extraction at the moment, or none is needed.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) fn has_place(
    tx: &mut dyn Repositories,
    context: &Context,
    operator: Operator,
    subject: &str,
) -> Result<bool, DomainError> {
    let found = find(tx, operator, subject, Lock::None)?;
    found.map_or(Ok(true), |(scope, _)| is_place_free(tx, context, &scope))
}

pub(super) fn is_place_free(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &ProjectScope,
) -> Result<bool, DomainError> {
    let limit = context.limits.extractions_per_project;
    Ok(tx.extractions_at_once(scope)?.running < limit.into())
}

/// Says that an extraction waits again which did not come to its end; returns whether it had a place.
///
/// # Errors
/// [`DomainError::Storage`] if the database fails.
pub(crate) fn put_back(
    tx: &mut dyn Repositories,
    operator: Operator,
    subject: &str,
) -> Result<bool, DomainError> {
    let found = find(tx, operator, subject, Lock::Exclusive)?;
    let is_running = |document: &Document| document.extraction.status == ExtractionStatus::Running;
    let Some((scope, mut document)) = found.filter(|(_, document)| is_running(document)) else {
        return Ok(false);
    };
    document.extraction.status = ExtractionStatus::Queued;
    tx.update_document(&scope, &document)?;
    Ok(true)
}

/// The document of an extraction that is to be done, and the right to what its project has.
fn find(
    tx: &mut dyn Repositories,
    operator: Operator,
    subject: &str,
    lock: Lock,
) -> Result<Option<(ProjectScope, Document)>, StorageError> {
    let id = ExtractionId::parse(subject);
    let found = id.map(|id| tx.document_to_extract(operator, id, lock)).transpose()?;
    Ok(found.flatten().map(DocumentToExtract::with_scope))
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
    if !tx.holds_job(operator, job)? {
        return Ok(());
    }
    match find(tx, operator, &job.subject, Lock::Exclusive)? {
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
    let unit = move |tx: &mut dyn Repositories| {
        let removed = tx.remove_unused_chunks(operator, id, REMOVED_AT_ONCE)?;
        Ok(if removed < REMOVED_AT_ONCE { Progress::Done } else { Progress::More })
    };
    context.step(operator, job, unit).await
}

/// Ends an extraction that came to nothing. The chunks of an earlier one stay.
pub(super) fn fail(
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
