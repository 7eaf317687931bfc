//! Files of records: one JSON object a line (NDJSON). Nothing here reads a file; who does hands over line by line.
//!
//! No line is stored before all of them were checked. A short file is stored in one unit of work. A longer one is stored
//! in several, so that others need not wait for all of it. If its lines replace nothing, how much of it is stored is written
//! down with each: if the process ends, the same file goes on where it stopped, and what was stored as a whole is known
//! again for a month.

mod file;
mod repository;
mod service;

pub use file::{
    INVALID_LINES_MAX, Import, ImportViolations, Imported, ImportedRecord, InvalidLine, LINE_MAX,
    LineNumbers,
};
pub use repository::{ImportPosition, ImportRepository};
pub use service::{ImportRun, ImportService};

use crate::choice;
use crate::input::{Input as _, InputSettings};
use crate::recorder::{
    NewEntry, NewFeedback, NewHistoryItem, NewUsage, NewUser, NewVisualBlock, Record,
};
use crate::violation::Violations;

choice! {
    /// What the lines of a file are.
    ImportKind {
        History "history",
        Usage "usage",
        Feedback "feedback",
        Keyval "keyval",
        Users "users",
        VisualBlocks "visual-blocks",
    }
}

impl ImportKind {
    /// Whether such lines can also be for a project instead of a bot.
    fn is_of_projects(self) -> bool {
        self == Self::Keyval
    }

    /// Whether a line replaces what is there, so that it makes no difference how often it is stored.
    fn replaces(self) -> bool {
        match self {
            Self::Keyval | Self::VisualBlocks => true,
            Self::History | Self::Usage | Self::Feedback | Self::Users => false,
        }
    }

    /// Whether the database knows of a line that it can't be stored.
    fn is_checked_by_database(self) -> bool {
        match self {
            Self::History | Self::Users => true,
            Self::Usage | Self::Feedback | Self::Keyval | Self::VisualBlocks => false,
        }
    }

    /// Reads a line as a record.
    fn read(self, bytes: &[u8], settings: &InputSettings) -> Result<Record, Violations> {
        match self {
            Self::History => NewHistoryItem::parse_line(bytes, settings).map(Record::from),
            Self::Usage => NewUsage::parse_line(bytes, settings).map(Record::from),
            Self::Feedback => NewFeedback::parse_line(bytes, settings).map(Record::from),
            Self::Keyval => NewEntry::parse_line(bytes, settings).map(Record::from),
            Self::Users => NewUser::parse_line(bytes, settings).map(Record::from),
            Self::VisualBlocks => NewVisualBlock::parse_line(bytes, settings).map(Record::from),
        }
    }
}
