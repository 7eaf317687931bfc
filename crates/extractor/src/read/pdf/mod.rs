//! PDF: the text that a page draws, and where it draws none, what Tesseract reads from its image.

mod cmaps;
mod layout;
mod paintings;
mod scan;

use std::panic::{AssertUnwindSafe, catch_unwind};

use domain::document::ExtractionError;
use pdf_extract::{Document as Pdf, Error, ObjectId, OutputError, output_doc};

use super::error::ReadError;
use super::image::EmbeddedImages;
use super::pages::{join, tidy};
use super::program::run;
use super::{Input, ReadOptions};
use crate::document::Document;
use crate::limits::Limits;
use crate::work_dir_files::FILE;

use layout::{LaidOut, Layout};

/// Reads the text of pages; poppler's.
const PDFTOTEXT: &str = "pdftotext";

/// How much of the memory of a worker a file may take before it is understood, which takes as much again
/// at least.
const SHARE_OF_MEMORY: u64 = 3;

/// The text of a PDF. Where its pages are drawn, it is the file in the worker's folder.
pub(super) fn read(file: Input, options: &ReadOptions) -> Result<Document, ReadError> {
    let limits = &options.limits;
    let (pdf, bytes) = {
        let bytes = file.whole(limits.memory / SHARE_OF_MEMORY)?;
        (parse(&bytes)?, bytes.len() as u64)
    };
    let ids = pdf.get_pages();
    if ids.len() > limits.pages as usize {
        return Err(ExtractionError::TooLarge.into());
    }
    let laid_out = catch_unwind(AssertUnwindSafe(|| {
        let are_too_much = cmaps::are_too_much(&pdf, ids.values().copied(), bytes);
        (!are_too_much).then(|| lay_out(&pdf, limits))
    }));
    let laid_out = match laid_out {
        Ok(Some(laid_out)) => laid_out?,
        Ok(None) => second_opinion(ExtractionError::TooLarge)?,
        Err(_) => second_opinion(ExtractionError::Corrupt)?,
    };
    let mut images = EmbeddedImages::new(options);
    let mut pages = Vec::new();
    for (page, (number, id)) in laid_out.into_iter().zip(ids) {
        let mut text = tidy(&page.text);
        if text.is_empty() && options.settings.ocr_enabled && draws(&pdf, id) {
            text = scan::page(number, page.size, limits, images.ocr())?;
        } else if images.are_wanted() && has_images(&pdf, id) {
            text = scan::with_images(text, number, limits, &mut images)?;
        }
        pages.push(text);
    }
    Ok(join(pages, limits)?)
}

fn parse(file: &[u8]) -> Result<Pdf, ExtractionError> {
    let mut pdf = Pdf::load_mem(file).map_err(|error| word(&error))?;
    // Many files are encrypted only to forbid printing: the empty password opens them.
    if pdf.is_encrypted() {
        pdf.decrypt("").map_err(|_| ExtractionError::Encrypted)?;
    }
    Ok(pdf)
}

fn lay_out(pdf: &Pdf, limits: &Limits) -> Result<Vec<LaidOut>, ExtractionError> {
    let mut layout = Layout::new(limits.text_bytes);
    match output_doc(pdf, &mut layout) {
        Ok(()) => Ok(layout.pages),
        // Only the layout ends in this way.
        Err(OutputError::FormatError(_)) => Err(ExtractionError::TooLarge),
        Err(OutputError::PdfError(error)) => Err(word(&error)),
        Err(OutputError::IoError(_)) => Err(ExtractionError::Corrupt),
    }
}

/// The pages of a file that our parser can't read for this reason, by another one if that is installed.
fn second_opinion(reason: ExtractionError) -> Result<Vec<LaidOut>, ReadError> {
    let text = match run(PDFTOTEXT, ["-q", "-enc", "UTF-8", FILE, "-"]) {
        Ok(text) => text,
        Err(ReadError::File(ExtractionError::OcrUnavailable)) => {
            return Err(reason.into());
        }
        Err(error) => return Err(error),
    };
    let text = String::from_utf8_lossy(&text);
    let pages = text.split('\u{c}');
    Ok(pages.map(|page| LaidOut { text: page.to_owned(), size: (0.0, 0.0) }).collect())
}

#[expect(clippy::wildcard_enum_match_arm, reason = "there are fifty ways to be corrupt")]
fn word(error: &Error) -> ExtractionError {
    match error {
        Error::Decryption(_) | Error::InvalidPassword | Error::UnsupportedSecurityHandler(_) => {
            ExtractionError::Encrypted
        }
        _ => ExtractionError::Corrupt,
    }
}

/// Whether there is anything on a page.
fn draws(pdf: &Pdf, page: ObjectId) -> bool {
    pdf.get_page_content(page).is_ok_and(|content| !content.trim_ascii().is_empty())
}

fn has_images(pdf: &Pdf, page: ObjectId) -> bool {
    pdf.get_page_images(page).is_ok_and(|images| !images.is_empty())
}
