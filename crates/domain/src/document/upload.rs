//! The upload of a file, from its first byte to its document.

use std::sync::Arc;

use super::bots::check_precondition;
use super::extraction::begin_extraction;
use super::release::end_extraction;
use super::same_file::{self, OnDuplicate, SameFile};
use super::taken_in::{OnBot, answer, insert, put_file, replace_by_upload, store_replaced};
use super::{
    Document, DocumentFile, Extraction, ExtractionSettings, ReplaceDocument, UploadDocument,
};
use crate::access::{Conditional as _, InProject as _, OwnerClaim, ResolvableClaim as _};
use crate::blob::{self, Blob, BlobKind, Staged, Staging};
use crate::context::Context;
use crate::error::{DomainError, Resource, StorageError};
use crate::file_name;
use crate::id::DocumentId;
use crate::input::Valid;
use crate::lock::Lock;
use crate::slots::ProjectSlot;
use crate::unit::{ProjectUnit, Unit};
use crate::violation::{ViolationCode, Violations};

/// What a file is called whose client gave it no name.
pub(super) const UNNAMED: &str = "document";

/// A file that is coming in. Dropping it throws away what came.
pub struct DocumentUpload {
    context: Arc<Context>,
    to: OwnerClaim,
    same_file: SameFile,
    /// The name of the document because of which the file is not kept, if that is known already.
    existing: Option<String>,
    staging: Box<dyn Staging>,
    size: u64,
    _slot: ProjectSlot,
}

/// A file that came in whole, and what is known of it.
struct Arrived {
    staged: Arc<dyn Staged>,
    file_name: String,
    mime_type: String,
}

impl DocumentUpload {
    pub(super) async fn begin(context: Arc<Context>, to: OwnerClaim) -> Result<Self, DomainError> {
        let slot = context.begin_upload(to.project_id())?;
        let staging = context.blobs.stage().await?;
        let same_file = SameFile::default();
        Ok(Self { context, to, same_file, existing: None, staging, size: 0, _slot: slot })
    }

    /// Says what becomes of the file if the project has it already.
    #[must_use]
    pub fn with(self, same_file: SameFile) -> Self {
        Self { same_file, ..self }
    }

    /// Says what the file is called, ahead of its first byte. If the name alone decides that the file is skipped,
    /// no byte of it is kept.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if what it goes to went meanwhile.
    pub async fn named(&mut self, file_name: Option<&str>) -> Result<(), DomainError> {
        let Some(name) = usable_name(file_name).filter(|_| self.same_file.skips_by_name()) else {
            return Ok(());
        };
        let (to, sought) = (self.to.clone(), name.clone());
        let find = move |unit: &mut Unit<'_>| {
            let scope = to.look_up(unit.tx, Lock::None)?.in_project();
            Ok(unit.tx.document_of_name(&scope, &sought)?.is_some())
        };
        let is_there = self.context.look_up(Some(self.to.project_id()), find).await?;
        self.existing = Some(name).filter(|_| is_there);
        Ok(())
    }

    /// Takes in the next bytes.
    ///
    /// # Errors
    /// [`DomainError::BodyTooLarge`] if the file is larger than a document may be, [`DomainError::Blob`]
    /// if the bytes can't be kept.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), DomainError> {
        self.size += bytes.len() as u64;
        let limit = self.context.limits.document_bytes;
        if self.size > limit {
            return Err(DomainError::BodyTooLarge(limit));
        }
        if self.existing.is_some() {
            return Ok(());
        }
        Ok(self.staging.write(bytes).await?)
    }

    /// Makes what came a document of the project, and a copy of it on the bot if it came through one; or does with a
    /// document of the same file what was asked for.
    ///
    /// # Errors
    /// [`DomainError::Invalid`] if the file is empty, [`DomainError::QuotaExceeded`] if the project has
    /// no room for it, [`DomainError::Busy`] if too many extractions wait, [`DomainError::Blob`] if it
    /// could not be stored, [`StorageError::Contended`] if it was not kept because of a document that went meanwhile.
    pub async fn finish(
        self,
        file_name: Option<&str>,
        media_type: Option<&str>,
        request: Valid<UploadDocument>,
    ) -> Result<OnBot, DomainError> {
        let (context, to, same_file) = (self.context.clone(), self.to.clone(), self.same_file);
        let (request, name) = (Arc::new(request), usable_name(file_name));
        if let Some(name) = self.existing {
            check_size(self.size)?;
            let find = move |unit: &mut ProjectUnit<'_>| {
                Ok(unit.tx.document_of_name(&unit.scope, &name)?)
            };
            let gone = "the document because of which a file was skipped went meanwhile";
            let found = existing(&context, &to, request, find).await?;
            return found.ok_or(StorageError::Contended(gone.to_owned()).into());
        }
        let (_slot, arrived) = self.arrive(file_name, media_type).await?;
        let (staged, arrived) = (arrived.staged.clone(), Arc::new(arrived));
        if same_file.on_duplicate == OnDuplicate::Skip {
            let (sha256, name) = (staged.sha256(), name.clone());
            let find =
                move |unit: &mut ProjectUnit<'_>| same_file.find(unit, name.as_deref(), sha256);
            if let Some(found) = existing(&context, &to, request.clone(), find).await? {
                return Ok(found);
            }
        } else if same_file.on_duplicate == OnDuplicate::Keep {
            // It is certain by now that these settings are those of a new document.
            ExtractionSettings::of_new(&arrived.mime_type, &request.settings)?;
        }
        blob::keep(&context, &to, BlobKind::Document, &staged, move |unit, blob| {
            let bot = unit.scope.bot_id();
            let scope = unit.scope.in_project();
            let unit = &mut unit.with_scope(scope);
            let done = match same_file.find(unit, name.as_deref(), blob.sha256)? {
                Some(found) if same_file.on_duplicate == OnDuplicate::Replace => {
                    let document = replace_by_upload(unit, found, arrived.file(blob), &request)?;
                    same_file::on_bot(unit, bot, document, &request)?
                }
                Some(found) => {
                    // It came while this one was being stored.
                    blob::release(unit, blob.id)?;
                    same_file::on_bot(unit, bot, found, &request)?
                }
                None => insert(unit, bot, arrived.file(blob), &request)?,
            };
            answer(unit, &done)?;
            Ok(done)
        })
        .await
    }

    /// Makes what came the file of a document that is there, on every bot that has a copy of it. The chunks
    /// of the old file go at once.
    ///
    /// # Errors
    /// As [`Self::finish`], and [`DomainError::NotFound`] if the document went meanwhile.
    pub async fn finish_replacing(
        self,
        id: DocumentId,
        file_name: Option<&str>,
        media_type: Option<&str>,
        request: Valid<ReplaceDocument>,
    ) -> Result<Document, DomainError> {
        let (context, to) = (self.context.clone(), self.to.clone());
        let (_slot, arrived) = self.arrive(file_name, media_type).await?;
        let (staged, arrived) = (arrived.staged.clone(), Arc::new(arrived));
        blob::keep(&context, &to, BlobKind::Document, &staged, move |unit, blob| {
            let scope = unit.scope.in_project();
            let unit = &mut unit.with_scope(scope);
            let found = unit.tx.document(&unit.scope, id, Lock::Exclusive)?;
            let mut document = found.ok_or(DomainError::NotFound(Resource::Document))?;
            check_precondition(unit, &document)?;
            let settings = put_file(unit, &mut document, arrived.file(blob), &request.settings)?;
            end_extraction(unit, &document)?;
            document.extraction = Extraction::none(settings.clone());
            if request.extract {
                // What waited waits no more, so that it holds no slot beside what is to wait now.
                unit.tx.update_document(&unit.scope, &document)?;
                begin_extraction(unit, &mut document, settings)?;
            }
            store_replaced(unit, &mut document)?;
            unit.answer_with(|_| Ok(document.clone()))?;
            Ok(document)
        })
        .await
    }

    async fn arrive(
        self,
        file_name: Option<&str>,
        media_type: Option<&str>,
    ) -> Result<(ProjectSlot, Arrived), DomainError> {
        check_size(self.size)?;
        let staged = self.staging.finish().await?;
        let file_name = file_name::cleaned(file_name, UNNAMED);
        let extractor = &self.context.extractor;
        let mime_type = extractor.media_type(&staged, &file_name, media_type).await?;
        Ok((self._slot, Arrived { staged, file_name, mime_type }))
    }
}

