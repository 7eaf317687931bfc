//! The upload of a file, from its first byte to its document.

use std::slice;
use std::sync::Arc;

use super::extraction::{begin_extraction, end_extraction};
use super::record::record;
use super::{
    BotDocument, Document, DocumentFile, Extraction, ExtractionSettings, ExtractionStatus,
    ReplaceDocument, UploadDocument,
};
use crate::access::{BotClaim, BotScope, ProjectClaim, ProjectScope};
use crate::blob::{self, Blob, BlobKind, Holder, Staged, Staging};
use crate::changelog::Action;
use crate::context::{Context, UploadSlot};
use crate::error::{DomainError, Quota, Resource};
use crate::fault::{FaultCode, Faults};
use crate::file_name;
use crate::id::{BotDocumentId, BotId, DocumentId, ProjectId};
use crate::lock::Lock;
use crate::store::Repositories;

/// What a file is called whose client gave it no name.
const UNNAMED: &str = "document";

/// Where an upload goes.
#[derive(Debug, Clone)]
pub enum UploadTo {
    /// To a project.
    Project(ProjectClaim),
    /// To a bot, and to its project.
    Bot(BotClaim),
}

impl UploadTo {
    /// Whether it is there.
    pub(super) fn look_up(&self, tx: &mut dyn Repositories) -> Result<(), DomainError> {
        self.hold(tx, Lock::None).map(|_| ())
    }
}

/// The right to what an upload goes to.
pub(crate) enum UploadScope {
    Project(ProjectScope),
    Bot(BotScope),
}

impl Holder for UploadTo {
    type Scope = UploadScope;

    fn project_id(&self) -> ProjectId {
        match self {
            Self::Project(claim) => claim.project_id(),
            Self::Bot(claim) => claim.project_id(),
        }
    }

    fn bot_id(&self) -> Option<BotId> {
        match self {
            Self::Project(_) => None,
            Self::Bot(claim) => Some(claim.bot_id()),
        }
    }

    fn hold(&self, tx: &mut dyn Repositories, lock: Lock) -> Result<UploadScope, DomainError> {
        Ok(match self {
            // It is held later on, after the bot if there is one.
            Self::Project(claim) => UploadScope::Project(claim.resolve(tx, Lock::None)?.1),
            Self::Bot(claim) => UploadScope::Bot(claim.scope(tx, lock)?),
        })
    }

    fn project(scope: &UploadScope) -> ProjectScope {
        match scope {
            UploadScope::Project(scope) => scope.clone(),
            UploadScope::Bot(scope) => scope.project(),
        }
    }
}

/// A file that is coming in. Dropping it throws away what came.
pub struct DocumentUpload {
    context: Arc<Context>,
    to: UploadTo,
    staging: Box<dyn Staging>,
    size: u64,
    _slot: UploadSlot,
}

/// A file that came in whole, and what is known of it.
struct Arrived {
    staged: Arc<dyn Staged>,
    file_name: String,
    mime_type: String,
}

impl DocumentUpload {
    pub(super) async fn begin(context: Arc<Context>, to: UploadTo) -> Result<Self, DomainError> {
        let slot = context.begin_upload(to.project_id())?;
        let staging = context.blobs.stage().await?;
        Ok(Self { context, to, staging, size: 0, _slot: slot })
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
        Ok(self.staging.write(bytes).await?)
    }

