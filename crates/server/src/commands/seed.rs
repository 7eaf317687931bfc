//! `botyard seed`

use anyhow::Result;

use crate::composition;
use crate::crawling::Crawling;
use crate::extracting;
use crate::output::Output;
use crate::seed;
use crate::settings::Settings;

/// Migrates the database and fills it with samples.
pub async fn run(output: Output, settings: &Settings) -> Result<()> {
    let blobs = composition::open_blobs(settings).await?;
    composition::migrate(settings)?;
    let extractor = extracting::open(settings)?;
    let composition = composition::open(settings, blobs, Crawling::none(), extractor)?;
    let seeded = seed::fill(&composition).await;
    composition.store.close();
    let address = format!("http://{}", settings.listen);
    output.lines(&seeded?, |seeded| seeded.lines(&address, settings))?;
    Ok(())
}
