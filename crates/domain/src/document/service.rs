//! What clients can do with documents.

use std::ops::Range;
use std::pin::pin;
use std::sync::Arc;

use futures_util::future::{Either, select};
use futures_util::{Stream, StreamExt as _};

use super::bots::{check_precondition, with_bots};
use super::extraction::begin_extraction;
use super::record::record;
use super::release::end_extraction;
use super::{Chunk, ChunkPosition, Document, DocumentOnBots, DocumentUpload, ExtractDocument};
use crate::access::{Conditional as _, OwnerClaim, ProjectClaim, ResolvableClaim as _};
use crate::blob::{self, BlobKey, BlobKind, BlobReader};
use crate::changelog::Action;
use crate::context::Context;
use crate::entity_tag::Tagged as _;
use crate::error::{DomainError, Resource};
use crate::event::{EventData, EventType};
use crate::id::DocumentId;
use crate::input::Valid;
use crate::list::list_methods;
use crate::lock::Lock;
use crate::unit::{ProjectUnit, Unit};

/// From how many bots a document that is deleted is taken away at once, so that other writers need not wait long.
const TAKEN_AT_ONCE: u32 = 1_000;

/// Documents.
#[derive(Clone)]
pub struct DocumentService {
    pub(super) context: Arc<Context>,
}

