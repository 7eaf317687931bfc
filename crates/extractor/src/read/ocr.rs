//! Text in images, read by Tesseract.

use domain::document::ExtractionError;

use super::ReadOptions;
use super::error::ReadError;
use super::program::{call, run};

/// Reads text from images.
pub(crate) const TESSERACT: &str = "tesseract";
/// What makes it say which languages it knows.
pub(crate) const LIST_LANGUAGES: &str = "--list-langs";
/// What it says of a language that it knows by name only. It goes on with the others, if there are any.
const BROKEN_LANGUAGE: &str = "Failed loading language";
/// What it says if it can't begin with any image.
const BROKEN: &str = "Could not initialize tesseract";

/// Reads text from the images of one file.
#[derive(Debug)]
pub(crate) struct Ocr {
    /// As Tesseract names them, joined by `+`.
    languages: String,
    /// Whether it knows them. Asked for the first image only: a file without any does without.
    is_able: bool,
    /// How many more images are read.
    left: u32,
}

impl Ocr {
    pub(crate) fn new(options: &ReadOptions) -> Self {
        let languages = options.settings.ocr_language.clone();
        Self { languages, is_able: false, left: options.limits.ocr_pages }
    }

    /// The text in the image that lies here; form feeds end its pages.
    ///
    /// # Errors
    /// [`ExtractionError::OcrUnavailable`] if nothing is there to read with,
    /// [`ExtractionError::OcrLanguage`] if that does not know a language or can't read with what it has of it,
    /// [`ExtractionError::TooLarge`] if there were many images already, and what befalls a program.
    pub(crate) fn read(&mut self, image: &str) -> Result<String, ReadError> {
        self.left = self.left.checked_sub(1).ok_or(ExtractionError::TooLarge)?;
        if !self.is_able {
            let known = listed_languages(&list()?);
            let is_known = |language: &str| known.iter().any(|known| known == language);
            if !self.languages.split('+').all(is_known) {
                return Err(ExtractionError::OcrLanguage.into());
            }
            self.is_able = true;
        }
        let ended = call(TESSERACT, [image, "-", "-l", &self.languages])?;
        if ended.log.contains(BROKEN_LANGUAGE) {
            return Err(ExtractionError::OcrLanguage.into());
        }
        if ended.log.contains(BROKEN) {
            return Err(ExtractionError::OcrUnavailable.into());
        }
        Ok(String::from_utf8_lossy(&ended.into_output()?).into_owned())
    }

    /// How many more images are read.
    pub(crate) fn left(&self) -> u32 {
        self.left
    }
}

/// The list of languages, which no file has a part in.
fn list() -> Result<Vec<u8>, ReadError> {
    run(TESSERACT, [LIST_LANGUAGES]).map_err(|error| match error {
        ReadError::File(ExtractionError::Corrupt | ExtractionError::Crashed) => {
            ExtractionError::OcrUnavailable.into()
        }
        ReadError::File(_) | ReadError::Machine(_) => error,
    })
}

/// Which languages a list of them names.
pub(crate) fn listed_languages(list: &[u8]) -> Vec<String> {
    let list = String::from_utf8_lossy(list);
    // A heading says where they are; "osd" is no language, but how an image is turned.
    let names = list.lines().skip(1).map(str::trim).filter(|name| !name.is_empty());
    names.filter(|name| *name != "osd").map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_read_from_a_list() {
        let list =
            b"List of available languages in \"/usr/share/\" (3):\ndeu\neng\nosd\nscript/Latin\n";
        assert_eq!(listed_languages(list), ["deu", "eng", "script/Latin"]);
        assert!(listed_languages(b"").is_empty());
        assert!(listed_languages(b"List of available languages (0):\n").is_empty());
    }
}