fn check_size(size: u64) -> Result<(), DomainError> {
    if size == 0 {
        let message = "`file` must have at least one byte.";
        return Err(Violations::one("/file", ViolationCode::TooShort, message).into());
    }
    Ok(())
}

/// The name of a file as it is kept, if its client gave it one of which something is left.
fn usable_name(given: Option<&str>) -> Option<String> {
    Some(file_name::cleaned(given, "")).filter(|name| !name.is_empty())
}

/// What an upload answers for a document that `find` finds, if it does. Nothing is written, and so nothing is locked, if
/// the bot has a copy of it already, unless the answer is stored.
async fn existing<F>(
    context: &Arc<Context>,
    to: &OwnerClaim,
    request: Arc<Valid<UploadDocument>>,
    find: F,
) -> Result<Option<OnBot>, DomainError>
where
    F: Fn(&mut ProjectUnit<'_>) -> Result<Option<Document>, DomainError> + Clone + Send + 'static,
{
    let (reader, look) = (to.clone(), find.clone());
    let seen = context
        .read(Some(to.project_id()), move |unit| {
            let scope = reader.look_up(unit.tx, Lock::None)?;
            let unit = &mut unit.with_scope(scope.in_project());
            let Some(found) = look(unit)? else { return Ok(None) };
            let copy = scope.bot_id().map(|bot| same_file::copy_of(unit, bot, &found));
            Ok(Some((found, copy.transpose()?)))
        })
        .await?;
    match seen {
        None => return Ok(None),
        Some((found, None)) if to.idempotent().is_none() => return Ok(Some((found, None))),
        Some((found, Some(Some(copy)))) if to.idempotent().is_none() => {
            return Ok(Some((found, Some(copy))));
        }
        Some(_) => {}
    }
    let to = to.clone();
    context
        .write(Some(to.project_id()), move |unit| {
            unit.once(to.idempotent(), to.bot_id(), |unit| {
                let scope = to.look_up(unit.tx, Lock::Exclusive)?;
                let project = scope.in_project().claim().look_up(unit.tx, Lock::Exclusive)?;
                unit.with_precondition(to.precondition(), project, |unit| {
                    let Some(found) = find(unit)? else {
                        unit.answer_later();
                        return Ok(None);
                    };
                    let done = same_file::on_bot(unit, scope.bot_id(), found, &request)?;
                    answer(unit, &done)?;
                    Ok(Some(done))
                })
            })
        })
        .await
}

impl Arrived {
    fn file(&self, blob: &Blob) -> DocumentFile {
        DocumentFile {
            blob_id: blob.id,
            file_name: self.file_name.clone(),
            mime_type: self.mime_type.clone(),
            size: blob.size,
            sha256: blob.sha256,
        }
    }
}
