//! Removing blobs to which nothing refers, and bytes that have no row in the database.

use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;

use super::{BlobKey, BlobState};
use crate::access::Operator;
use crate::context::Context;
use crate::error::DomainError;
use crate::id::{BlobId, ProjectId};
use crate::job::handler::{JobHandler, Repeat};
use crate::job::run::JobRun;
use crate::job::subject::WholeInstallation;
use crate::job::{JobKind, StepOutcome};

/// Removes a blob to which nothing refers.
pub const REMOVE_BLOB: JobKind = JobKind::new("remove_blob");
/// Removes bytes of which the database knows nothing.
pub const SWEEP_BLOBS: JobKind = JobKind::new("sweep_blobs");

/// Bytes of which the database knows nothing are left alone for at least so long, because an upload
/// may be about to insert their row.
const ORPHAN_AGE: Duration = Duration::from_secs(60 * 60);

/// How many pages of blobs a step of the sweep looks at, and the rest of those of a project.
const PAGES: u32 = 20;

pub(crate) struct RemoveBlob;

impl JobHandler for RemoveBlob {
    type Subject = BlobId;

    const KIND: JobKind = REMOVE_BLOB;

    async fn step(run: JobRun, blob: BlobId) -> Result<StepOutcome, DomainError> {
        remove(&run.context, run.operator, blob).await.map(|()| StepOutcome::Done)
    }
}

pub(crate) struct SweepBlobs;

impl JobHandler for SweepBlobs {
    type Subject = WholeInstallation;

    const KIND: JobKind = SWEEP_BLOBS;
    const LOGS_AT_DEBUG: bool = false;
    const REPEAT: Option<Repeat> = Some(Repeat {
        job: Uuid::from_u128(0x0000_0000_0000_8000_8000_0000_0000_0001),
        after: |_| Duration::from_secs(24 * 60 * 60),
    });

    /// Goes on with the project after the one with which the last step ended, until so many pages of blobs
    /// were looked at, so that other jobs need not wait long.
    async fn step(run: JobRun, _: WholeInstallation) -> Result<StepOutcome, DomainError> {
        let (context, operator) = (&run.context, run.operator);
        let position = run.position().await?;
        if position.is_none() {
            context.blobs.tidy().await?;
        }
        let mut after = position.and_then(|text| ProjectId::parse(&text));
        let mut pages = 0;
        loop {
            let next =
                context.read(None, move |unit| Ok(unit.tx.project_after(operator, after)?)).await?;
            let Some(project) = next else {
                return Ok(StepOutcome::Done);
            };
            pages += sweep(context, operator, project).await?;
            if pages >= PAGES {
                return run.save_position(project.to_string()).await;
            }
            after = Some(project);
        }
    }
}

/// Removes a blob, unless something refers to it. It can be called again after a crash at any point.
///
/// # Errors
/// [`DomainError::Blob`] if its bytes can't be removed, [`DomainError::Storage`] if the database
/// fails.
async fn remove(context: &Arc<Context>, operator: Operator, id: BlobId) -> Result<(), DomainError> {
    let marked = context
        .write(None, move |unit| {
            let Some(blob) = unit.tx.blob(operator, id)? else {
                return Ok(None);
            };
            if blob.state == BlobState::Present {
                if unit.tx.is_blob_referred_to(operator, &blob)? {
                    return Ok(None);
                }
                unit.tx.mark_blob_deleting(operator, id)?;
            }
            Ok(Some(blob))
        })
        .await?;
    if let Some(blob) = marked {
        context.blobs.delete(&blob.key()).await?;
        context.write(None, move |unit| Ok(unit.tx.forget_blob(operator, id)?)).await?;
    }
    Ok(())
}

/// Removes bytes of a project of which the database knows nothing, as a crash between storing them and
/// inserting their row leaves them behind; returns how many pages were looked at, the end included.
///
/// What lies below a project that the database does not know is never looked at, because a crash leaves
/// nothing there: then it is the database that is a wrong, an empty or an older one.
///
/// # Errors
/// [`DomainError::Blob`] if the blob store fails, [`DomainError::Storage`] if the database
/// does.
async fn sweep(
    context: &Arc<Context>,
    operator: Operator,
    project: ProjectId,
) -> Result<u32, DomainError> {
    let age = ORPHAN_AGE.max(context.limits.blob_grace);
    let before = context.clock.now().minus(age);
    let mut pages = 1;
    let mut stored = context.blobs.list(project).await?;
    while let Some(page) = stored.next().await? {
        pages += 1;
        let old = page.into_iter().filter(|stored| stored.stored_at < before);
        let keys: Arc<[BlobKey]> = old.map(|stored| stored.key).collect();
        let asked = keys.clone();
        let orphans = context
            .read(Some(project), move |unit| Ok(unit.tx.orphaned_blobs(operator, &asked)?))
            .await?;
        for key in &orphans {
            context.blobs.delete(key).await?;
        }
    }
    Ok(pages)
}
