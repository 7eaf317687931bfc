// Made of docs/openapi.json by `cargo xtask openapi`.

//! Project document: the bodies of requests.

use reqwest::multipart::Form;
use serde::{Deserialize, Serialize};

use crate::File;
use crate::project_document::Strategy;

/// Assigns documents of the project to the bot.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssignDocuments {
    /// The `_id`s of documents of the project. At most 1 MiB in UTF-8 each.
    pub doc_ids: Vec<String>,
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

/// Says what must be done so that the project has these files; changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanDocuments {
    /// The files, none of them twice; at most 10 000.
    pub files: Vec<PlannedFile>,
    /// Whether documents of other files are to be removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prune: Option<bool>,
}

/// A file that the client has.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedFile {
    /// What the file is called. At most 1 MiB in UTF-8.
    pub file_name: String,
    /// The SHA-256 of the file.
    pub sha256: String,
    /// How many bytes the file has.
    pub size: u64,
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

/// Takes documents away from the bot.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnassignDocuments {
    /// The `_id`s of documents of the project. At most 1 MiB in UTF-8 each.
    pub doc_ids: Vec<String>,
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
