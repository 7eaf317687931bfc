//! A project does few crawls and extractions at once. A job that finds no slot waits until one of its
//! kind ends.

use super::registry::Registered;
use super::{DEFERRED, Job};
use crate::access::Operator;
use crate::clock::Timestamp;
use crate::error::{DomainError, StorageError};
use crate::unit::Unit;

/// Until when a job is deferred that found no slot; not at all if one has become free since, because
/// the one who had that wakes it no more.
pub(super) fn deferred_until(
    unit: &mut Unit<'_>,
    kind: &Registered,
    operator: Operator,
    job: &Job,
) -> Result<Option<Timestamp>, DomainError> {
    let has_slot = !kind.has_slots || (kind.has_free_slot)(unit, operator, &job.subject)?;
    Ok((!has_slot).then(|| unit.now().plus(DEFERRED)))
}

/// Wakes the job that has waited for longest, after one of its kind and project released its slot.
pub(super) fn wake_next(
    unit: &mut Unit<'_>,
    kind: &Registered,
    operator: Operator,
    ended: &Job,
) -> Result<(), StorageError> {
    if let Some(project) = ended.project_id.filter(|_| kind.has_slots) {
        let now = unit.now();
        let of = (project, &ended.kind);
        if unit.tx.wake_job(operator, of, now, now.plus(DEFERRED))? {
            unit.notify_workers();
        }
    }
    Ok(())
}

/// Takes the slot away from a job that is tried again only after a while.
pub(super) fn release_slot(
    unit: &mut Unit<'_>,
    kind: &Registered,
    operator: Operator,
    job: &Job,
) -> Result<(), DomainError> {
    if kind.has_slots && (kind.release_slot)(unit, operator, &job.subject)? {
        wake_next(unit, kind, operator, job)?;
    }
    Ok(())
}

/// As [`release_slot`], for a job that another worker continues soon.
pub(super) fn suspend(
    unit: &mut Unit<'_>,
    kind: &Registered,
    operator: Operator,
    job: &Job,
) -> Result<(), DomainError> {
    if kind.keeps_slot {
        return Ok(());
    }
    release_slot(unit, kind, operator, job)
}
