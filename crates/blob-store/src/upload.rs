//! Staged bytes on their way to a bucket.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use domain::blob::{BlobError, Staged};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _, WriteMultipart};

use crate::blocking::blocking;
use crate::checked::Checked;
use crate::errors::{failed, text};

/// The size of all parts but the last: the least that S3 takes. Smaller blobs go in one piece.
const PART: usize = 5 << 20;
/// How many parts are in memory at most: one that is read while another goes out.
const PARTS: usize = 2;

/// Stores the bytes under the path, all or none.
pub(crate) async fn upload(
    store: &dyn ObjectStore,
    path: &Path,
    staged: Arc<dyn Staged>,
) -> Result<(), BlobError> {
    let size = usize::try_from(staged.size()).unwrap_or(usize::MAX);
    let mut parts = Parts::open(staged, size.min(PART)).await?;
    if size <= PART {
        let whole = parts.next().await?;
        parts.check()?;
        store.put(path, whole.into()).await.map_err(|error| failed(&error))?;
        return Ok(());
    }
    let begun = store.put_multipart(path).await.map_err(|error| failed(&error))?;
    let mut upload = WriteMultipart::new_with_chunk_size(begun, PART);
    if let Err(error) = feed(&mut upload, &mut parts).await {
        if let Err(error) = upload.abort().await {
            tracing::warn!("an upload to {path} could not be aborted: {}", text(&error));
        }
        return Err(error);
    }
    // This aborts the upload itself if it fails.
    upload.finish().await.map_err(|error| failed(&error))?;
    Ok(())
}

/// Hands over all parts; an error if they are not what was staged.
async fn feed(upload: &mut WriteMultipart, parts: &mut Parts) -> Result<(), BlobError> {
    loop {
        // While the next part is read, one fewer than `PARTS` are under way.
        upload.wait_for_capacity(PARTS).await.map_err(|error| failed(&error))?;
        let part = parts.next().await?;
        if part.is_empty() {
            return parts.check();
        }
        upload.put(part);
    }
}

/// The staged bytes part by part.
struct Parts {
    /// Taken while a thread reads.
    bytes: Option<Checked>,
    size: usize,
    /// The parts that were handed out. Their memory is used again when they have gone: allocators
    /// are slow to give back what one thread takes and another one frees.
    handed_out: Vec<Bytes>,
}

impl Parts {
    async fn open(staged: Arc<dyn Staged>, size: usize) -> Result<Self, BlobError> {
        blocking(move || {
            let bytes = Some(Checked::open(&*staged)?);
            Ok(Self { bytes, size, handed_out: Vec::new() })
        })
        .await
    }

    /// The next part; an empty one at the end.
    async fn next(&mut self) -> Result<Bytes, BlobError> {
        let mut bytes = self.take()?;
        let mut part = self.memory();
        part.resize(self.size, 0);
        let (bytes, part) = blocking(move || {
            let length = bytes.fill(&mut part)?.len();
            part.truncate(length);
            Ok((bytes, part.freeze()))
        })
        .await?;
        self.bytes = Some(bytes);
        self.handed_out.push(part.clone());
        Ok(part)
    }

    fn check(&mut self) -> Result<(), BlobError> {
        self.take()?.check()
    }

    fn take(&mut self) -> Result<Checked, BlobError> {
        let broken = || BlobError::Failed("the staged bytes can't be read".to_owned());
        self.bytes.take().ok_or_else(broken)
    }

    /// Memory for the next part.
    fn memory(&mut self) -> BytesMut {
        let free = self.handed_out.iter().position(Bytes::is_unique);
        let free = free.map(|at| self.handed_out.swap_remove(at).try_into_mut());
        free.and_then(Result::ok).unwrap_or_default()
    }
}