impl DocumentService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// The document with this `_id`.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the document is not there.
    pub async fn get_without_bots(
        &self,
        claim: &ProjectClaim,
        id: DocumentId,
    ) -> Result<Document, DomainError> {
        self.context.look_up_claimed(claim, move |unit| find(unit, id, Lock::None)).await
    }

    /// The document with this `_id`, and its bots.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the document is not there.
    pub async fn get(
        &self,
        claim: &ProjectClaim,
        id: DocumentId,
    ) -> Result<DocumentOnBots, DomainError> {
        self.context
            .read_claimed(claim, move |unit| {
                let document = find(unit, id, Lock::None)?;
                with_bots(unit, document)
            })
            .await
    }

    /// Begins the upload of a document, ahead of its first byte.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the bot is not there, [`DomainError::Busy`] if the
    /// project has too many uploads in progress, [`DomainError::Blob`] if it can't be stored.
    pub async fn begin_upload(&self, to: OwnerClaim) -> Result<DocumentUpload, DomainError> {
        let claim = to.clone();
        // In the database: a client should not send a file that can't be stored.
        let look_up = move |unit: &mut Unit<'_>| claim.look_up(unit.tx, Lock::None).map(drop);
        self.context.look_up(Some(to.project_id()), look_up).await?;
        DocumentUpload::begin(self.context.clone(), to).await
    }

    /// Begins the upload of a file that replaces that of a document, ahead of its first byte.
    ///
    /// # Errors
    /// As [`Self::begin_upload`], and [`DomainError::NotFound`] if the document is not there.
    pub async fn begin_replacing(
        &self,
        claim: &ProjectClaim,
        id: DocumentId,
    ) -> Result<(DocumentId, DocumentUpload), DomainError> {
        let document = match claim.precondition() {
            None => self.get_without_bots(claim, id).await?,
            // Evaluated again when the file has come; a client should not send one that will be refused.
            Some(precondition) => {
                let found = self.get(claim, id).await?;
                precondition.evaluate(Some(found.entity_tag()))?;
                found.document
            }
        };
        let to = claim.clone().into();
        Ok((document.id, DocumentUpload::begin(self.context.clone(), to).await?))
    }

    /// Asks for a document to be extracted anew. Its chunks stay until the new ones are there.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the document is not there, [`DomainError::Invalid`] if
    /// the settings do not go with those that it has, [`DomainError::Busy`] if too many extractions wait.
    pub async fn extract(
        &self,
        claim: &ProjectClaim,
        id: DocumentId,
        request: Valid<ExtractDocument>,
    ) -> Result<Document, DomainError> {
        self.context
            .write_claimed(claim, Lock::Exclusive, move |unit| {
                let mut document = find(unit, id, Lock::Exclusive)?;
                check_precondition(unit, &document)?;
                let settings = request.0.apply(&document.extraction.settings)?;
                begin_extraction(unit, &mut document, settings)?;
                document.updated_at = unit.now();
                unit.tx.update_document(&unit.scope, &document)?;
                let event_type = EventType::DocumentExtractionRequested;
                unit.emit(event_type, document.id, &EventData::NONE)?;
                Ok(document)
            })
            .await
    }

    /// The document when the extraction that it has now has ended, or another was asked for. The job that
    /// ends it wakes this call if it runs in this process; because it may run in another one, the document
    /// is also read with every item of `looks`. The first of them should come at once: the extraction may
    /// have ended before this call. When `looks` ends, the document is returned as it was seen last. A read
    /// that fails is no failure of this call, because what was asked for is stored already.
    pub async fn ended(
        &self,
        claim: &ProjectClaim,
        document: Document,
        looks: impl Stream<Item = ()>,
    ) -> Document {
        let Some(awaited) = document.extraction.id else { return document };
        let ends = &self.context.extraction_waiters;
        let (mut seen, mut looks) = (document, pin!(looks));
        let mut end = ends.listen(awaited);
        while seen.extraction.status.is_going() && seen.extraction.id == Some(awaited) {
            if let Either::Right((None, _)) = select(end, looks.next()).await {
                break;
            }
            // An end during the read must not be missed, so this listens before it.
            end = ends.listen(awaited);
            match self.get_without_bots(claim, seen.id).await {
                Ok(now) => seen = now,
                Err(DomainError::NotFound(_)) => break,
                Err(_) => {}
            }
        }
        seen
    }

    /// Deletes a document, and takes it away from every bot. An extraction of it is broken off. From more than a
    /// thousand bots it is taken away in several units, of which the last deletes it.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the document is not there.
    pub async fn delete(
        &self,
        claim: &ProjectClaim,
        id: DocumentId,
    ) -> Result<DocumentId, DomainError> {
        let mut claim = claim.clone();
        while !self.delete_step(&claim, id).await? {
            claim = claim.unconditional();
        }
        Ok(id)
    }

    /// Takes a document away from bots, and deletes it after the last of them; returns whether that is done.
    async fn delete_step(&self, claim: &ProjectClaim, id: DocumentId) -> Result<bool, DomainError> {
        self.context
            .delete_claimed(claim, Lock::None, move |unit| {
                let document = find(unit, id, Lock::Exclusive)?;
                check_precondition(unit, &document)?;
                let bots = unit.tx.take_document_from_bots(&unit.scope, id, TAKEN_AT_ONCE)?;
                record(unit, Action::Delete, bots.iter().map(|bot| (*bot, &document)))?;
                if bots.len() >= TAKEN_AT_ONCE as usize {
                    unit.answer_later();
                    return Ok(false);
                }
                unit.tx.delete_document(&unit.scope, id)?;
                end_extraction(unit, &document)?;
                blob::release(unit, document.file.blob_id)?;
                unit.emit(EventType::DocumentDeleted, id, &EventData::NONE)?;
                unit.answer_with(|_| Ok(id))?;
                Ok(true)
            })
            .await
    }

    /// Chunks of a document in their order with their positions, at most `limit` and a bounded number of
    /// bytes, after the position `after` if that is given. With them comes the position to go on after, unless
    /// these were the last.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the document is not there, [`DomainError::Refused`] if
    /// the document has other chunks by now than those that `after` is of.
    pub async fn chunks(
        &self,
        claim: &ProjectClaim,
        id: DocumentId,
        after: Option<ChunkPosition>,
        limit: u32,
    ) -> Result<(Vec<(ChunkPosition, Chunk)>, Option<ChunkPosition>), DomainError> {
        self.context
            .read_claimed(claim, move |unit| {
                let document = unit.tx.document(&unit.scope, id, Lock::None)?;
                let document = document.ok_or(DomainError::NotFound(Resource::Document))?;
                let of = document.extraction.chunks_of;
                if after.is_some_and(|after| of != Some(after.extraction_id)) {
                    let what = "the cursor is of other chunks than the document has now; list them \
                                from the first one";
                    return Err(DomainError::Refused(what.to_owned()));
                }
                let Some(extraction_id) = of else {
                    return Ok((Vec::new(), None));
                };
                let after = after.map(|after| after.index);
                let (chunks, next) = unit.tx.chunks(&unit.scope, extraction_id, after, limit)?;
                let at = |index| ChunkPosition { extraction_id, index };
                let chunks = chunks.into_iter().map(|chunk| (at(chunk.index), chunk)).collect();
                Ok((chunks, next.map(at)))
            })
            .await
    }

    /// The bytes in this range of a document's file, block by block.
    ///
    /// # Errors
    /// [`DomainError::Blob`] if they can't be read.
    pub async fn read(
        &self,
        document: &Document,
        range: Range<u64>,
    ) -> Result<Box<dyn BlobReader>, DomainError> {
        let file = &document.file;
        let kind = BlobKind::Document;
        let key = BlobKey::of(document.project_id, kind, file.sha256, file.blob_id);
        Ok(self.context.blobs.read(&key, range).await?)
    }
}

list_methods! {
    DocumentService {
        items: "Documents, with their bots,", item: DocumentOnBots, id: DocumentId,
        parent: "project", claim: ProjectClaim,
    }
}

fn find(unit: &mut ProjectUnit<'_>, id: DocumentId, lock: Lock) -> Result<Document, DomainError> {
    let found = unit.tx.document(&unit.scope, id, lock)?;
    found.ok_or(DomainError::NotFound(Resource::Document))
}
