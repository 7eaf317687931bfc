//! That the database and the blob store belong together.

use anyhow::{Context as _, Result, bail};
use blob_store::BlobStore;
use domain::Botyard;
use domain::blob::BlobError;
use domain::id::InstallationId;
use domain::installation::{Installation, MarkComparison};

use crate::operator::OPERATOR;
use crate::settings::Settings;

/// Compares the two, and marks a place that is new.
///
/// # Errors
/// If the place belongs to another installation, or that of this one is another.
pub async fn confirm(botyard: &Botyard, blobs: &BlobStore, settings: &Settings) -> Result<()> {
    let installation = botyard.installation.get_or_create(OPERATOR).await?;
    let named = || format!("setting blob_url: {}", settings.blob_url);
    let mark = mark_of(blobs).await.with_context(named)?;
    match installation.compare(mark) {
        MarkComparison::Own if installation.marked_at.is_some() => return Ok(()),
        MarkComparison::Own => {}
        MarkComparison::New => match blobs.set_mark(&installation.id.to_string()).await {
            // The next start marks it.
            Err(BlobError::Full(reason)) => {
                tracing::warn!("no room for the mark of the blob store: {reason}");
                return Ok(());
            }
            marked => marked.with_context(named)?,
        },
        other @ (MarkComparison::Unmarked | MarkComparison::OfAnother(_)) => {
            if let Some(fault) = fault(&installation, other) {
                bail!("{}: {fault} (the file `{}` in it)", named(), BlobStore::MARK);
            }
        }
    }
    Ok(botyard.installation.set_marked(OPERATOR, installation).await?)
}

/// What the mark of a place says; `None` if the place has none.
///
/// # Errors
/// If it can't be read, or says nothing.
pub async fn mark_of(blobs: &BlobStore) -> Result<Option<InstallationId>> {
    let Some(text) = blobs.mark().await? else {
        return Ok(None);
    };
    let mark = InstallationId::parse(&text);
    Ok(Some(mark.with_context(|| {
        format!("the file `{}` in it has no identifier of an installation", BlobStore::MARK)
    })?))
}

/// Why a place is not that of an installation, if it is not.
pub fn fault(installation: &Installation, place: MarkComparison) -> Option<String> {
    let id = installation.id;
    match place {
        MarkComparison::Own | MarkComparison::New => None,
        MarkComparison::Unmarked => Some(format!(
            "it is not where the files of this database are: the mark `{id}` is missing"
        )),
        MarkComparison::OfAnother(other) => Some(format!(
            "it has the files of another installation than the database: the mark is `{other}` instead of `{id}`"
        )),
    }
}
