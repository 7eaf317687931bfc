//! Project documents: files that become chunks of text (`docs/api.md`, "Documents").
//!
//! A document belongs to the project. A bot to which it is assigned has a copy that refers to it and
//! adds what is its own, so that a replaced document is replaced on every bot at once. Chunks belong to
//! one extraction and never change; the document says of which extraction its chunks are.

mod assignment;
mod body;
mod bots;
mod extraction;
mod extraction_waiters;
mod job;
mod list;
mod new_copy;
mod none;
mod plan;
mod port;
mod record;
mod release;
mod renamed_skill;
mod repository;
mod run;
mod same_file;
mod service;
mod settings;
mod taken_in;
mod upload;

pub use body::{DocIds, ExtractDocument, ReplaceDocument, UploadDocument};
pub(crate) use extraction_waiters::ExtractionWaiters;
pub use job::EXTRACT;
pub(crate) use job::Extract;
pub use list::DocumentFilter;
pub use none::NoExtractor;
pub use plan::{DocumentPlan, PlanDocuments, PlannedFile};
pub use port::{ChunkReader, ExtractedChunk, Extracting, ExtractorError, TextExtractor};
pub use release::REMOVE_CHUNKS;
pub(crate) use release::RemoveChunks;
pub use renamed_skill::RENAME_SKILL_OF_COPIES;
pub(crate) use renamed_skill::{RenameSkillOfCopies, check_no_rename_goes_on, rename_skill};
pub use repository::{
    BotDocumentRepository, ChunkRepository, DocumentRepository, DocumentToExtract, ExtractionCounts,
};
pub use same_file::{MatchBy, OnDuplicate, SameFile};
pub use service::DocumentService;
pub use settings::{
    CHARS_DEFAULT, CHARS_MAX, CHARS_MIN, ExtractionSettings, SettingsPatch, Strategy,
};
pub use upload::DocumentUpload;

use crate::blob::Sha256;
use crate::choice;
use crate::clock::Timestamp;
use crate::entity_tag::{EntityTag, Tagged};
use crate::id::{BlobId, BotDocumentId, BotId, ChunkId, DocumentId, ExtractionId, ProjectId};

choice! {
    /// How far the extraction of a document is.
    ExtractionStatus {
        None "none",
        Queued "queued",
        Running "running",
        Finished "finished",
        Failed "failed",
    }

    /// Why a document could not be made into chunks.
    ExtractionError {
        Unsupported "unsupported",
        Corrupt "corrupt",
        Encrypted "encrypted",
        TooLarge "too_large",
        NoText "no_text",
        OcrUnavailable "ocr_unavailable",
        OcrLanguage "ocr_language",
        Timeout "timeout",
        Memory "memory",
        Crashed "crashed",
        Interrupted "interrupted",
    }
}

impl ExtractionStatus {
    /// Whether an extraction in this status will still change by itself.
    #[must_use]
    pub const fn is_going(self) -> bool {
        match self {
            Self::Queued | Self::Running => true,
            Self::None | Self::Finished | Self::Failed => false,
        }
    }
}

/// A document of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// Its identifier.
    pub id: DocumentId,
    /// Its project.
    pub project_id: ProjectId,
    /// Its file.
    pub file: DocumentFile,
    /// The `skillId` of the skill that it is for. There need not be such a skill.
    pub skill_id: Option<String>,
    /// The function that it is for.
    pub function_name: Option<String>,
    /// How it is made into chunks, and how far that is.
    pub extraction: Extraction,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// When it was replaced or extracted last.
    pub updated_at: Timestamp,
}

/// The file of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentFile {
    /// Where its bytes are.
    pub blob_id: BlobId,
    /// What it is called.
    pub file_name: String,
    /// Its media type, without parameters.
    pub mime_type: String,
    /// How many bytes it has.
    pub size: u64,
    /// The hash of its bytes.
    pub sha256: Sha256,
}

/// The extraction of a document that was requested last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extraction {
    /// Its identifier; `None` if none was requested.
    pub id: Option<ExtractionId>,
    /// How far it is.
    pub status: ExtractionStatus,
    /// Why it failed.
    pub error: Option<ExtractionError>,
    /// How the document is made into chunks.
    pub settings: ExtractionSettings,
    /// The extraction of which the document's chunks are; `None` if it has none. It is an earlier one
    /// while another is going, and after one that failed.
    pub chunks_of: Option<ExtractionId>,
    /// How many chunks the document has.
    pub chunk_count: u32,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
}

/// A document, and the bots to which it is assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentOnBots {
    /// The document.
    pub document: Document,
    /// The bots that can be found, oldest first.
    pub bot_ids: Vec<BotId>,
}

impl Tagged for DocumentOnBots {
    fn entity_tag(&self) -> EntityTag {
        let Self { document, bot_ids } = self;
        let Document { id, project_id, file, skill_id, function_name, extraction, .. } = document;
        let DocumentFile { blob_id: _, file_name, mime_type, size, sha256 } = file;
        let Extraction { id: _, status, error, settings, chunks_of: _, chunk_count, finished_at } =
            extraction;
        let times = (document.created_at, document.updated_at);
        EntityTag::of(&(
            (id, project_id, file_name, mime_type, size, sha256),
            (skill_id, function_name, bot_ids, times),
            (status, error, settings, chunk_count, finished_at),
        ))
    }
}

/// A bot's copy of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotDocument {
    /// Its identifier.
    pub id: BotDocumentId,
    /// Its bot.
    pub bot_id: BotId,
    /// The document of the project, as it is now.
    pub document: Document,
    /// The `skillId` of the skill that the copy is for.
    pub skill_id: Option<String>,
    /// The function that the copy is for.
    pub function_name: Option<String>,
    /// When it was assigned.
    pub created_at: Timestamp,
    /// When it was changed last, other than by its document.
    pub updated_at: Timestamp,
}

/// Where a list of chunks goes on. Chunks of different extractions are never of one list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkPosition {
    /// The extraction that gave the chunks.
    pub extraction_id: ExtractionId,
    /// The index of the chunk after which the list goes on.
    pub index: u32,
}

/// A piece of the text of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Its identifier.
    pub id: ChunkId,
    /// How many come before it.
    pub index: u32,
    /// What was extracted.
    pub extracted: ExtractedChunk,
}
