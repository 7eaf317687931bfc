//! Makes text of files, with one file for each format.

mod csv;
mod docx;
mod epub;
mod error;
mod image;
mod input;
mod json;
mod mail;
pub(crate) mod ocr;
mod odf;
mod options;
mod package;
mod pages;
mod pdf;
mod pptx;
mod program;
#[cfg(test)]
mod tests;
mod text;
mod writer;
mod xlsx;

use domain::document::ExtractionError;

pub(crate) use error::ReadError;
pub(crate) use input::Input;
pub use options::Html;
pub(crate) use options::ReadOptions;

use crate::document::Document;
use crate::kind::{COMPOUND, DOCX, PPTX, XLSX, is_textual};
use package::Package;

/// The text of a file of this type: neither nothing but blanks nor more than is allowed, and without
/// characters that no database takes.
pub(crate) fn read(
    file: Input,
    media_type: &str,
    options: &ReadOptions,
) -> Result<Document, ReadError> {
    let mut document = by_type(file, media_type, options)?;
    if document.text.len() as u64 > options.limits.text_bytes {
        return Err(ExtractionError::TooLarge.into());
    }
    if document.text.trim().is_empty() {
        return Err(ExtractionError::NoText.into());
    }
    if document.text.contains('\0') {
        document.text = document.text.replace('\0', "\u{fffd}");
    }
    Ok(document)
}

fn by_type(file: Input, media_type: &str, options: &ReadOptions) -> Result<Document, ReadError> {
    const ODF: &str = "application/vnd.oasis.opendocument.";
    match media_type {
        "application/pdf" => pdf::read(file, options),
        "application/epub+zip" => epub::read(file, options),
        DOCX => docx::read(file, options),
        PPTX => pptx::read(file, options),
        XLSX => xlsx::read(file, options),
        "message/rfc822" => mail::read(file, options),
        "text/html" | "application/xhtml+xml" => text::html(file, options),
        "text/markdown" => text::read(file, options, true),
        "text/csv" | "text/tab-separated-values" => csv::read(file, options),
        "application/json" | "application/x-ndjson" => json::read(file, options),
        // Whether it could be read if it were not encrypted.
        COMPOUND => {
            Package::open(file, &options.limits).and(Err(ExtractionError::Unsupported.into()))
        }
        image if image::is_image(image) => image::read(file, options),
        json if json.ends_with("+json") => json::read(file, options),
        text if is_textual(text) => text::read(file, options, false),
        odf if odf.starts_with(ODF) => match odf.strip_prefix(ODF) {
            Some("text" | "spreadsheet" | "presentation") => odf::read(file, options),
            Some(_) | None => Err(ExtractionError::Unsupported.into()),
        },
        _ => Err(ExtractionError::Unsupported.into()),
    }
}
