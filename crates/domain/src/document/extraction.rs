//! Extractions as requests ask for them.
//!
//! The chunks of an extraction stand beside those of an earlier one until the last of them is stored;
//! then the document has them, all at once.

use super::job::Extract;
use super::release::release_going;
use super::{Document, Extraction, ExtractionSettings, ExtractionStatus};
use crate::error::{Busy, DomainError};
use crate::id::ExtractionId;
use crate::job::handler::JobHandler as _;
use crate::unit::ProjectUnit;

/// Has a document extracted. The caller stores the document.
pub(super) fn begin_extraction(
    unit: &mut ProjectUnit<'_>,
    document: &mut Document,
    settings: ExtractionSettings,
) -> Result<(), DomainError> {
    let limit = unit.limits().queued_extractions_per_project;
    // One that is queued already does not count twice.
    let own = u64::from(document.extraction.status == ExtractionStatus::Queued);
    if unit.tx.extraction_counts(&unit.scope)?.queued >= u64::from(limit) + own {
        return Err(DomainError::Busy(Busy::QueuedExtractions(limit)));
    }
    release_going(unit, document)?;
    let id: ExtractionId = unit.next_id();
    document.extraction = Extraction {
        id: Some(id),
        status: ExtractionStatus::Queued,
        error: None,
        settings,
        finished_at: None,
        ..document.extraction
    };
    let job = Extract::new_job(unit, &id);
    unit.enqueue(&job.of_project(document.project_id))
}
