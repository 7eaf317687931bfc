//! The upload of a package, from its first byte to its Fusion-View.

use std::sync::Arc;

use super::FusionFile;
use super::service::find;
use crate::access::BotClaim;
use crate::archive::ArchiveError;
use crate::blob::{self, BlobKind, Staging};
use crate::changelog::{Action, ChangedResource, FieldChange};
use crate::context::Context;
use crate::error::DomainError;
use crate::file_name;
use crate::id::FusionViewId;
use crate::slots::ProjectSlot;

/// What the bytes of an archive begin with: its first entry, or the end of an empty one.
const BEGINNINGS: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];

/// What a package is called whose client gave it no name.
const UNNAMED: &str = "package.zip";

/// A package that is coming in. Dropping it throws away what came.
pub struct PackageUpload {
    context: Arc<Context>,
    claim: BotClaim,
    view: FusionViewId,
    staging: Box<dyn Staging>,
    /// The first bytes, until there are enough to tell an archive by.
    beginning: Vec<u8>,
    size: u64,
    _slot: ProjectSlot,
}

impl PackageUpload {
    pub(super) async fn begin(
        context: Arc<Context>,
        claim: BotClaim,
        view: FusionViewId,
    ) -> Result<Self, DomainError> {
        let slot = context.begin_upload(claim.project_id())?;
        let staging = context.blobs.stage().await?;
        let beginning = Vec::new();
        Ok(Self { context, claim, view, staging, beginning, size: 0, _slot: slot })
    }

    /// Takes in the next bytes.
    ///
    /// # Errors
    /// [`DomainError::BodyTooLarge`] if the file is larger than an archive may be,
    /// [`DomainError::UnsupportedMediaType`] if it does not begin like one, [`DomainError::Blob`] if
    /// the bytes can't be kept.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), DomainError> {
        self.size += bytes.len() as u64;
        let limit = self.context.limits.archive_bytes;
        if self.size > limit {
            return Err(DomainError::BodyTooLarge(limit));
        }
        let missing = BEGINNINGS.map(<[u8]>::len).into_iter().max().unwrap_or_default();
        let missing = missing.saturating_sub(self.beginning.len()).min(bytes.len());
        self.beginning.extend(bytes.iter().take(missing));
        let begins_well = BEGINNINGS.iter().any(|known| known.starts_with(&self.beginning));
        if !begins_well {
            return Err(ArchiveError::NotAnArchive.into());
        }
        Ok(self.staging.write(bytes).await?)
    }

    /// Checks what came, makes it the package of the Fusion-View, and returns both.
    ///
    /// # Errors
    /// [`DomainError::UnsupportedMediaType`] if it is no archive, [`DomainError::BadArchive`] if it
    /// breaks a rule, [`DomainError::NotFound`] if the Fusion-View went meanwhile,
    /// [`DomainError::QuotaExceeded`] if the project has no room for it, [`DomainError::Blob`] if it
    /// could not be stored.
    pub async fn finish(
        self,
        file_name: Option<&str>,
    ) -> Result<(FusionViewId, FusionFile), DomainError> {
        let Self { context, claim, view, staging, .. } = self;
        let staged = staging.finish().await?;
        let archive = context.archives.check(claim.project_id(), &staged).await?;
        let file_name = file_name::cleaned(file_name, UNNAMED);
        blob::keep(&context, &claim, BlobKind::Fusion, &staged, move |unit, blob| {
            let before = find(unit, view)?;
            unit.check_precondition(&before)?;
            let mut view = before.clone();
            let now = unit.now();
            let file = FusionFile {
                blob_id: blob.id,
                file_name: file_name.clone(),
                mime_type: "application/zip".to_owned(),
                size: blob.size,
                sha256: blob.sha256,
                entries: archive.entries,
                uploaded_at: now,
            };
            view.file = Some(file.clone());
            view.updated_at = now;
            unit.tx.update_fusion_view(&unit.scope, &before, &view)?;
            if let Some(replaced) = &before.file
                && replaced.blob_id != blob.id
            {
                blob::release(unit, replaced.blob_id)?;
            }
            let what = (Action::Upload, ChangedResource::Fusion);
            let change = FieldChange::new("file", &before.file, &view.file);
            unit.record(what, view.id, &[change])?;
            unit.answer_with(|_| Ok((view.id, file.clone())))?;
            Ok((view.id, file))
        })
        .await
    }
}
