//! `botyard migrate`

use std::sync::Arc;

use anyhow::{Context, Result};
use domain::audit::AuditActor;
use domain::blob::NoBlobs;
use domain::document::NoExtractor;
use serde::Serialize;

use crate::composition;
use crate::outgoing::Outgoing;
use crate::output::Output;
use crate::settings::Settings;

#[derive(Serialize)]
struct Migration {
    name: String,
    applied: bool,
}

/// Applies the migrations that the database lacks, or shows them.
pub async fn run(
    output: Output,
    settings: &Settings,
    status: bool,
    actor: &AuditActor,
) -> Result<()> {
    if status {
        let url = settings.direct_url();
        let known = storage_diesel::migration_status(url).with_context(|| url.to_string())?;
        let rows: Vec<_> =
            known.into_iter().map(|(name, applied)| Migration { name, applied }).collect();
        output.list(&rows, |row| {
            format!("{}  {}", if row.applied { "applied" } else { "missing" }, row.name)
        })?;
        return Ok(());
    }
    let applied = composition::migrate(settings)?;
    record(settings, &applied, actor).await?;
    let rows: Vec<_> = applied.into_iter().map(|name| Migration { name, applied: true }).collect();
    output.list(&rows, |row| format!("applied  {}", row.name))?;
    Ok(())
}

/// Records in the audit log who applied these migrations, which make the log themselves.
async fn record(settings: &Settings, applied: &[String], actor: &AuditActor) -> Result<()> {
    if applied.is_empty() {
        return Ok(());
    }
    let (blobs, extractor) = (Arc::new(NoBlobs), Arc::new(NoExtractor));
    let composition = composition::open(settings, blobs, Outgoing::none(), extractor)?;
    let recorded = composition.acting_for(actor).botyard.audit.record(applied.to_vec()).await;
    composition.store.close();
    Ok(recorded?)
}
