//! How a document is made into chunks.

use std::fmt;

use serde::Serialize;

use crate::choice;
use crate::input::{Check, Field, Fields, ValueLocation};
use crate::violation::{ViolationCode, Violations};

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
/// How many characters the next chunk repeats at most if nothing else was said; fewer of small chunks.
const OVERLAP_DEFAULT: u32 = 200;
/// How many languages text may be in at once.
const LANGUAGES_MAX: usize = 10;
/// How many characters the name of a language has at most: `chi_sim_vert`.
const LANGUAGE_MAX: usize = 40;
/// How languages are named, for the API document.
const LANGUAGES: &str = r"^[A-Za-z0-9_]{1,40}(\+[A-Za-z0-9_]{1,40}){0,9}$";

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

impl ExtractionSettings {
    /// What holds for a file of this media type where nothing else was said.
    #[must_use]
    pub fn of_type(media_type: &str) -> Self {
        Self {
            max_chars: CHARS_DEFAULT,
            max_overlap: default_overlap(CHARS_DEFAULT),
            strategy: default_strategy(media_type),
            images_enabled: false,
            ocr_enabled: false,
            ocr_language: "eng".to_owned(),
        }
    }

    /// What holds for a new file of this media type of which a request says this much.
    ///
    /// # Errors
    /// As [`SettingsPatch::apply`].
    pub fn of_new(media_type: &str, said: &SettingsPatch) -> Result<Self, Violations> {
        let max_chars = said.max_chars.unwrap_or(CHARS_DEFAULT);
        let max_overlap = default_overlap(max_chars);
        said.apply(&Self { max_chars, max_overlap, ..Self::of_type(media_type) })
    }
}

const fn default_overlap(max_chars: u32) -> u32 {
    let tenth = max_chars / 10;
    if tenth < OVERLAP_DEFAULT { tenth } else { OVERLAP_DEFAULT }
}

/// Files whose text comes as Markdown are cut as such.
fn default_strategy(media_type: &str) -> Strategy {
    const DOCUMENTS: [&str; 2] =
        ["application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument."];
    match media_type {
        "application/yaml" => Strategy::Yaml,
        "text/markdown"
        | "text/html"
        | "application/xhtml+xml"
        | "application/epub+zip"
        | "message/rfc822" => Strategy::Markdown,
        kind if DOCUMENTS.iter().any(|document| kind.starts_with(document)) => Strategy::Markdown,
        _ => Strategy::Text,
    }
}

/// What a request says of the settings; what it leaves out stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsPatch {
    /// `maxChars`
    pub max_chars: Option<u32>,
    /// `maxOverlap`
    pub max_overlap: Option<u32>,
    /// `chunking_strategy`
    #[serde(rename = "chunking_strategy")]
    pub strategy: Option<Strategy>,
    /// `imagesEnabled`
    pub images_enabled: Option<bool>,
    /// `ocrEnabled`
    pub ocr_enabled: Option<bool>,
    /// `ocrLanguage`
    pub ocr_language: Option<String>,
}

impl SettingsPatch {
    /// Reads every setting. `defaults` are described, as far as they are the same for all files.
    pub(super) fn read(fields: &mut Fields<'_>, defaults: Option<&ExtractionSettings>) -> Self {
        let max_chars = Field::<u64>::new("maxChars").range(CHARS_MIN, CHARS_MAX);
        let max_chars = max_chars.description("How many characters a chunk has at most.");
        let max_overlap = Field::<u64>::new("maxOverlap").range(0, CHARS_MAX - 1).description(
            "How many characters of a chunk the next one repeats at most; less than `maxChars`. For a \
             new document a tenth of `maxChars`, at most 200.",
        );
        let strategy = Field::new("chunking_strategy")
            .description("Where chunks end. For a new document that goes by its type.");
        let images_enabled = Field::new("imagesEnabled").description(
            "Whether text is read from images in a file, too, if `ocrEnabled` is `true` as well.",
        );
        let ocr_enabled = Field::new("ocrEnabled")
            .description("Whether text is read from images and scanned pages.");
        let ocr_language = Field::new("ocrLanguage")
            .documented_pattern(LANGUAGES, (1, LANGUAGES_MAX * (LANGUAGE_MAX + 1) - 1))
            .check(|text, check| check_language(text, check))
            .description(
                "In which languages that text may be, as Tesseract names them, joined by `+`: \
                 `deu+eng`.",
            );
        let max_chars = fields.optional(max_chars.default(defaults.map(|known| known.max_chars)));
        let max_overlap = fields.optional(max_overlap);
        let (max_chars, max_overlap) = (max_chars.and_then(small), max_overlap.and_then(small));
        if let (Some(chars), Some(overlap)) = (max_chars, max_overlap)
            && overlap >= chars
        {
            fields.violation("maxOverlap", ViolationCode::OutOfRange, TooMuchOverlap(chars));
        }
        let of_images = defaults.map(|known| known.images_enabled);
        let of_ocr = defaults.map(|known| known.ocr_enabled);
        let language = defaults.map(|known| known.ocr_language.clone());
        Self {
            max_chars,
            max_overlap,
            strategy: fields.optional(strategy),
            images_enabled: fields.optional(images_enabled.default(of_images)),
            ocr_enabled: fields.optional(ocr_enabled.default(of_ocr)),
            ocr_language: fields.optional(ocr_language.default(language)),
        }
    }

