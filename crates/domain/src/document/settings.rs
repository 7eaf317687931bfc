//! How a document is made into chunks.

use crate::choice;

choice! {
    /// Where chunks end.
    Strategy {
        Text "text",
        Markdown "markdown",
        Yaml "yaml",
    }
}

/// The fewest characters that a chunk can be bounded to.
pub const CHARS_MIN: u32 = 100;
/// The most characters that a chunk can be bounded to.
pub const CHARS_MAX: u32 = 100_000;
/// To how many characters a chunk is bounded if nothing else was said.
pub const CHARS_DEFAULT: u32 = 2_000;

/// How a document is made into chunks.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExtractionSettings {
    /// How many characters (Unicode scalar values) a chunk has at most, [`CHARS_MIN`] to [`CHARS_MAX`].
    pub max_chars: u32,
    /// How many characters of a chunk the next one repeats at most; fewer than `max_chars`.
    pub max_overlap: u32,
    /// Where chunks end.
    #[serde(rename = "chunking_strategy")]
    pub strategy: Strategy,
    /// Whether text is read from images that a file embeds, too.
    pub images_enabled: bool,
    /// Whether text is read from images and scanned pages.
    pub ocr_enabled: bool,
    /// In which languages that text may be, as Tesseract names them, joined by `+`: `deu+eng`.
    pub ocr_language: String,
}
