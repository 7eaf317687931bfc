//! The job that extracts a document.

use super::release::fail_extraction;
use super::run::Attempt;
use super::{Document, DocumentToExtract, ExtractionError, ExtractionStatus};
use crate::access::{Operator, ProjectScope};
use crate::error::{DomainError, StorageError};
use crate::id::ExtractionId;
use crate::job::handler::JobHandler;
use crate::job::run::JobRun;
use crate::job::{Job, JobKind, Queue, StepOutcome};
use crate::lock::Lock;
use crate::unit::{ProjectUnit, Unit};

/// Extracts a document.
pub const EXTRACT: JobKind = JobKind::new("extract");

pub(crate) struct Extract;

impl JobHandler for Extract {
    type Subject = ExtractionId;

    const KIND: JobKind = EXTRACT;
    const QUEUE: Queue = Queue::Extractions;
    const MAX_ATTEMPTS: Option<u32> = Some(3);
    const HAS_SLOTS: bool = true;

    async fn step(run: JobRun, id: ExtractionId) -> Result<StepOutcome, DomainError> {
        let begin_run = run.clone();
        match run
            .context
            .write(begin_run.job.project_id, move |unit| begin(unit, &begin_run, id))
            .await?
        {
            Ok(document) => Attempt { run, id }.run(&document).await,
            Err(outcome) => Ok(outcome),
        }
    }

    fn is_wanted(
        unit: &mut Unit<'_>,
        operator: Operator,
        id: &ExtractionId,
    ) -> Result<bool, DomainError> {
        let found = find(unit, operator, *id, Lock::None)?;
        Ok(found.is_some_and(|(_, document)| document.extraction.status.is_going()))
    }

    fn has_free_slot(
        unit: &mut Unit<'_>,
        operator: Operator,
        id: &ExtractionId,
    ) -> Result<bool, DomainError> {
        let found = find(unit, operator, *id, Lock::None)?;
        found.map_or(Ok(true), |(scope, _)| is_slot_free(&mut unit.with_scope(scope)))
    }

    /// The extraction waits again, and begins anew.
    fn release_slot(
        unit: &mut Unit<'_>,
        operator: Operator,
        id: &ExtractionId,
    ) -> Result<bool, DomainError> {
        let found = find(unit, operator, *id, Lock::Exclusive)?;
        let is_running =
            |document: &Document| document.extraction.status == ExtractionStatus::Running;
        let Some((scope, mut document)) = found.filter(|(_, document)| is_running(document)) else {
            return Ok(false);
        };
        document.extraction.status = ExtractionStatus::Queued;
        unit.tx.update_document(&scope, &document)?;
        Ok(true)
    }

    fn give_up(
        unit: &mut Unit<'_>,
        operator: Operator,
        job: &Job,
        id: &ExtractionId,
    ) -> Result<(), DomainError> {
        if !unit.tx.lock_own_job(operator, job)? {
            return Ok(());
        }
        match find(unit, operator, *id, Lock::Exclusive)? {
            Some((scope, document)) if document.extraction.status.is_going() => {
                let error = ExtractionError::Interrupted;
                fail_extraction(&mut unit.with_scope(scope), document, error)
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Looks the document up and says that it is being extracted; or what the step comes to without.
fn begin(
    unit: &mut Unit<'_>,
    run: &JobRun,
    id: ExtractionId,
) -> Result<Result<Document, StepOutcome>, DomainError> {
    if !unit.tx.lock_own_job(run.operator, &run.job)? {
        return Ok(Err(StepOutcome::LeaseLost));
    }
    // The project is locked, so that two extractions do not take its last slot; and before the document,
    // in the order in which a replaced file locks them.
    if let Some((scope, _)) = find(unit, run.operator, id, Lock::None)? {
        scope.claim().resolve(unit.tx, Lock::Exclusive)?;
    }
    let Some((scope, mut document)) = find(unit, run.operator, id, Lock::Exclusive)? else {
        return Ok(Err(StepOutcome::Done));
    };
    match document.extraction.status {
        ExtractionStatus::Queued => {
            let mut unit = unit.with_scope(scope);
            if !is_slot_free(&mut unit)? {
                return Ok(Err(StepOutcome::NoFreeSlot));
            }
            document.extraction.status = ExtractionStatus::Running;
            unit.tx.update_document(&unit.scope, &document)?;
            Ok(Ok(document))
        }
        ExtractionStatus::Running => Ok(Ok(document)),
        ExtractionStatus::None | ExtractionStatus::Finished | ExtractionStatus::Failed => {
            Ok(Err(StepOutcome::Done))
        }
    }
}

fn is_slot_free(unit: &mut ProjectUnit<'_>) -> Result<bool, DomainError> {
    let limit = unit.limits().extractions_per_project;
    Ok(unit.tx.extraction_counts(&unit.scope)?.running < limit.into())
}

/// The document of an extraction that is to be done, and the right to what its project has.
fn find(
    unit: &mut Unit<'_>,
    operator: Operator,
    id: ExtractionId,
    lock: Lock,
) -> Result<Option<(ProjectScope, Document)>, StorageError> {
    Ok(unit.tx.document_to_extract(operator, id, lock)?.map(DocumentToExtract::with_scope))
}
