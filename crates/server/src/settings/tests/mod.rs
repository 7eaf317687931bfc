//! Tests of the settings as a whole: the sources beside each other (`precedence`), what a person
//! gets to read when something is wrong (`errors`), what holds without any (`defaults`), the file that names
//! every setting (`template`), and what the documents say of them (`documents`).

mod defaults;
mod documents;
mod errors;
mod precedence;
mod template;

use std::path::Path;

use clap::Command;
use tempfile::TempDir;

use super::{Loaded, flags, load};

/// Loads from a command line, variables and, if there is one, the text of `botyard.toml`.
fn load_from(
    flags_given: &[&str],
    variables: &[(&str, &str)],
    file: &str,
) -> Result<Loaded, String> {
    let folder = TempDir::new().unwrap();
    if !file.is_empty() {
        std::fs::write(folder.path().join("botyard.toml"), file).unwrap();
    }
    load_in(folder.path(), flags_given, variables)
}

fn load_in(folder: &Path, given: &[&str], variables: &[(&str, &str)]) -> Result<Loaded, String> {
    let line = std::iter::once("botyard").chain(given.iter().copied());
    let matches = Command::new("botyard").args(flags()).try_get_matches_from(line).unwrap();
    let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    load(&matches, variables, folder).map_err(|error| error.to_string())
}

fn row<'a>(loaded: &'a Loaded, name: &str) -> (&'a str, &'a str) {
    let row = loaded.rows.iter().find(|row| row.name == name).unwrap();
    (&row.value, &row.origin)
}
