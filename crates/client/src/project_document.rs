// Made of docs/openapi.json by `cargo xtask openapi`.

//! Project document.

use reqwest::Method;
use reqwest::multipart::Form;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::shared::Deleted;
use crate::{File, Page, PageQuery, ProjectClient, Result, Timestamp};

impl ProjectClient {
    /// Assigns documents of the project to the bot.
    ///
    /// Needs the scopes bots:write and projectdoc:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn assign_documents(
        &self,
        bot_id: Uuid,
        body: &AssignDocuments,
    ) -> Result<Vec<ProjectDocument>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "doc", "assign"];
        self.http.request(Method::POST, &path)?.json(body)?.one().await
    }

    /// Takes documents away from the bot.
    ///
    /// Needs the scopes bots:write and projectdoc:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn unassign_documents(
        &self,
        bot_id: Uuid,
        body: &UnassignDocuments,
    ) -> Result<UnassignedDocuments> {
        let path =
            ["api", "external", "projectapi", "bots", &bot_id.to_string(), "doc", "unassign"];
        self.http.request(Method::POST, &path)?.json(body)?.one().await
    }

    /// Makes a file a document of the project, and assigns it to the bot.
    ///
    /// Needs the scope projectdoc:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn upload_bot_document(
        &self,
        bot_id: Uuid,
        body: UploadBotDocument,
    ) -> Result<UploadedBotDocument> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "doc", "upload"];
        self.http.request(Method::POST, &path)?.form(body.into_form()).one().await
    }

    /// Makes the document into chunks anew.
    ///
    /// Needs the scope projectdoc:chunk.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn extract_document(
        &self,
        doc_id: Uuid,
        body: &ExtractDocument,
    ) -> Result<ExtractedDocument> {
        let path = ["api", "external", "projectapi", "doc", "extract", &doc_id.to_string()];
        self.http.request(Method::POST, &path)?.json(body)?.one().await
    }

    /// Lists the documents of the project, oldest first.
    ///
    /// Needs the scope projectdoc:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_documents(&self, query: &PageQuery) -> Result<Page<ProjectDocument>> {
        let path = ["api", "external", "projectapi", "doc", "files"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Returns what is known of the document.
    ///
    /// Needs the scope projectdoc:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_document(&self, doc_id: Uuid) -> Result<ProjectDocument> {
        let path = ["api", "external", "projectapi", "doc", "files", &doc_id.to_string()];
        self.http.request(Method::GET, &path)?.one().await
    }

    /// Deletes the document, and takes it away from every bot.
    ///
    /// Needs the scope projectdoc:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_document(&self, doc_id: Uuid) -> Result<Deleted> {
        let path = ["api", "external", "projectapi", "doc", "files", &doc_id.to_string()];
        self.http.request(Method::DELETE, &path)?.one().await
    }

    /// Lists the chunks of the document in their order.
    ///
    /// Needs the scope projectdoc:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_document_chunks(
        &self,
        doc_id: Uuid,
        query: &PageQuery,
    ) -> Result<Page<Chunk>> {
        let path = ["api", "external", "projectapi", "doc", "files", &doc_id.to_string(), "chunks"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Makes another file that of the document, on every bot.
    ///
    /// Needs the scope projectdoc:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn replace_document(
        &self,
        doc_id: Uuid,
        body: ReplaceDocument,
    ) -> Result<ReplacedDocument> {
        let path = ["api", "external", "projectapi", "doc", "replace", &doc_id.to_string()];
        self.http.request(Method::PUT, &path)?.form(body.into_form()).one().await
    }

    /// Makes a file a document of the project.
    ///
    /// Needs the scope projectdoc:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn upload_document(&self, body: UploadDocument) -> Result<UploadedDocument> {
        let path = ["api", "external", "projectapi", "doc", "upload"];
        self.http.request(Method::POST, &path)?.form(body.into_form()).one().await
    }
}

/// Assigns documents of the project to the bot.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssignDocuments {
    /// The `_id`s of documents of the project. At most 1 MiB in UTF-8 each.
    pub doc_ids: Vec<String>,
}

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

