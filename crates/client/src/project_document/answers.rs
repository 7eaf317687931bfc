// Made of docs/openapi.json by `cargo xtask openapi`.

//! Project document: what is in answers.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Timestamp;

/// A piece of the text of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Chunk {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its document.
    pub doc_id: Uuid,
    /// How many chunks come before it.
    pub index: u32,
    /// The text itself.
    pub text: String,
    /// Where it begins in the text of the document, in characters.
    pub char_start: u64,
    /// Where it ends.
    pub char_end: u64,
    /// On which page it begins, counted from 1, if the file has pages.
    pub page: Option<u32>,
    /// The headings under which it stands, outermost first.
    pub heading: Vec<String>,
}

/// What must be done so that the project has the files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct DocumentPlan {
    /// The names of files of which there is no document.
    pub upload: Vec<String>,
    /// Files that are to replace those of documents.
    pub replace: Vec<PlannedReplacement>,
    /// Documents that are as they should be.
    pub leave: Vec<String>,
    /// With `prune`, the documents of other files, and older ones of the same names.
    pub remove: Vec<String>,
}

/// How far an extraction is that was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ExtractedDocument {
    /// The document.
    pub doc_id: Uuid,
    /// How it is made into chunks.
    pub extraction: Extraction,
}

/// How a document is made into chunks, and how far that is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Extraction {
    /// How far it is.
    pub status: ExtractionStatus,
    /// Why it failed.
    pub error: Option<ExtractionError>,
    /// By what it goes.
    pub settings: ExtractionSettings,
    /// How many chunks the document has: while another extraction is going, and after one that failed,
    /// those of an earlier one.
    pub chunk_count: u32,
    /// When it ended; `null` while it has not.
    pub finished_at: Option<Timestamp>,
}

/// Why a document could not be made into chunks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ExtractionError {
    /// `unsupported`
    #[serde(rename = "unsupported")]
    Unsupported,
    /// `corrupt`
    #[serde(rename = "corrupt")]
    Corrupt,
    /// `encrypted`
    #[serde(rename = "encrypted")]
    Encrypted,
    /// `too_large`
    #[serde(rename = "too_large")]
    TooLarge,
    /// `no_text`
    #[serde(rename = "no_text")]
    NoText,
    /// `ocr_unavailable`
    #[serde(rename = "ocr_unavailable")]
    OcrUnavailable,
    /// `ocr_language`
    #[serde(rename = "ocr_language")]
    OcrLanguage,
    /// `timeout`
    #[serde(rename = "timeout")]
    Timeout,
    /// `memory`
    #[serde(rename = "memory")]
    Memory,
    /// `crashed`
    #[serde(rename = "crashed")]
    Crashed,
    /// `interrupted`
    #[serde(rename = "interrupted")]
    Interrupted,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl ExtractionError {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Unsupported => "unsupported",
            Self::Corrupt => "corrupt",
            Self::Encrypted => "encrypted",
            Self::TooLarge => "too_large",
            Self::NoText => "no_text",
            Self::OcrUnavailable => "ocr_unavailable",
            Self::OcrLanguage => "ocr_language",
            Self::Timeout => "timeout",
            Self::Memory => "memory",
            Self::Crashed => "crashed",
            Self::Interrupted => "interrupted",
            Self::Other(word) => word,
        }
    }
}

/// The settings of an extraction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ExtractionSettings {
    /// How many characters a chunk has at most.
    pub max_chars: u32,
    /// How many characters of a chunk the next one repeats at most.
    pub max_overlap: u32,
    /// Where chunks end.
    #[serde(rename = "chunking_strategy")]
    pub chunking_strategy: Strategy,
    /// Whether text is read from embedded images, too.
    pub images_enabled: bool,
    /// Whether text is read from images and scanned pages.
    pub ocr_enabled: bool,
    /// In which languages that text may be, as Tesseract names them.
    pub ocr_language: String,
}

/// How far the extraction of a document is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ExtractionStatus {
    /// `none`
    #[serde(rename = "none")]
    None,
    /// `queued`
    #[serde(rename = "queued")]
    Queued,
    /// `running`
    #[serde(rename = "running")]
    Running,
    /// `finished`
    #[serde(rename = "finished")]
    Finished,
    /// `failed`
    #[serde(rename = "failed")]
    Failed,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl ExtractionStatus {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::None => "none",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Other(word) => word,
        }
    }
}

/// A file that is to replace that of a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct PlannedReplacement {
    /// The name of the file.
    pub file_name: String,
    /// The document.
    pub doc_id: Uuid,
}

/// A document of a project, or the copy of it that a bot has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ProjectDocument {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its project.
    pub project_id: Uuid,
    /// Of a copy, the bot that has it.
    pub bot_id: Option<Uuid>,
    /// Of a copy, the document of the project.
    pub project_doc_id: Option<Uuid>,
    /// What the file is called.
    pub file_name: String,
    /// The media type of the file.
    pub mime_type: String,
    /// How many bytes the file has.
    pub size: u64,
    /// The SHA-256 of the file, 64 hexadecimal digits.
    pub sha256: String,
    /// The `skillId` of the skill that it is for. There need not be such a skill.
    pub skill_id: Option<String>,
    /// The function that it is for.
    pub function_name: Option<String>,
    /// How it is made into chunks.
    pub extraction: Extraction,
    /// The bots to which it is assigned, oldest first; a copy has no such member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot_ids: Option<Vec<String>>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

/// That a document has another file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ReplacedDocument {
    /// The document.
    pub doc_id: Uuid,
    /// Always true.
    pub replaced: bool,
    /// How it is made into chunks.
    pub extraction: Extraction,
}

/// Where chunks end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Strategy {
    /// `text`
    #[serde(rename = "text")]
    Text,
    /// `markdown`
    #[serde(rename = "markdown")]
    Markdown,
    /// `yaml`
    #[serde(rename = "yaml")]
    Yaml,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl Strategy {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Yaml => "yaml",
            Self::Other(word) => word,
        }
    }
}

/// The documents that a bot had and has no more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct UnassignedDocuments {
    /// The `_id`s of the documents of the project.
    pub unassigned: Vec<String>,
}

/// A new document, and the copy of it that the bot has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct UploadedBotDocument {
    /// The document of the project.
    pub project_doc: ProjectDocument,
    /// The copy of it that the bot has.
    pub bot_doc: ProjectDocument,
}

/// A new document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct UploadedDocument {
    /// The document of the project.
    pub project_doc: ProjectDocument,
}
