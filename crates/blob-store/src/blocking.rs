//! Work that waits for a disk, on threads of its own.

use domain::blob::BlobError;

/// Runs the work on a thread that may block. A panic there is a failure here.
pub(crate) async fn blocking<T, F>(work: F) -> Result<T, BlobError>
where
    T: Send + 'static,
    F: FnOnce() -> Result<T, BlobError> + Send + 'static,
{
    tokio::task::spawn_blocking(work)
        .await
        .unwrap_or_else(|error| Err(BlobError::Failed(error.to_string())))
}
