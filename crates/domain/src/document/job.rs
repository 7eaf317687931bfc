//! The job that extracts a document.

use super::release::fail_extraction;
use super::run::Attempt;
use super::{Document, DocumentToExtract, ExtractionError, ExtractionStatus};
use crate::access::{Operator, ProjectScope};
use crate::error::{DomainError, StorageError};
use crate::id::ExtractionId;
use crate::job::handler::JobHandler;
use crate::job::run::JobRun;
use crate::job::{JobKind, Queue, StepOutcome};
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
        let operator = run.operator;
        match run.write_leased(move |unit| begin(unit, operator, id)).await? {
            Some(StepStart::Running(document)) => Attempt { run, id }.run(&document).await,
            Some(StepStart::Not(outcome)) => Ok(outcome),
            None => Ok(StepOutcome::LeaseLost),
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
        id: &ExtractionId,
    ) -> Result<(), DomainError> {
        match find(unit, operator, *id, Lock::Exclusive)? {
            Some((scope, document)) if document.extraction.status.is_going() => {
                let error = ExtractionError::Interrupted;
                fail_extraction(&mut unit.with_scope(scope), document, error)
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// What a step of an extraction begins with.
enum StepStart {
    /// It does not begin.
    Not(StepOutcome),
    /// With a document.
    Running(Box<Document>),
}

/// Looks the document up and records that it is being extracted.
fn begin(
    unit: &mut Unit<'_>,
    operator: Operator,
    id: ExtractionId,
) -> Result<StepStart, DomainError> {
    // The project is locked, so that two extractions do not take its last slot; and before the document,
    // in the order in which a replaced file locks them.
    if let Some((scope, _)) = find(unit, operator, id, Lock::None)? {
        scope.claim().resolve(unit.tx, Lock::Exclusive)?;
    }
    let Some((scope, mut document)) = find(unit, operator, id, Lock::Exclusive)? else {
        return Ok(StepStart::Not(StepOutcome::Done));
    };
    match document.extraction.status {
        ExtractionStatus::Queued => {
            let mut unit = unit.with_scope(scope);
            if !is_slot_free(&mut unit)? {
                return Ok(StepStart::Not(StepOutcome::NoFreeSlot));
            }
            document.extraction.status = ExtractionStatus::Running;
            unit.tx.update_document(&unit.scope, &document)?;
            Ok(StepStart::Running(Box::new(document)))
        }
        ExtractionStatus::Running => Ok(StepStart::Running(Box::new(document))),
        ExtractionStatus::None | ExtractionStatus::Finished | ExtractionStatus::Failed => {
            Ok(StepStart::Not(StepOutcome::Done))
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
