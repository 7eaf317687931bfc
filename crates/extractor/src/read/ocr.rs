//! Text in images, read by Tesseract, and pages as images, drawn by poppler. Both are programs of the
//! system, and started in the cage: each may use as much as the worker itself.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Output, Stdio};

use domain::document::ExtractionError;
use rustix::process::Signal;

use super::ReadOptions;

/// Reads text from images.
pub(crate) const TESSERACT: &str = "tesseract";
/// What makes it say which languages it knows.
pub(crate) const LIST_LANGUAGES: &str = "--list-langs";

/// Whoever reads text from the images of one file.
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
    /// [`ExtractionError::OcrLanguage`] if that does not know a language,
    /// [`ExtractionError::TooLarge`] if there were many images already, and what befalls a program.
    pub(crate) fn read(&mut self, image: &str) -> Result<String, ExtractionError> {
        self.left = self.left.checked_sub(1).ok_or(ExtractionError::TooLarge)?;
        if !self.is_able {
            let known = listed_languages(&run(TESSERACT, [LIST_LANGUAGES])?);
            let is_known = |language: &str| known.iter().any(|known| known == language);
            if !self.languages.split('+').all(is_known) {
                return Err(ExtractionError::OcrLanguage);
            }
            self.is_able = true;
        }
        let text = run(TESSERACT, [image, "-", "-l", &self.languages])?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Which languages a list of them names.
pub(crate) fn listed_languages(list: &[u8]) -> Vec<String> {
    let list = String::from_utf8_lossy(list);
    // A heading says where they are; "osd" is no language, but how an image is turned.
    let names = list.lines().skip(1).map(str::trim).filter(|name| !name.is_empty());
    names.filter(|name| *name != "osd").map(str::to_owned).collect()
}

/// What a program says, run to its end.
pub(crate) fn run<Argument: AsRef<OsStr>>(
    program: &str,
    arguments: impl IntoIterator<Item = Argument>,
) -> Result<Vec<u8>, ExtractionError> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| not_started(&error))?;
    if output.status.success() { Ok(output.stdout) } else { Err(failure(&output)) }
}

fn not_started(error: &io::Error) -> ExtractionError {
    if error.kind() == io::ErrorKind::OutOfMemory {
        ExtractionError::Memory
    } else {
        ExtractionError::OcrUnavailable
    }
}

/// Why a program failed. Files do that, too: what is no image is corrupt.
fn failure(output: &Output) -> ExtractionError {
    let log = String::from_utf8_lossy(&output.stderr);
    let is = |it: Signal| output.status.signal() == Some(it.as_raw());
    if is(Signal::XCPU) {
        ExtractionError::Timeout
    } else if is(Signal::XFSZ) {
        ExtractionError::TooLarge
    } else if is(Signal::KILL) || log.contains("bad_alloc") || log.contains("ut of memory") {
        ExtractionError::Memory
    } else if output.status.signal().is_some() {
        ExtractionError::Crashed
    } else {
        ExtractionError::Corrupt
    }
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

    #[test]
    fn a_program_that_is_not_there_is_said_to_be_so() {
        let missing = run("there-is-no-such-program", [""]);
        assert_eq!(missing, Err(ExtractionError::OcrUnavailable));
        assert_eq!(run("false", [""]), Err(ExtractionError::Corrupt));
        assert_eq!(run("sh", ["-c", "kill -XCPU $$"]), Err(ExtractionError::Timeout));
        assert_eq!(run("sh", ["-c", "kill -SEGV $$"]), Err(ExtractionError::Crashed));
        let memory = "echo 'std::bad_alloc' >&2; kill -ABRT $$";
        assert_eq!(run("sh", ["-c", memory]), Err(ExtractionError::Memory));
        assert_eq!(run("sh", ["-c", "printf Text"]), Ok(b"Text".to_vec()));
    }
}
