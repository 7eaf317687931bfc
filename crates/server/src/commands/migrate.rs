//! `botyard migrate`

use anyhow::{Context, Result};
use serde::Serialize;

use crate::composition;
use crate::output::Output;
use crate::settings::Settings;

#[derive(Serialize)]
struct Migration {
    name: String,
    applied: bool,
}

/// Applies the migrations that the database lacks, or shows them.
pub fn run(output: Output, settings: &Settings, status: bool) -> Result<()> {
    if status {
        let url = &settings.database_url;
        let known = storage_diesel::migration_status(url).with_context(|| url.to_string())?;
        let rows: Vec<_> =
            known.into_iter().map(|(name, applied)| Migration { name, applied }).collect();
        output.list(&rows, |row| {
            format!("{}  {}", if row.applied { "applied" } else { "missing" }, row.name)
        })?;
        return Ok(());
    }
    let applied = composition::migrate(settings)?;
    let rows: Vec<_> = applied.into_iter().map(|name| Migration { name, applied: true }).collect();
    output.list(&rows, |row| format!("applied  {}", row.name))?;
    Ok(())
}
