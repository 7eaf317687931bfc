//! Where values come from. Each source gives a [`Layer`]; a later one covers an earlier one.

mod file;
mod flags;
mod variables;

use std::collections::BTreeMap;
use std::fmt;

pub use file::from_file;
pub use flags::{config_flag, flags, from_flags};
pub use variables::from_variables;

use super::define::Setting;
use super::error::Faults;
use super::kinds::Kind;
use super::table::SETTINGS;

/// What a source says about the settings it names.
pub type Layer = BTreeMap<&'static str, Found>;

/// A value that was found, not yet judged.
pub struct Found {
    /// What is written there.
    pub given: Given,
    /// Where that is.
    pub origin: Origin,
}

/// A value as it is written.
pub enum Given {
    /// A single one; numbers from the file too, so that a value means the same everywhere.
    Text(String),
    /// A list.
    List(Vec<String>),
}

impl Given {
    /// A text for this setting, taken apart at its commas if that is a list.
    fn from_text(setting: &Setting, text: &str) -> Self {
        if !setting.shape.list {
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
impl fmt::Display for Given {
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

/// The settings file that someone named, instead of `botyard.toml`.
pub struct ConfigFile {
    /// Its path, as given.
    pub path: String,
    /// Where it was named.
    pub origin: Origin,
}

/// The lowest layer: every setting with its default.
pub fn defaults() -> Layer {
    let found = |setting: &'static Setting| {
        let given = Given::from_text(setting, setting.default);
        let origin = Origin::Default;
        (setting.name, Found { given, origin })
    };
    SETTINGS.iter().map(found).collect()
}

/// Judges the value of a setting; a fault is added and gives `None`.
pub fn read<K: Kind>(layer: &Layer, name: &str, faults: &mut Faults) -> Option<K::Value> {
    let found = layer.get(name)?;
    K::read(&found.given)
        .map_err(|complaint| faults.add_value(name, &found.origin, &complaint))
        .ok()
}
