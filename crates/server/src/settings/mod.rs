//! The settings: what they are called, where they come from, what they may be.
//!
//! They come from flags, then `BOTYARD_*` variables, then `botyard.toml`, then the defaults. Every
//! name, default and sentence about a setting stands once, in [`table`]: start there, and add a
//! line there to add a setting. From that table are made the typed [`Settings`], the [`flags`] of
//! the command line, the text of `docs/settings.md` ([`markdown`]), that of a `botyard.toml` ([`template`])
//! and the rows of `botyard config` ([`Loaded::rows`]).
//!
//! What a single value may look like is decided by its kind ([`kinds`]), what settings must be to
//! each other by [`rules`]. Nothing here reads the process's environment by itself: the caller
//! passes it in, so that tests run side by side.

mod automatic;
mod define;
mod error;
mod kinds;
mod markdown;
mod mask;
mod rules;
mod sources;
mod table;
mod template;
#[cfg(test)]
mod tests;
mod unknown;
mod value;

use std::ffi::OsString;
use std::path::Path;

use clap::ArgMatches;

pub use error::SettingsError;
pub use kinds::{BlobUrl, DatabaseUrl, LogFormat, Scalar, parse_duration};
pub use markdown::markdown;
pub use sources::{flags, listed_flags};
pub use table::Settings;
pub use template::template;

use error::ErrorLines;
use sources::ConfigFile;
use value::{Layer, Origin, RawValue};

/// The settings that say where the data are which a token belongs to.
const OF_THE_DATABASE: [&str; 3] = ["data_dir", "database_url", "database.listen_url"];

/// The settings in force.
#[derive(Debug)]
pub struct Loaded {
    /// Their values.
    pub settings: Settings,
    /// The same for people to read, one row for each setting in the order of the table.
    pub rows: Vec<Row>,
    /// The flags by which another command finds the same data, each followed by its value; passwords as `***`.
    pub data_flags: Vec<String>,
}

/// One setting as `botyard config` shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name, such as `limits.json_body`.
    pub name: &'static str,
    /// Its value as it was written; a list comma-separated, passwords as `***`.
    pub value: String,
    /// Where it came from: `flag --listen`, `variable BOTYARD_LISTEN`, `file botyard.toml` or
    /// `default`.
    pub origin: String,
}

/// Reads the settings from all their sources.
///
/// `matches` comes from a command that has the [`flags`]; they may stand before or after the
/// subcommand. `variables` is the environment; names that do not begin with `BOTYARD_` are passed
/// over. Files are looked up in `folder`; the server passes an empty path, which is the working
/// directory.
///
/// # Errors
/// Everything that is wrong at once, a line each: unknown names, values that do not fit, a file
/// that can't be read.
pub fn load(
    matches: &ArgMatches,
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    folder: &Path,
) -> Result<Loaded, SettingsError> {
    let mut errors = ErrorLines::default();
    let variables = sources::from_variables(variables, &mut errors);
    let named = sources::config_flag(matches).or(variables.config);
    let file = sources::from_file(folder, named.as_ref(), &mut errors);

    let mut found = sources::defaults();
    for layer in [file, variables.layer, sources::from_flags(matches)] {
        found.extend(layer);
    }
    automatic::place_in_data_folder(&mut found);
    automatic::name_the_crawler(&mut found);

    let settings = Settings::read(&found, &mut errors);
    if let Some(settings) = &settings {
        rules::check(settings, &found, &mut errors);
    }
    match settings {
        Some(settings) if errors.is_empty() => {
            let (rows, data_flags) = (rows(&found), data_flags(named.as_ref(), &found));
            Ok(Loaded { settings, rows, data_flags })
        }
        _ => Err(errors.into()),
    }
}

fn rows(found: &Layer) -> Vec<Row> {
    let row = |setting: &define::Setting| {
        let found = found.get(setting.name)?;
        let value = masked(setting, &found.given);
        Some(Row { name: setting.name, value, origin: found.origin.to_string() })
    };
    table::SETTINGS.iter().filter_map(row).collect()
}

fn data_flags(file: Option<&ConfigFile>, found: &Layer) -> Vec<String> {
    let config = file.map(|file| (&file.origin, file.path.clone()));
    let settings = table::SETTINGS.iter().filter(|it| OF_THE_DATABASE.contains(&it.name));
    let settings = settings.filter_map(|setting| {
        let found = found.get(setting.name)?;
        Some((&found.origin, masked(setting, &found.given)))
    });
    let flags = config.into_iter().chain(settings).filter_map(|(origin, value)| match origin {
        Origin::Flag(name) => Some([format!("--{name}"), value]),
        Origin::Variable(_) | Origin::File(..) | Origin::Default => None,
    });
    flags.flatten().collect()
}

fn masked(setting: &define::Setting, given: &RawValue) -> String {
    let value = given.to_string();
    if setting.shape.credentials { mask::mask(&value) } else { value }
}