    /// The settings with what this says. An overlap that the chunks have become too small for is that of
    /// such chunks where nothing else was said.
    ///
    /// # Errors
    /// If the request gives an overlap that is not less than `max_chars`.
    pub fn apply(&self, before: &ExtractionSettings) -> Result<ExtractionSettings, Violations> {
        let max_chars = self.max_chars.unwrap_or(before.max_chars);
        let max_overlap = match self.max_overlap {
            Some(overlap) if overlap >= max_chars => {
                let mut violations = Violations::none();
                let location = ValueLocation::member("maxOverlap");
                let what = TooMuchOverlap(max_chars);
                location.violation(&mut violations, ViolationCode::OutOfRange, what);
                return Err(violations);
            }
            Some(overlap) => overlap,
            None if before.max_overlap < max_chars => before.max_overlap,
            None => default_overlap(max_chars),
        };
        Ok(ExtractionSettings {
            max_chars,
            max_overlap,
            strategy: self.strategy.unwrap_or(before.strategy),
            images_enabled: self.images_enabled.unwrap_or(before.images_enabled),
            ocr_enabled: self.ocr_enabled.unwrap_or(before.ocr_enabled),
            ocr_language: self.ocr_language.as_ref().unwrap_or(&before.ocr_language).clone(),
        })
    }
}

/// What is wrong with an overlap that does not fit into chunks of so many characters.
struct TooMuchOverlap(u32);

impl fmt::Display for TooMuchOverlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be less than `maxChars`, which is {}", self.0)
    }
}

/// A number whose field bounds it; one beyond its bounds is a violation already.
fn small(number: u64) -> Option<u32> {
    u32::try_from(number).ok()
}

fn check_language(text: &str, check: &mut Check<'_>) {
    if !is_language(text) {
        let what = "must name languages as Tesseract does, joined by `+`: deu+eng";
        check.violation(ViolationCode::BadFormat, what);
    }
}

/// Whether a text names languages: it becomes part of a command line, so nothing else may pass.
fn is_language(text: &str) -> bool {
    let is_name = |name: &str| {
        (1..=LANGUAGE_MAX).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    text.split('+').count() <= LANGUAGES_MAX && text.split('+').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> ExtractionSettings {
        ExtractionSettings::of_type("text/markdown")
    }

    #[test]
    fn what_is_left_out_stays() {
        assert_eq!(SettingsPatch::default().apply(&settings()), Ok(settings()));
        let patch = SettingsPatch { ocr_enabled: Some(true), ..SettingsPatch::default() };
        let changed = patch.apply(&settings()).unwrap();
        assert_eq!(changed, ExtractionSettings { ocr_enabled: true, ..settings() });
    }

    #[test]
    fn a_type_has_its_strategy() {
        for (media_type, strategy) in [
            ("application/yaml", Strategy::Yaml),
            ("text/markdown", Strategy::Markdown),
            ("application/vnd.oasis.opendocument.text", Strategy::Markdown),
            ("text/csv", Strategy::Text),
            ("application/x-sh", Strategy::Text),
            ("application/octet-stream", Strategy::Text),
        ] {
            assert_eq!(ExtractionSettings::of_type(media_type).strategy, strategy, "{media_type}");
        }
    }

    #[test]
    fn the_overlap_fits_into_the_chunks() {
        let overlap = |chars: Option<u32>, overlap: Option<u32>, before: u32| {
            let before = ExtractionSettings { max_overlap: before, ..settings() };
            let patch =
                SettingsPatch { max_chars: chars, max_overlap: overlap, ..Default::default() };
            patch.apply(&before).map(|settings| settings.max_overlap).ok()
        };
        assert_eq!(overlap(None, None, 200), Some(200));
        assert_eq!(overlap(Some(1_000), None, 200), Some(200));
        assert_eq!(overlap(Some(100), None, 99), Some(99));
        assert_eq!(overlap(Some(100), None, 100), Some(10));
        assert_eq!(overlap(None, Some(1_999), 0), Some(1_999));
        assert_eq!(overlap(None, Some(2_000), 0), None);
    }

    #[test]
    fn the_overlap_of_a_new_file_goes_by_its_chunks() {
        let overlap = |chars: Option<u32>, overlap: Option<u32>| {
            let said =
                SettingsPatch { max_chars: chars, max_overlap: overlap, ..Default::default() };
            ExtractionSettings::of_new("text/plain", &said)
                .map(|settings| settings.max_overlap)
                .ok()
        };
        assert_eq!(overlap(None, None), Some(200));
        assert_eq!(overlap(Some(1_000), None), Some(100));
        assert_eq!(overlap(Some(5_000), None), Some(200));
        assert_eq!(overlap(Some(1_000), Some(0)), Some(0));
        assert_eq!(overlap(Some(1_000), Some(1_000)), None);
    }

    #[test]
    fn languages_are_names_and_nothing_else() {
        for good in ["deu", "deu+eng", "chi_sim_vert"] {
            assert!(is_language(good), "{good}");
        }
        for bad in ["", "+", "deu+", "-l", "../x", "deu eng", "a/b", &"a+".repeat(11), "ä"] {
            assert!(!is_language(bad), "{bad}");
        }
    }
}
