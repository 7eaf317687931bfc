//! Taking a blob in and letting it go, in step with the rows that refer to it.

use std::sync::Arc;

use super::job::RemoveBlob;
use super::{Blob, BlobKind, BlobState, Staged};
use crate::access::{InProject, ProjectScope, ResolvableClaim};
use crate::context::Context;
use crate::error::{DomainError, Quota, StorageError};
use crate::id::{BlobId, ProjectId};
use crate::job::handler::JobHandler as _;
use crate::lock::Lock;
use crate::store::Repositories;
use crate::unit::Unit;

/// How often the same content may vanish between two looks at it, which takes two jobs that remove
/// it in these very moments.
const ATTEMPTS: u32 = 3;

/// Stores staged bytes and changes what is to refer to them. `work` gets the blob to refer to, and says what is
/// answered; it runs with the owner locked exclusively.
///
/// The bytes are in their place before the row is, and never the other way round. Content that the
/// project has already is not stored again. If the unit fails, bytes that were stored for it are
/// removed again, and a crash in between leaves them to the sweep.
///
/// # Errors
/// [`DomainError::QuotaExceeded`] if the project has no room for the bytes, [`DomainError::Blob`] if
/// they could not be stored, and what `work` says.
pub(crate) async fn keep<O, T, F>(
    context: &Arc<Context>,
    owner: &O,
    kind: BlobKind,
    staged: &Arc<dyn Staged>,
    work: F,
) -> Result<T, DomainError>
where
    O: ResolvableClaim,
    T: Send + 'static,
    F: Fn(&mut Unit<'_, O::Scope>, &Blob) -> Result<T, DomainError> + Clone + Send + 'static,
{
    let sha256 = staged.sha256();
    for _ in 0..ATTEMPTS {
        let reader = owner.clone();
        let is_there = context
            .read(Some(owner.project_id()), move |unit| {
                let scope = reader.look_up(unit.tx, Lock::None)?.in_project();
                Ok(unit.tx.present_blob(&scope, kind, sha256)?.is_some())
            })
            .await?;
        let stored = if is_there {
            None
        } else {
            let blob = new_blob(context, owner.project_id(), kind, staged);
            check_quota_ahead(context, owner, blob.size).await?;
            context.blobs.put(&blob.key(), staged).await?;
            Some(blob)
        };
        let done = refer(context, owner, kind, staged, stored.clone(), work.clone()).await;
        let is_used = match &done {
            Ok(Some((_, used))) => stored.as_ref().is_some_and(|stored| stored.id == *used),
            Ok(None) => false,
            // Whether the row is there is unknown, so the bytes must stay.
            Err(DomainError::Storage(StorageError::Unavailable(_))) => true,
            Err(_) => false,
        };
        if let Some(stored) = stored.filter(|_| !is_used) {
            // What can't be removed now is removed by the sweep.
            drop(context.blobs.delete(&stored.key()).await);
        }
        if let Some((value, _)) = done? {
            return Ok(value);
        }
    }
    Err(StorageError::Contended("a blob went away again and again".to_owned()).into())
}

fn new_blob(
    context: &Context,
    project_id: ProjectId,
    kind: BlobKind,
    staged: &Arc<dyn Staged>,
) -> Blob {
    Blob {
        id: context.ids.next().into(),
        project_id,
        kind,
        sha256: staged.sha256(),
        size: staged.size(),
        state: BlobState::Present,
        created_at: context.clock.now(),
    }
}

/// Runs the unit with the blob that is there, or else with the one that was stored for it. `None` if
/// there is neither.
async fn refer<O, T, F>(
    context: &Arc<Context>,
    owner: &O,
    kind: BlobKind,
    staged: &Arc<dyn Staged>,
    stored: Option<Blob>,
    work: F,
) -> Result<Option<(T, BlobId)>, DomainError>
where
    O: ResolvableClaim,
    T: Send + 'static,
    F: Fn(&mut Unit<'_, O::Scope>, &Blob) -> Result<T, DomainError> + Send + 'static,
{
    let sha256 = staged.sha256();
    let limit = context.limits.blob_bytes_per_project;
    let writer = owner.clone();
    context
        .write(Some(owner.project_id()), move |unit| {
            unit.once(writer.idempotent(), writer.bot_id(), |unit| {
                let scope = writer.look_up(unit.tx, Lock::Exclusive)?;
                // The project is locked as well if it is not the owner, so that two uploads do not both take its last
                // room, nor both insert the same content.
                let project = scope.in_project().claim().look_up(unit.tx, Lock::Exclusive)?;
                let blob = match (unit.tx.present_blob(&project, kind, sha256)?, &stored) {
                    (Some(blob), _) => blob,
                    (None, Some(stored)) => {
                        check_quota(unit.tx, &project, stored.size, limit)?;
                        unit.tx.insert_blob(&project, stored)?;
                        stored.clone()
                    }
                    (None, None) => {
                        unit.answer_later();
                        return Ok(None);
                    }
                };
                let done =
                    unit.with_precondition(writer.precondition(), scope, |unit| work(unit, &blob))?;
                Ok(Some((done, blob.id)))
            })
        })
        .await
}

/// Whether there is room, ahead of storing anything.
async fn check_quota_ahead<O: ResolvableClaim>(
    context: &Arc<Context>,
    owner: &O,
    size: u64,
) -> Result<(), DomainError> {
    let (limit, reader) = (context.limits.blob_bytes_per_project, owner.clone());
    context
        .read(Some(owner.project_id()), move |unit| {
            let scope = reader.look_up(unit.tx, Lock::None)?.in_project();
            check_quota(unit.tx, &scope, size, limit)
        })
        .await
}

fn check_quota(
    tx: &mut dyn Repositories,
    scope: &ProjectScope,
    size: u64,
    limit: u64,
) -> Result<(), DomainError> {
    if limit > 0 && tx.blob_bytes(scope)?.saturating_add(size) > limit {
        return Err(DomainError::QuotaExceeded(Quota::BlobBytesPerProject(limit)));
    }
    Ok(())
}

/// Adds, in the unit that takes a reference to a blob away, the job that removes the blob after the
/// grace if nothing refers to it by then.
pub(crate) fn release<S: InProject>(
    unit: &mut Unit<'_, S>,
    blob: BlobId,
) -> Result<(), DomainError> {
    let due = unit.now().plus(unit.limits().blob_grace);
    let job = RemoveBlob::new_job(unit, &blob).due(due);
    unit.enqueue(&job.of_project(unit.scope.project_id()))
}
