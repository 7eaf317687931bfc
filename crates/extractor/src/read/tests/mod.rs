//! Files of every type, valid ones and others.

mod good;
mod hostile;

use domain::document::{ExtractionSettings, Strategy};

use super::*;
use crate::limits::Limits;

/// Enough of HTML for these tests: what is between tags.
fn html(bytes: &[u8]) -> Option<String> {
    let text = str::from_utf8(bytes).ok()?.trim_start_matches('\u{feff}');
    let parts = text.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
    Some(parts.collect())
}

fn options() -> ReadOptions {
    let settings = ExtractionSettings {
        max_chars: 2_000,
        max_overlap: 200,
        strategy: Strategy::Text,
        images_enabled: false,
        ocr_enabled: false,
        ocr_language: "deu".to_owned(),
    };
    ReadOptions { settings, limits: Limits::default(), html }
}

fn document(bytes: &[u8], media_type: &str) -> Result<Document, ExtractionError> {
    read_with(&options(), bytes, media_type)
}

/// The machine has no part in what these do.
fn read_with(
    options: &ReadOptions,
    bytes: &[u8],
    media_type: &str,
) -> Result<Document, ExtractionError> {
    read(Input::from(bytes.to_vec()), media_type, options).map_err(|error| match error {
        ReadError::File(error) => error,
        ReadError::Machine(why) => panic!("{why}"),
    })
}

fn text(bytes: &[u8], media_type: &str) -> String {
    document(bytes, media_type).unwrap().text
}
