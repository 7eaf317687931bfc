//! Text, with or without a meaning of its lines.

use domain::document::ExtractionError;
use encoding_rs::{Encoding, WINDOWS_1252};

use super::error::ReadError;
use super::{Input, ReadOptions};
use crate::document::Document;
use crate::limits::Limits;

/// Text as it is.
pub(super) fn read(
    file: Input,
    options: &ReadOptions,
    is_markdown: bool,
) -> Result<Document, ReadError> {
    let text = decode(file, &options.limits)?;
    Ok(Document { text, is_markdown, ..Document::default() })
}

/// HTML, as Markdown.
pub(super) fn html(file: Input, options: &ReadOptions) -> Result<Document, ReadError> {
    let bytes = file.whole(options.limits.text_bytes)?;
    let text = (options.html)(&bytes).ok_or(ExtractionError::Corrupt)?;
    Ok(Document { text, is_markdown: true, ..Document::default() })
}

/// The text of a file: as its first bytes say, else UTF-8 if it is that, else as Windows writes it.
pub(super) fn decode(file: Input, limits: &Limits) -> Result<String, ReadError> {
    // In UTF-16 a letter has two bytes.
    let bytes = file.whole(limits.text_bytes.saturating_mul(2))?;
    let text = match String::from_utf8(bytes) {
        Ok(text) => text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text),
        Err(error) => {
            let bytes = error.into_bytes();
            let (encoding, start) = Encoding::for_bom(&bytes).unwrap_or((WINDOWS_1252, 0));
            let rest = bytes.get(start..).unwrap_or_default();
            encoding.decode_without_bom_handling(rest).0.into_owned()
        }
    };
    if text.len() as u64 > limits.text_bytes {
        Err(ExtractionError::TooLarge.into())
    } else {
        Ok(text)
    }
}
