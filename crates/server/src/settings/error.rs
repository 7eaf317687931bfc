//! What can be wrong with the settings, as lines for people.

use std::fmt;

use super::value::Origin;

/// Everything that is wrong with the settings.
#[derive(Debug)]
pub struct SettingsError {
    lines: Vec<String>,
}

/// One line for each error, without a line break at the end.
impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines.join("\n"))
    }
}

impl std::error::Error for SettingsError {}

impl From<ErrorLines> for SettingsError {
    fn from(errors: ErrorLines) -> Self {
        Self { lines: errors.lines }
    }
}

/// The errors found so far. They are collected, so that a start of the server reports all of them at once.
#[derive(Debug, Default)]
pub struct ErrorLines {
    lines: Vec<String>,
}

impl ErrorLines {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// An error that belongs to no single setting.
    pub fn add(&mut self, line: String) {
        self.lines.push(line);
    }

    /// A setting whose value does not fit; `complaint` is what the line ends in.
    pub fn add_value(&mut self, name: &str, origin: &Origin, complaint: &str) {
        self.add(format!("setting {name} ({origin:#}): {complaint}"));
    }
}
