//! The mark of a blob store: a small file beside the folders of projects, which says what the blob store belongs to.

use std::io::Write as _;

use domain::blob::BlobError;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _, PutPayload};

use crate::errors::{failed, is_missing};

/// The name of the file. No blob has one like it: theirs begin with the identifier of a project.
pub(crate) const MARK: &str = "installation";
/// No mark is longer.
const LONGEST: u64 = 200;

/// What the mark says; `None` if there is none.
pub(crate) async fn read(
    store: &dyn ObjectStore,
    path: &Path,
) -> Result<Option<String>, BlobError> {
    let found = match store.get(path).await {
        Err(error) if is_missing(&error) => return Ok(None),
        found => found.map_err(|error| failed(&error))?,
    };
    if found.meta.size > LONGEST {
        return Err(BlobError::Failed(format!("{path} is too long for a mark")));
    }
    let bytes = found.bytes().await.map_err(|error| failed(&error))?;
    Ok(Some(String::from_utf8_lossy(&bytes).trim().to_owned()))
}

/// Writes the mark into a bucket.
pub(crate) async fn put(store: &dyn ObjectStore, path: &Path, text: &str) -> Result<(), BlobError> {
    let put = store.put(path, PutPayload::from(format!("{text}\n"))).await;
    put.map(drop).map_err(|error| failed(&error))
}

/// Writes the mark into a folder, so that it outlasts a crash.
pub(crate) fn write(root: &std::path::Path, text: &str) -> Result<(), BlobError> {
    let mut draft = tempfile::Builder::new().prefix(MARK).tempfile_in(root)?;
    writeln!(draft, "{text}")?;
    draft.as_file().sync_all()?;
    draft.persist(root.join(MARK)).map_err(|error| error.error)?;
    Ok(std::fs::File::open(root)?.sync_all()?)
}
