//! Images: what Tesseract reads from them.

use std::fs::{self, File};
use std::io::{BufReader, ErrorKind};

use domain::document::ExtractionError;
use imagesize::ImageError;

use super::error::ReadError;
use super::ocr::Ocr;
use super::pages::{join, tidy};
use super::{Input, ReadOptions};
use crate::document::Document;
use crate::limits::Limits;
use crate::work_dir_files::FILE;

/// Whether files of this type are images that can be read.
pub(super) fn is_image(media_type: &str) -> bool {
    const TYPES: [&str; 6] =
        ["image/png", "image/jpeg", "image/tiff", "image/webp", "image/bmp", "image/gif"];
    TYPES.contains(&media_type)
}

/// The text in an image, which is the file in the worker's folder.
pub(super) fn read(image: Input, options: &ReadOptions) -> Result<Document, ReadError> {
    if !options.settings.ocr_enabled {
        return Err(ExtractionError::NoText.into());
    }
    size(image, &options.limits)?;
    let text = Ocr::new(options).read(FILE)?;
    let mut pages: Vec<_> = text.split('\u{c}').map(tidy).collect();
    // The last one ends with a form feed, too.
    if pages.last().is_some_and(String::is_empty) {
        pages.pop();
    }
    // Only files of several images have pages.
    let mut document = join(pages, &options.limits)?;
    if document.pages.len() == 1 {
        document.pages.clear();
    }
    Ok(document)
}

/// How wide and high an image is, by its head alone: the rest may be a bomb.
fn size(image: Input, limits: &Limits) -> Result<(u64, u64), ExtractionError> {
    let size = imagesize::reader_size(BufReader::new(image)).map_err(|error| match error {
        ImageError::NotSupported => ExtractionError::Unsupported,
        ImageError::CorruptedImage | ImageError::IoError(_) => ExtractionError::Corrupt,
    })?;
    let (width, height) = (size.width as u64, size.height as u64);
    if width.saturating_mul(height) > limits.image_pixels {
        return Err(ExtractionError::TooLarge);
    }
    Ok((width, height))
}

/// Smaller ones are bullets, lines and logos, in pixels.
const SMALLEST: u64 = 64;
/// Where an image lies while it is read.
const IMAGE: &str = "image";

/// The images that a file embeds.
#[derive(Debug)]
pub(super) struct EmbeddedImages {
    ocr: Ocr,
    limits: Limits,
    are_wanted: bool,
}

impl EmbeddedImages {
    pub(super) fn new(options: &ReadOptions) -> Self {
        let settings = &options.settings;
        let are_wanted = settings.images_enabled && settings.ocr_enabled;
        Self { ocr: Ocr::new(options), limits: options.limits.clone(), are_wanted }
    }

    /// Whether their text is to be read at all; else they need not be looked for.
    pub(super) fn are_wanted(&self) -> bool {
        self.are_wanted
    }

    /// Who reads them, for other images of the file: all of them count together.
    pub(super) fn ocr(&mut self) -> &mut Ocr {
        &mut self.ocr
    }

    /// Whether an image of this size is read: neither too small nor too large.
    pub(super) fn are_of_size(&self, width: u64, height: u64) -> bool {
        let is_small = width < SMALLEST || height < SMALLEST;
        !is_small && width.saturating_mul(height) <= self.limits.image_pixels
    }

    /// The text in an image. None if it is too small, too large or none that can be read: a document has
    /// its own text, too.
    ///
    /// # Errors
    /// As [`Ocr::read`], or the image can't be put down.
    pub(super) fn read(&mut self, image: &[u8]) -> Result<String, ReadError> {
        if !self.is_readable(Input::from(image.to_vec())) {
            return Ok(String::new());
        }
        fs::write(IMAGE, image).map_err(|error| ReadError::of_system(&error))?;
        self.read_there(IMAGE)
    }

    /// The text in an image that lies in the worker's folder already.
    ///
    /// # Errors
    /// As [`Ocr::read`].
    pub(super) fn read_at(&mut self, path: &str) -> Result<String, ReadError> {
        let image = match File::open(path) {
            Ok(image) => image,
            // The program that takes images out of the file could not write this one: it has no text.
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
            Err(error) => return Err(ReadError::of_system(&error)),
        };
        if self.is_readable(Input::new(image)) { self.read_there(path) } else { Ok(String::new()) }
    }

    fn is_readable(&self, image: Input) -> bool {
        size(image, &self.limits).is_ok_and(|(width, height)| self.are_of_size(width, height))
    }

    fn read_there(&mut self, path: &str) -> Result<String, ReadError> {
        match self.ocr.read(path) {
            Ok(text) => Ok(tidy(&text)),
            Err(ReadError::File(ExtractionError::Corrupt)) => Ok(String::new()),
            Err(error) => Err(error),
        }
    }
}