    /// Makes what came a document of the project, and a copy of it on the bot if it came through one.
    ///
    /// # Errors
    /// [`DomainError::Invalid`] if the file is empty, [`DomainError::QuotaExceeded`] if the project has
    /// no room for it, [`DomainError::Busy`] if too many extractions wait, [`DomainError::Blob`] if it
    /// could not be stored.
    pub async fn finish(
        self,
        file_name: Option<&str>,
        media_type: Option<&str>,
        request: UploadDocument,
    ) -> Result<(Document, Option<BotDocument>), DomainError> {
        let (context, to) = (self.context.clone(), self.to.clone());
        let (_slot, arrived) = self.arrive(file_name, media_type).await?;
        let settings = ExtractionSettings::of_new(&arrived.mime_type, request.settings.clone())?;
        let (staged, unit_context) = (arrived.staged.clone(), context.clone());
        let arrived = Arc::new(arrived);
        let uploaded =
            blob::keep(&context, &to, BlobKind::Document, &staged, move |tx, to, blob| {
                let context = &unit_context;
                let scope = UploadTo::project(to);
                check_room(tx, context, &scope)?;
                let now = context.clock.now();
                let mut document = Document {
                    id: DocumentId::from_uuid(context.ids.next()),
                    project_id: scope.project_id(),
                    file: arrived.file(blob),
                    skill_id: request.skill_id.clone(),
                    function_name: request.function_name.clone(),
                    extraction: Extraction::none(settings.clone()),
                    created_at: now,
                    updated_at: now,
                };
                if request.extract {
                    begin_extraction(tx, context, &scope, &mut document, settings.clone())?;
                }
                tx.insert_document(&scope, &document)?;
                let copy = match to {
                    UploadScope::Project(_) => None,
                    UploadScope::Bot(bot) => {
                        let copy = new_copy(context, bot, document.clone());
                        tx.insert_bot_documents(bot, slice::from_ref(&copy))?;
                        let on = [(bot.bot_id(), &document)];
                        record(tx, context, &scope, Action::Upload, on)?;
                        Some(copy)
                    }
                };
                Ok((document, copy))
            })
            .await?;
        context.job_bell.ring();
        Ok(uploaded)
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
        request: ReplaceDocument,
    ) -> Result<Document, DomainError> {
        let (context, to) = (self.context.clone(), self.to.clone());
        let (_slot, arrived) = self.arrive(file_name, media_type).await?;
        let (staged, unit_context) = (arrived.staged.clone(), context.clone());
        let arrived = Arc::new(arrived);
        let (document, bots) =
            blob::keep(&context, &to, BlobKind::Document, &staged, move |tx, to, blob| {
                let context = &unit_context;
                let scope = UploadTo::project(to);
                let found = tx.document(&scope, id, Lock::Exclusive)?;
                let mut document = found.ok_or(DomainError::NotFound(Resource::Document))?;
                let mut settings = document.extraction.settings.clone();
                if document.file.mime_type != arrived.mime_type {
                    settings.strategy = ExtractionSettings::of_type(&arrived.mime_type).strategy;
                }
                let settings = request.settings.clone().apply(settings)?;
                let before = std::mem::replace(&mut document.file, arrived.file(blob));
                if before.blob_id != blob.id {
                    blob::release(tx, context, scope.project_id(), before.blob_id)?;
                }
                end_extraction(tx, context, &document)?;
                document.extraction = Extraction::none(settings.clone());
                if request.extract {
                    // What waited waits no more, so that it takes no place beside what is to wait now.
                    tx.update_document(&scope, &document)?;
                    begin_extraction(tx, context, &scope, &mut document, settings)?;
                }
                document.updated_at = context.clock.now();
                tx.update_document(&scope, &document)?;
                let bots = tx.holders_of_document(&scope, id)?;
                let on = bots.iter().map(|bot| (*bot, &document));
                record(tx, context, &scope, Action::Upload, on)?;
                Ok((document, bots))
            })
            .await?;
        for bot in bots {
            context.changelog_grew(bot);
        }
        context.job_bell.ring();
        Ok(document)
    }

    async fn arrive(
        self,
        file_name: Option<&str>,
        media_type: Option<&str>,
    ) -> Result<(UploadSlot, Arrived), DomainError> {
        if self.size == 0 {
            let message = "`file` must have at least one byte.";
            return Err(Faults::one("/file", FaultCode::TooShort, message).into());
        }
        let staged = self.staging.finish().await?;
        let file_name = file_name::cleaned(file_name, UNNAMED);
        let extractor = &self.context.extractor;
        let mime_type = extractor.media_type(&staged, &file_name, media_type).await?;
        Ok((self._slot, Arrived { staged, file_name, mime_type }))
    }
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

impl Extraction {
    /// That of a document for which none was asked.
    const fn none(settings: ExtractionSettings) -> Self {
        Self {
            id: None,
            status: ExtractionStatus::None,
            error: None,
            settings,
            chunks_of: None,
            chunk_count: 0,
            finished_at: None,
        }
    }
}

/// Whether one more document fits into the project, which is held.
fn check_room(
    tx: &mut dyn Repositories,
    context: &Context,
    scope: &ProjectScope,
) -> Result<(), DomainError> {
    let quota = context.limits.documents_per_project;
    if quota > 0 && tx.count_documents(scope)? >= quota {
        return Err(DomainError::QuotaExceeded(Quota::DocumentsPerProject(quota)));
    }
    Ok(())
}

/// A bot's copy of a document that it did not have yet.
pub(super) fn new_copy(context: &Context, scope: &BotScope, document: Document) -> BotDocument {
    let now = context.clock.now();
    BotDocument {
        id: BotDocumentId::from_uuid(context.ids.next()),
        bot_id: scope.bot_id(),
        skill_id: document.skill_id.clone(),
        function_name: document.function_name.clone(),
        document,
        created_at: now,
        updated_at: now,
    }
}
