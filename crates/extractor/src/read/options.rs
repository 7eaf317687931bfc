//! How files are read.

use domain::document::ExtractionSettings;

use crate::limits::Limits;

/// Makes Markdown of HTML; `None` if it can't.
pub type Html = fn(&[u8]) -> Option<String>;

/// How a file is read.
#[derive(Debug, Clone)]
pub(crate) struct ReadOptions {
    pub(crate) settings: ExtractionSettings,
    pub(crate) limits: Limits,
    pub(crate) html: Html,
}