/// Makes the document into chunks anew.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtractDocument {
    /// How many characters a chunk has at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_chars: Option<u64>,
    /// How many characters of a chunk the next one repeats at most; less than `maxChars`. For a new
    /// document a tenth of `maxChars`, at most 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_overlap: Option<u64>,
    /// Where chunks end. For a new document that goes by its type.
    #[serde(rename = "chunking_strategy", skip_serializing_if = "Option::is_none")]
    pub chunking_strategy: Option<Strategy>,
    /// Whether text is read from images in a file, too, if `ocrEnabled` is `true` as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub images_enabled: Option<bool>,
    /// Whether text is read from images and scanned pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr_enabled: Option<bool>,
    /// In which languages that text may be, as Tesseract names them, joined by `+`: `deu+eng`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr_language: Option<String>,
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

/// Makes another file that of the document, on every bot.
#[derive(Debug)]
pub struct ReplaceDocument {
    /// Whether the file is made into chunks.
    pub extract: Option<bool>,
    /// How many characters a chunk has at most.
    pub max_chars: Option<u64>,
    /// How many characters of a chunk the next one repeats at most; less than `maxChars`. For a new
    /// document a tenth of `maxChars`, at most 200.
    pub max_overlap: Option<u64>,
    /// Where chunks end. For a new document that goes by its type.
    pub chunking_strategy: Option<Strategy>,
    /// Whether text is read from images in a file, too, if `ocrEnabled` is `true` as well.
    pub images_enabled: Option<bool>,
    /// Whether text is read from images and scanned pages.
    pub ocr_enabled: Option<bool>,
    /// In which languages that text may be, as Tesseract names them, joined by `+`: `deu+eng`.
    pub ocr_language: Option<String>,
    /// The file, with its name.
    pub file: File,
}

impl ReplaceDocument {
    /// A form with nothing but the file.
    pub const fn new(file: File) -> Self {
        Self {
            extract: None,
            max_chars: None,
            max_overlap: None,
            chunking_strategy: None,
            images_enabled: None,
            ocr_enabled: None,
            ocr_language: None,
            file,
        }
    }

    pub(crate) fn into_form(self) -> Form {
        let mut form = Form::new();
        if let Some(value) = self.extract {
            form = form.text("extract", value.to_string());
        }
        if let Some(value) = self.max_chars {
            form = form.text("maxChars", value.to_string());
        }
        if let Some(value) = self.max_overlap {
            form = form.text("maxOverlap", value.to_string());
        }
        if let Some(value) = self.chunking_strategy {
            form = form.text("chunking_strategy", value.as_str().to_owned());
        }
        if let Some(value) = self.images_enabled {
            form = form.text("imagesEnabled", value.to_string());
        }
        if let Some(value) = self.ocr_enabled {
            form = form.text("ocrEnabled", value.to_string());
        }
        if let Some(value) = self.ocr_language {
            form = form.text("ocrLanguage", value);
        }
        form.part("file", self.file.into_part())
    }
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

/// Takes documents away from the bot.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnassignDocuments {
    /// The `_id`s of documents of the project. At most 1 MiB in UTF-8 each.
    pub doc_ids: Vec<String>,
}

/// The documents that a bot had and has no more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct UnassignedDocuments {
    /// The `_id`s of the documents of the project.
    pub unassigned: Vec<String>,
}

/// Makes a file a document of the project, and assigns it to the bot.
#[derive(Debug)]
pub struct UploadBotDocument {
    /// Whether the file is made into chunks.
    pub extract: Option<bool>,
    /// The skill that it is for. There need not be such a skill.
    pub skill_id: Option<String>,
    /// The function that it is for.
    pub function_name: Option<String>,
    /// How many characters a chunk has at most.
    pub max_chars: Option<u64>,
    /// How many characters of a chunk the next one repeats at most; less than `maxChars`. For a new
    /// document a tenth of `maxChars`, at most 200.
    pub max_overlap: Option<u64>,
    /// Where chunks end. For a new document that goes by its type.
    pub chunking_strategy: Option<Strategy>,
    /// Whether text is read from images in a file, too, if `ocrEnabled` is `true` as well.
    pub images_enabled: Option<bool>,
    /// Whether text is read from images and scanned pages.
    pub ocr_enabled: Option<bool>,
    /// In which languages that text may be, as Tesseract names them, joined by `+`: `deu+eng`.
    pub ocr_language: Option<String>,
    /// The file, with its name.
    pub file: File,
}

