//! Documents and chunks as clients see them.

use crate::api::items::ChunkOfDocument;
use crate::openapi::choice::{ExtractionErrorSchema, ExtractionStatusSchema, StrategySchema};
use domain::blob::Sha256;
use domain::clock::Timestamp;
use domain::document::{
    BotDocument, Chunk, Document, DocumentOnBots, Extraction, ExtractionError, ExtractionSettings,
    ExtractionStatus,
};
use domain::id::{BotId, ChunkId, DocumentId, ProjectId};
use serde::Serialize;
use utoipa::ToSchema;

/// A document of a project, or the copy of it that a bot has.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ProjectDocument)]
pub(crate) struct DocumentView {
    #[serde(rename = "_id")]
    #[schema(format = Uuid)]
    id: String,
    #[schema(value_type = String, format = Uuid)]
    project_id: ProjectId,
    /// Of a copy, the bot that has it.
    #[schema(value_type = Option<String>, format = Uuid)]
    bot_id: Option<BotId>,
    /// Of a copy, the document of the project.
    #[schema(value_type = Option<String>, format = Uuid)]
    project_doc_id: Option<DocumentId>,
    /// What the file is called.
    file_name: String,
    /// The media type of the file.
    #[schema(example = "application/pdf")]
    mime_type: String,
    /// How many bytes the file has.
    size: u64,
    /// The SHA-256 of the file, 64 hexadecimal digits.
    #[schema(value_type = String, pattern = "^[0-9a-f]{64}$")]
    sha256: Sha256,
    /// The `skillId` of the skill that it is for. There need not be such a skill.
    skill_id: Option<String>,
    /// The function that it is for.
    function_name: Option<String>,
    /// How it is made into chunks.
    extraction: ExtractionView,
    /// The bots to which it is assigned, oldest first; a copy has no such member.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Vec<String>, required = false)]
    bot_ids: Option<Vec<BotId>>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl DocumentView {
    /// What a document and a copy of it have in common.
    fn of(document: Document) -> Self {
        Self {
            id: document.id.to_string(),
            project_id: document.project_id,
            bot_id: None,
            project_doc_id: None,
            file_name: document.file.file_name,
            mime_type: document.file.mime_type,
            size: document.file.size,
            sha256: document.file.sha256,
            skill_id: document.skill_id,
            function_name: document.function_name,
            extraction: document.extraction.into(),
            bot_ids: None,
            created_at: document.created_at,
            updated_at: document.updated_at,
        }
    }
}

impl From<DocumentOnBots> for DocumentView {
    fn from(DocumentOnBots { document, bot_ids }: DocumentOnBots) -> Self {
        Self { bot_ids: Some(bot_ids), ..Self::of(document) }
    }
}

impl From<BotDocument> for DocumentView {
    fn from(copy: BotDocument) -> Self {
        // A copy changes with its document.
        let updated_at = copy.updated_at.max(copy.document.updated_at);
        Self {
            id: copy.id.to_string(),
            bot_id: Some(copy.bot_id),
            project_doc_id: Some(copy.document.id),
            skill_id: copy.skill_id,
            function_name: copy.function_name,
            created_at: copy.created_at,
            updated_at,
            ..Self::of(copy.document)
        }
    }
}

/// How a document is made into chunks, and how far that is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Extraction)]
pub(crate) struct ExtractionView {
    /// How far it is.
    #[schema(value_type = ExtractionStatusSchema)]
    status: ExtractionStatus,
    /// Why it failed.
    #[schema(value_type = Option<ExtractionErrorSchema>)]
    error: Option<ExtractionError>,
    /// By what it goes.
    #[schema(value_type = SettingsView)]
    settings: ExtractionSettings,
    /// How many chunks the document has: while another extraction is going, and after one that failed,
    /// those of an earlier one.
    chunk_count: u32,
    /// When it ended; `null` while it has not.
    #[schema(value_type = Option<String>, format = DateTime)]
    finished_at: Option<Timestamp>,
}

impl From<Extraction> for ExtractionView {
    fn from(extraction: Extraction) -> Self {
        Self {
            status: extraction.status,
            error: extraction.error,
            settings: extraction.settings,
            chunk_count: extraction.chunk_count,
            finished_at: extraction.finished_at,
        }
    }
}

/// The settings of an extraction.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", as = ExtractionSettings)]
#[expect(dead_code, reason = "the fields are read by the derived schema")]
struct SettingsView {
    /// How many characters a chunk has at most.
    max_chars: u32,
    /// How many characters of a chunk the next one repeats at most.
    max_overlap: u32,
    /// Where chunks end.
    #[schema(rename = "chunking_strategy")]
    strategy: StrategySchema,
    /// Whether text is read from embedded images, too.
    images_enabled: bool,
    /// Whether text is read from images and scanned pages.
    ocr_enabled: bool,
    /// In which languages that text may be, as Tesseract names them.
    #[schema(example = "deu+eng")]
    ocr_language: String,
}

/// A piece of the text of a document.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Chunk)]
pub(crate) struct ChunkView {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: ChunkId,
    /// Its document.
    #[schema(value_type = String, format = Uuid)]
    doc_id: DocumentId,
    /// How many chunks come before it.
    index: u32,
    /// The text itself.
    text: String,
    /// Where it begins in the text of the document, in characters.
    char_start: u64,
    /// Where it ends.
    char_end: u64,
    /// On which page it begins, counted from 1, if the file has pages.
    page: Option<u32>,
    /// The headings under which it stands, outermost first.
    heading: Vec<String>,
}

impl From<ChunkOfDocument> for ChunkView {
    fn from((_, doc_id, chunk): ChunkOfDocument) -> Self {
        let Chunk { id, index, extracted } = chunk;
        Self {
            id,
            doc_id,
            index,
            text: extracted.text,
            char_start: extracted.char_start,
            char_end: extracted.char_end,
            page: extracted.page,
            heading: extracted.heading,
        }
    }
}
