//! A file that any worker can read.

use domain::blob::OneBlock;
use domain::document::{Extracting, ExtractionSettings};

const TEXT: &str = "Can you read this?";
const MEDIA_TYPE: &str = "text/plain";

/// The file.
pub(super) fn file() -> Extracting {
    Extracting {
        bytes: Box::new(OneBlock::new(TEXT)),
        size: TEXT.len() as u64,
        file_name: "trial.txt".to_owned(),
        media_type: MEDIA_TYPE.to_owned(),
        settings: ExtractionSettings::of_type(MEDIA_TYPE),
    }
}
