//! Values as they are written, and where.

use std::collections::BTreeMap;
use std::fmt;

/// What a source says about the settings it names.
pub type Layer = BTreeMap<&'static str, FoundValue>;

/// A value that was found, not yet checked.
pub struct FoundValue {
    /// What is written there.
    pub given: RawValue,
    /// Where that is.
    pub origin: Origin,
}

/// A value as it is written.
pub enum RawValue {
    /// A single one; numbers from the file too, so that a value means the same everywhere.
    Text(String),
    /// A list.
    List(Vec<String>),
}

impl RawValue {
    /// A text, taken apart at its commas if it stands for a list.
    pub fn from_text(text: &str, is_list: bool) -> Self {
        if !is_list {
            return Self::Text(text.to_owned());
        }
        if text.is_empty() {
            return Self::List(Vec::new());
        }
        Self::List(text.split(',').map(|part| part.trim().to_owned()).collect())
    }

    /// Whether nothing is written there.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::List(list) => list.is_empty(),
        }
    }
}

/// Written as in a variable.
impl fmt::Display for RawValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::List(list) => f.write_str(&list.join(",")),
        }
    }
}

/// The place where a value is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A flag, without its dashes.
    Flag(String),
    /// An environment variable.
    Variable(String),
    /// A line of a file.
    File(String, usize),
    /// The table of settings.
    Default,
}

/// `{:#}` names the line of a file as well.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "flag --{name}"),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::File(name, line) if f.alternate() => write!(f, "file {name}, line {line}"),
            Self::File(name, _) => write!(f, "file {name}"),
            Self::Default => f.write_str("default"),
        }
    }
}
