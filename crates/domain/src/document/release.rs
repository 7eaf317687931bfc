//! Chunks that no document has any more, and the job that removes them.

use super::{Document, ExtractionError, ExtractionStatus};
use crate::error::DomainError;
use crate::event::{EventData, EventType};
use crate::id::ExtractionId;
use crate::job::handler::JobHandler;
use crate::job::run::JobRun;
use crate::job::{JobKind, StepOutcome};
use crate::unit::ProjectUnit;

/// Removes chunks of an extraction that no document has.
pub const REMOVE_CHUNKS: JobKind = JobKind::new("remove_chunks");

/// How many chunks one unit removes, so that other writers need not wait long.
pub(super) const REMOVED_AT_ONCE: u32 = 500;

pub(crate) struct RemoveChunks;

impl JobHandler for RemoveChunks {
    type Subject = ExtractionId;

    const KIND: JobKind = REMOVE_CHUNKS;

    async fn step(run: JobRun, id: ExtractionId) -> Result<StepOutcome, DomainError> {
        // Chunks belong to a project, and so do these jobs.
        let Some(project) = run.job.project_id else { return Ok(StepOutcome::Done) };
        let operator = run.operator;
        run.delete(move |unit| {
            let removed = unit.tx.remove_unused_chunks(operator, project, id, REMOVED_AT_ONCE)?;
            let has_more = removed == REMOVED_AT_ONCE;
            Ok(if has_more { StepOutcome::Continue } else { StepOutcome::Done })
        })
        .await
    }
}

/// Has the chunks of a document removed, and those that are being made.
pub(super) fn end_extraction(
    unit: &mut ProjectUnit<'_>,
    document: &Document,
) -> Result<(), DomainError> {
    release_going(unit, document)?;
    release_chunks(unit, document, document.extraction.chunks_of)
}

/// Ends an extraction that is in progress, if there is one, and has the chunks removed that it made.
pub(super) fn release_going(
    unit: &mut ProjectUnit<'_>,
    document: &Document,
) -> Result<(), DomainError> {
    let going = document.extraction.id.filter(|_| document.extraction.status.is_going());
    if let Some(going) = going {
        unit.notify_extraction_end(going);
    }
    release_chunks(unit, document, going)
}

/// Has chunks removed as soon as no document has them.
pub(super) fn release_chunks(
    unit: &mut ProjectUnit<'_>,
    document: &Document,
    of: Option<ExtractionId>,
) -> Result<(), DomainError> {
    let Some(of) = of else {
        return Ok(());
    };
    let job = RemoveChunks::new_job(unit, &of);
    unit.enqueue(&job.of_project(document.project_id))
}

/// Ends an extraction that failed. The chunks of an earlier one stay.
pub(super) fn fail_extraction(
    unit: &mut ProjectUnit<'_>,
    mut document: Document,
    error: ExtractionError,
) -> Result<(), DomainError> {
    release_going(unit, &document)?;
    document.extraction.status = ExtractionStatus::Failed;
    document.extraction.error = Some(error);
    document.extraction.finished_at = Some(unit.now());
    unit.tx.update_document(&unit.scope, &document)?;
    let data = EventData { error: Some(error.as_str()), ..EventData::NONE };
    unit.emit(EventType::DocumentExtractionFailed, document.id, &data)
}
