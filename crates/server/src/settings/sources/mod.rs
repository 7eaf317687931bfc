//! Where values come from. Each source gives a [`Layer`]; a later one covers an earlier one.

mod file;
mod flags;
mod variables;

pub use file::from_file;
pub use flags::{config_flag, flags, from_flags, listed_flags};
pub use variables::from_variables;

use super::define::Setting;
use super::error::ErrorLines;
use super::kinds::SettingKind;
use super::table::SETTINGS;
use super::value::{FoundValue, Layer, Origin, RawValue};

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
        let given = RawValue::from_text(setting.default, setting.shape.list);
        let origin = Origin::Default;
        (setting.name, FoundValue { given, origin })
    };
    SETTINGS.iter().map(found).collect()
}

/// Checks the value of a setting; an error is added and gives `None`.
pub fn read<K: SettingKind>(
    layer: &Layer,
    name: &str,
    errors: &mut ErrorLines,
) -> Option<K::Value> {
    let found = layer.get(name)?;
    K::read(&found.given)
        .map_err(|complaint| errors.add_value(name, &found.origin, &complaint))
        .ok()
}
