//! A project does few crawls and extractions at once. A job that finds no place waits until one of its
//! kind ends.

use std::time::Duration;

use super::{Job, JobKind};
use crate::access::Operator;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::crawl;
use crate::document;
use crate::error::{DomainError, StorageError};
use crate::store::Repositories;

/// How long a job waits that found no place, if nobody wakes it before.
const PUT_OFF: Duration = Duration::from_secs(5);

/// Until when a job waits that found no place; not at all if one has come free since, because whoever
/// had that wakes it no more.
pub(super) fn waits_until(
    tx: &mut dyn Repositories,
    context: &Context,
    operator: Operator,
    job: &Job,
) -> Result<Option<Timestamp>, DomainError> {
    let has_place = match job.kind {
        JobKind::Crawl => crawl::has_place,
        JobKind::Extract => document::has_place,
        JobKind::TeardownBot
        | JobKind::RemoveBlob
        | JobKind::SweepBlobs
        | JobKind::RemoveUsers
        | JobKind::CleanUp
        | JobKind::RemovePageSet
        | JobKind::RemoveChunks => return Ok(None),
    };
    let has_place = has_place(tx, context, operator, &job.subject)?;
    Ok((!has_place).then(|| context.clock.now().plus(PUT_OFF)))
}

/// Wakes the job that has waited for longest, after one of its kind and project gave its place away;
/// returns whether there was one.
pub(super) fn wake_next(
    tx: &mut dyn Repositories,
    context: &Context,
    operator: Operator,
    ended: &Job,
) -> Result<bool, StorageError> {
    let Some(project) = ended.project_id.filter(|_| ended.kind.takes_place()) else {
        return Ok(false);
    };
    let now = context.clock.now();
    tx.wake_job(operator, (project, ended.kind), now, now.plus(PUT_OFF))
}

/// Takes the place away from a job that is tried again only after a while; returns whether it woke
/// another one.
pub(super) fn leave(
    tx: &mut dyn Repositories,
    context: &Context,
    operator: Operator,
    job: &Job,
) -> Result<bool, DomainError> {
    let put_back = match job.kind {
        JobKind::Crawl => crawl::put_back,
        JobKind::Extract => document::put_back,
        JobKind::TeardownBot
        | JobKind::RemoveBlob
        | JobKind::SweepBlobs
        | JobKind::RemoveUsers
        | JobKind::CleanUp
        | JobKind::RemovePageSet
        | JobKind::RemoveChunks => return Ok(false),
    };
    Ok(put_back(tx, operator, &job.subject)? && wake_next(tx, context, operator, job)?)
}

/// The same for a job with which somebody goes on soon. A crawl keeps its place then, as it keeps its
/// pages; an extraction begins again.
pub(super) fn leave_for_now(
    tx: &mut dyn Repositories,
    context: &Context,
    operator: Operator,
    job: &Job,
) -> Result<bool, DomainError> {
    if job.kind == JobKind::Crawl {
        return Ok(false);
    }
    leave(tx, context, operator, job)
}
