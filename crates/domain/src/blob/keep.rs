//! Taking a blob in and letting it go, in step with the rows that refer to it.

use std::sync::Arc;

use super::{Blob, BlobKind, BlobState, Staged};
use crate::access::{BotClaim, BotScope};
use crate::context::Context;
use crate::error::{DomainError, Quota, StorageError};
use crate::id::{BlobId, ProjectId};
use crate::job::{Job, JobKind};
use crate::store::{Lock, Repositories};

/// How often the same content may vanish between two looks at it, which takes two jobs that remove
/// it in these very moments.
const ATTEMPTS: u32 = 3;

/// Stores staged bytes and changes the bot that is to refer to them. `unit` is told which blob to
/// refer to; it runs with the bot held exclusively.
///
/// The bytes are in their place before the row is, and never the other way round. Content that the
/// project has already is not stored again. If the unit fails, bytes that were stored for it are
/// removed again, and a crash in between leaves them to the sweep.
///
/// # Errors
/// [`DomainError::QuotaExceeded`] if the project has no room for the bytes, [`DomainError::Blob`] if
/// they could not be stored, and what `unit` says.
pub(crate) async fn keep<T, F>(
    context: &Arc<Context>,
    claim: &BotClaim,
    kind: BlobKind,
    staged: &Arc<dyn Staged>,
    unit: F,
) -> Result<T, DomainError>
where
    T: Send + 'static,
    F: Fn(&mut dyn Repositories, &BotScope, &Blob) -> Result<T, DomainError>
        + Clone
        + Send
        + 'static,
{
    let sha256 = staged.sha256();
    for _ in 0..ATTEMPTS {
        let is_there = context
            .read_bot(claim, move |tx, scope| Ok(tx.present_blob(scope, kind, sha256)?.is_some()))
            .await?;
        let stored = if is_there {
            None
        } else {
            let blob = new_blob(context, claim.project_id(), kind, staged);
            check_room(context, claim, blob.size).await?;
            context.blobs.put(&blob.key(), staged).await?;
            Some(blob)
        };
        let done = refer(context, claim, kind, staged, stored.clone(), unit.clone()).await;
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
        id: BlobId::from_uuid(context.ids.next()),
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
async fn refer<T, F>(
    context: &Arc<Context>,
    claim: &BotClaim,
    kind: BlobKind,
    staged: &Arc<dyn Staged>,
    stored: Option<Blob>,
    unit: F,
) -> Result<Option<(T, BlobId)>, DomainError>
where
    T: Send + 'static,
    F: Fn(&mut dyn Repositories, &BotScope, &Blob) -> Result<T, DomainError> + Send + 'static,
{
    let sha256 = staged.sha256();
    let limit = context.limits.blob_bytes_per_project;
    context
        .write_bot(claim, Lock::Exclusive, move |tx, scope| {
            // The project is held, so that two uploads do not both take its last room, nor both
            // insert the same content.
            claim_project(tx, scope)?;
            let blob = match (tx.present_blob(scope, kind, sha256)?, &stored) {
                (Some(blob), _) => blob,
                (None, Some(stored)) => {
                    check_quota(tx, scope, stored.size, limit)?;
                    tx.insert_blob(scope, stored)?;
                    stored.clone()
                }
                (None, None) => return Ok(None),
            };
            unit(tx, scope, &blob).map(|value| Some((value, blob.id)))
        })
        .await
}

fn claim_project(tx: &mut dyn Repositories, scope: &BotScope) -> Result<(), DomainError> {
    scope.project_claim().resolve(tx, Lock::Exclusive).map(|_| ())
}

/// Whether there is room, ahead of storing anything.
async fn check_room(
    context: &Arc<Context>,
    claim: &BotClaim,
    size: u64,
) -> Result<(), DomainError> {
    let limit = context.limits.blob_bytes_per_project;
    context.read_bot(claim, move |tx, scope| check_quota(tx, scope, size, limit)).await
}

fn check_quota(
    tx: &mut dyn Repositories,
    scope: &BotScope,
    size: u64,
    limit: u64,
) -> Result<(), DomainError> {
    if limit > 0 && tx.blob_bytes(scope)?.saturating_add(size) > limit {
        return Err(DomainError::QuotaExceeded(Quota::BlobBytesPerProject(limit)));
    }
    Ok(())
}

/// Notes, in the unit that takes a reference to a blob away, that it may have been the last. A job
/// looks after the grace, and removes the blob if nothing refers to it by then.
pub(crate) fn release(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &BotScope,
    blob: BlobId,
) -> Result<(), DomainError> {
    let now = context.clock.now();
    let due = now.plus(context.limits.blob_grace);
    let job = Job::new(context.ids.next(), JobKind::RemoveBlob, blob, now).due(due);
    Ok(tx.insert_job(&job.of_project(scope.project_id()))?)
}