impl UploadBotDocument {
    /// A form with nothing but the file.
    pub const fn new(file: File) -> Self {
        Self {
            extract: None,
            skill_id: None,
            function_name: None,
            max_chars: None,
            max_overlap: None,
            chunking_strategy: None,
            images_enabled: None,
            ocr_enabled: None,
            ocr_language: None,
            file,
        }
    }

    pub(crate) fn into_form(self) -> Form {
        let mut form = Form::new();
        if let Some(value) = self.extract {
            form = form.text("extract", value.to_string());
        }
        if let Some(value) = self.skill_id {
            form = form.text("skillId", value);
        }
        if let Some(value) = self.function_name {
            form = form.text("functionName", value);
        }
        if let Some(value) = self.max_chars {
            form = form.text("maxChars", value.to_string());
        }
        if let Some(value) = self.max_overlap {
            form = form.text("maxOverlap", value.to_string());
        }
        if let Some(value) = self.chunking_strategy {
            form = form.text("chunking_strategy", value.as_str().to_owned());
        }
        if let Some(value) = self.images_enabled {
            form = form.text("imagesEnabled", value.to_string());
        }
        if let Some(value) = self.ocr_enabled {
            form = form.text("ocrEnabled", value.to_string());
        }
        if let Some(value) = self.ocr_language {
            form = form.text("ocrLanguage", value);
        }
        form.part("file", self.file.into_part())
    }
}

/// Makes a file a document of the project.
#[derive(Debug)]
pub struct UploadDocument {
    /// Whether the file is made into chunks.
    pub extract: Option<bool>,
    /// The skill that it is for. There need not be such a skill.
    pub skill_id: Option<String>,
    /// The function that it is for.
    pub function_name: Option<String>,
    /// How many characters a chunk has at most.
    pub max_chars: Option<u64>,
    /// How many characters of a chunk the next one repeats at most; less than `maxChars`. For a new
    /// document a tenth of `maxChars`, at most 200.
    pub max_overlap: Option<u64>,
    /// Where chunks end. For a new document that goes by its type.
    pub chunking_strategy: Option<Strategy>,
    /// Whether text is read from images in a file, too, if `ocrEnabled` is `true` as well.
    pub images_enabled: Option<bool>,
    /// Whether text is read from images and scanned pages.
    pub ocr_enabled: Option<bool>,
    /// In which languages that text may be, as Tesseract names them, joined by `+`: `deu+eng`.
    pub ocr_language: Option<String>,
    /// The file, with its name.
    pub file: File,
}

impl UploadDocument {
    /// A form with nothing but the file.
    pub const fn new(file: File) -> Self {
        Self {
            extract: None,
            skill_id: None,
            function_name: None,
            max_chars: None,
            max_overlap: None,
            chunking_strategy: None,
            images_enabled: None,
            ocr_enabled: None,
            ocr_language: None,
            file,
        }
    }

    pub(crate) fn into_form(self) -> Form {
        let mut form = Form::new();
        if let Some(value) = self.extract {
            form = form.text("extract", value.to_string());
        }
        if let Some(value) = self.skill_id {
            form = form.text("skillId", value);
        }
        if let Some(value) = self.function_name {
            form = form.text("functionName", value);
        }
        if let Some(value) = self.max_chars {
            form = form.text("maxChars", value.to_string());
        }
        if let Some(value) = self.max_overlap {
            form = form.text("maxOverlap", value.to_string());
        }
        if let Some(value) = self.chunking_strategy {
            form = form.text("chunking_strategy", value.as_str().to_owned());
        }
        if let Some(value) = self.images_enabled {
            form = form.text("imagesEnabled", value.to_string());
        }
        if let Some(value) = self.ocr_enabled {
            form = form.text("ocrEnabled", value.to_string());
        }
        if let Some(value) = self.ocr_language {
            form = form.text("ocrLanguage", value);
        }
        form.part("file", self.file.into_part())
    }
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
