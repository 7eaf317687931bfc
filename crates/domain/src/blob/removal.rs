//! Removing blobs to which nothing refers, and bytes of which nobody knows.

use std::sync::Arc;
use std::time::Duration;

use super::{BlobKey, BlobState};
use crate::access::Operator;
use crate::context::Context;
use crate::error::DomainError;
use crate::id::BlobId;
use crate::store::Repositories;

/// Bytes of which the database knows nothing are left alone for at least so long, because an upload
/// may be about to insert their row.
const ORPHAN_AGE: Duration = Duration::from_secs(60 * 60);

/// Removes a blob, unless something refers to it. It can be called again after a crash at any point.
///
/// # Errors
/// [`DomainError::Blob`] if its bytes can't be removed, [`DomainError::Storage`] if the database
/// fails.
pub(crate) async fn remove(
    context: &Arc<Context>,
    operator: Operator,
    id: BlobId,
) -> Result<(), DomainError> {
    let mark = move |tx: &mut dyn Repositories| {
        let Some(blob) = tx.blob(operator, id)? else {
            return Ok(None);
        };
        if blob.state == BlobState::Present {
            if tx.is_blob_referred_to(operator, &blob)? {
                return Ok(None);
            }
            tx.mark_blob_deleting(operator, id)?;
        }
        Ok(Some(blob))
    };
    if let Some(blob) = context.store.write(mark).await? {
        context.blobs.delete(&blob.key()).await?;
        context.store.write(move |tx| Ok(tx.forget_blob(operator, id)?)).await?;
    }
    Ok(())
}

/// Removes bytes of which the database knows nothing, as a crash between storing them and inserting
/// their row leaves them behind; returns how many went.
///
/// What lies below a project that the database does not know stays, because a crash leaves nothing
/// there: then it is the database that is a wrong, an empty or an older one.
///
/// # Errors
/// [`DomainError::Blob`] if the place of the blobs fails, [`DomainError::Storage`] if the database
/// does.
pub(crate) async fn sweep(context: &Arc<Context>, operator: Operator) -> Result<u64, DomainError> {
    context.blobs.tidy().await?;
    let age = ORPHAN_AGE.max(context.limits.blob_grace);
    let before = context.clock.now().minus(age);
    let mut removed = 0;
    let mut stored = context.blobs.list().await?;
    while let Some(page) = stored.next().await? {
        let old = page.into_iter().filter(|stored| stored.stored_at < before);
        let keys: Arc<[BlobKey]> = old.map(|stored| stored.key).collect();
        let asked = keys.clone();
        let orphans =
            context.store.read(move |tx| Ok(tx.orphaned_blobs(operator, &asked)?)).await?;
        for key in &orphans {
            context.blobs.delete(key).await?;
            removed += 1;
        }
    }
    Ok(removed)
}
