//! `botyard config`

use anyhow::Result;
use serde::Serialize;

use crate::output::Output;
use crate::settings::{self, Row};

#[derive(Serialize)]
struct ConfigOutput<'a> {
    name: &'a str,
    value: &'a str,
    origin: &'a str,
}

/// Shows the settings in force, secrets masked, and where each comes from.
pub fn run(output: Output, rows: &[Row]) -> Result<()> {
    let shown: Vec<_> = rows
        .iter()
        .map(|row| ConfigOutput { name: row.name, value: &row.value, origin: &row.origin })
        .collect();
    let width = rows.iter().map(|row| row.name.len()).max().unwrap_or_default();
    output.list(&shown, |row| format!("{:width$}  {}  ({})", row.name, row.value, row.origin))?;
    Ok(())
}

/// Prints a settings file to begin with.
pub fn print_template(output: Output) -> Result<()> {
    output.line(settings::template().trim_end())?;
    Ok(())
}
