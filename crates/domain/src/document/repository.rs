//! The repository of documents.

use std::ops::RangeInclusive;

use super::{BotDocument, Chunk, Document};
use crate::access::{BotScope, Operator, ProjectScope};
use crate::clock::Timestamp;
use crate::copy_step::CopyStep;
use crate::error::StorageError;
use crate::id::{
    BlobId, BotDocumentId, BotId, DocumentId, ExtractionId, OrganisationId, ProjectId,
};
use crate::lock::Lock;

/// Numbers of extractions that are queued or running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtractionCounts {
    /// Extractions of the project that wait.
    pub queued: u64,
    /// Extractions of the project that run.
    pub running: u64,
}

/// A document whose extraction is to be done, and where it belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentToExtract {
    /// The organisation of its project.
    pub organisation_id: OrganisationId,
    /// The document.
    pub document: Document,
}

impl DocumentToExtract {
    /// The right to what its project has, and the document.
    pub(crate) fn with_scope(self) -> (ProjectScope, Document) {
        let Self { organisation_id, document } = self;
        (ProjectScope::at(organisation_id, document.project_id, None), document)
    }
}

/// Documents in the database, and which bots have them.
pub trait DocumentRepository {
    /// A document of the project.
    fn document(
        &mut self,
        scope: &ProjectScope,
        id: DocumentId,
        lock: Lock,
    ) -> Result<Option<Document>, StorageError>;

    /// Those of some documents that the project has. They are locked, so that none of them is deleted
    /// meanwhile.
    fn lock_documents(
        &mut self,
        scope: &ProjectScope,
        ids: &[DocumentId],
    ) -> Result<Vec<Document>, StorageError>;

    /// Documents of the project, oldest first, at most `limit`, after `after` if that is given.
    fn documents(
        &mut self,
        scope: &ProjectScope,
        after: Option<DocumentId>,
        limit: u32,
    ) -> Result<Vec<Document>, StorageError>;

    /// The bots of these documents that can be found, with the documents: by document, then by bot.
    fn bots_with_documents(
        &mut self,
        scope: &ProjectScope,
        ids: &[DocumentId],
    ) -> Result<Vec<(DocumentId, BotId)>, StorageError>;

    /// Those of the project's documents with these identifiers, in any order.
    fn documents_with_ids(
        &mut self,
        scope: &ProjectScope,
        ids: &[DocumentId],
    ) -> Result<Vec<Document>, StorageError>;

    /// Which bots that can be found have copies of the documents in this range, in the order of the
    /// documents, those of one oldest first; at most `limit`.
    fn bots_of_documents(
        &mut self,
        scope: &ProjectScope,
        ids: RangeInclusive<DocumentId>,
        limit: u32,
    ) -> Result<Vec<(DocumentId, BotId)>, StorageError>;

    /// Which bots have a copy of a document, in any state they are that can be left again.
    fn bots_with_document(
        &mut self,
        scope: &ProjectScope,
        id: DocumentId,
    ) -> Result<Vec<BotId>, StorageError>;

    /// The newest document of the project whose file has this name, locked exclusively.
    fn document_of_name(
        &mut self,
        scope: &ProjectScope,
        file_name: &str,
    ) -> Result<Option<Document>, StorageError>;

    /// The newest document of the project whose file has these bytes, locked exclusively.
    fn document_of_blob(
        &mut self,
        scope: &ProjectScope,
        blob: BlobId,
    ) -> Result<Option<Document>, StorageError>;

    /// How many documents the project has.
    fn count_documents(&mut self, scope: &ProjectScope) -> Result<u64, StorageError>;

    /// Stores a new document.
    fn insert_document(
        &mut self,
        scope: &ProjectScope,
        document: &Document,
    ) -> Result<(), StorageError>;

    /// Stores all that can change of a document that is locked.
    fn update_document(
        &mut self,
        scope: &ProjectScope,
        document: &Document,
    ) -> Result<(), StorageError>;

    /// Removes a document that is locked, and that no bot has.
    fn delete_document(&mut self, scope: &ProjectScope, id: DocumentId)
    -> Result<(), StorageError>;

    /// The document whose last requested extraction is this one.
    fn document_to_extract(
        &mut self,
        operator: Operator,
        id: ExtractionId,
        lock: Lock,
    ) -> Result<Option<DocumentToExtract>, StorageError>;

    /// Counts the extractions of the project that are queued or running.
    fn extraction_counts(&mut self, scope: &ProjectScope)
    -> Result<ExtractionCounts, StorageError>;
}

/// The copies of documents that bots have, in the database.
pub trait BotDocumentRepository {
    /// Removes copies of a document that is locked, at most so many; returns which bots had them, in whatever state
    /// they are.
    fn take_document_from_bots(
        &mut self,
        scope: &ProjectScope,
        id: DocumentId,
        limit: u32,
    ) -> Result<Vec<BotId>, StorageError>;

    /// The copies that a bot has of some documents, in the order of the documents.
    fn bot_documents(
        &mut self,
        scope: &BotScope,
        of: &[DocumentId],
    ) -> Result<Vec<BotDocument>, StorageError>;

    /// Stores new copies. The bot is locked exclusively.
    fn insert_bot_documents(
        &mut self,
        scope: &BotScope,
        copies: &[BotDocument],
    ) -> Result<(), StorageError>;

    /// Removes the copies that a bot has of some documents; returns of which it had one. The bot is locked
    /// exclusively.
    fn delete_bot_documents(
        &mut self,
        scope: &BotScope,
        of: &[DocumentId],
    ) -> Result<Vec<DocumentId>, StorageError>;

    /// Puts another `skillId` in the place of one in copies that the bot has, at most `limit`; returns the
    /// identifiers of these.
    fn rename_skill_of_bot_documents(
        &mut self,
        scope: &BotScope,
        old_and_new: (&str, &str),
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<BotDocumentId>, StorageError>;

    /// Copies copies that a bot has to another bot of the project, in their order, under identifiers
    /// from `next_id` and made `now`. It goes on where
    /// `step` is, as far as that goes, and returns whether all are copied.
    fn copy_bot_documents(
        &mut self,
        bots: (&BotScope, &BotScope),
        now: Timestamp,
        step: &mut CopyStep,
        next_id: &mut dyn FnMut() -> BotDocumentId,
    ) -> Result<bool, StorageError>;

    /// Removes at most `limit` copies of a bot that is being torn down; returns their number.
    fn remove_bot_documents(&mut self, scope: &BotScope, limit: u32) -> Result<u32, StorageError>;
}

/// Chunks of documents in the database.
pub trait ChunkRepository {
    /// Chunks of an extraction in their order, at most `limit` and a bounded number of bytes, after the index
    /// `after` if that is given. With them comes the index to go on after, unless these were the last.
    fn chunks(
        &mut self,
        scope: &ProjectScope,
        of: ExtractionId,
        after: Option<u32>,
        limit: u32,
    ) -> Result<(Vec<Chunk>, Option<u32>), StorageError>;

    /// Stores chunks of an extraction.
    fn insert_chunks(
        &mut self,
        scope: &ProjectScope,
        of: ExtractionId,
        chunks: &[Chunk],
    ) -> Result<(), StorageError>;

    /// Removes at most `limit` chunks of an extraction of which no document's chunks are; returns their number.
    fn remove_unused_chunks(
        &mut self,
        operator: Operator,
        project: ProjectId,
        of: ExtractionId,
        limit: u32,
    ) -> Result<u32, StorageError>;
}
