//! `botyard seed`, and what `botyard serve --seed` does first.

use anyhow::{Result, bail};
use domain::audit::AuditActor;
use serde_json::json;

use crate::command_line::CommandLine;
use crate::composition::{self, Composition};
use crate::extracting;
use crate::installation;
use crate::outgoing::Outgoing;
use crate::output::Output;
use crate::seed::{self, Report, Seeded};
use crate::settings::Loaded;

/// Migrates the database and fills it with samples.
pub async fn run(output: Output, loaded: &Loaded, env: bool, actor: &AuditActor) -> Result<()> {
    let Loaded { settings, data_flags, .. } = loaded;
    let blobs = composition::open_blobs(settings).await?;
    let applied = composition::migrate(settings)?;
    let extractor = extracting::open(settings)?;
    let composition = composition::open(settings, blobs.clone(), Outgoing::none(), extractor)?;
    let composition = composition.acting_for(actor);
    let seeded = async {
        installation::confirm(&composition.botyard, &blobs, settings).await?;
        composition.botyard.audit.record(applied).await?;
        seed::fill(&composition).await
    };
    let seeded = seeded.await;
    composition.store.close();
    let address = format!("http://{}", settings.listen);
    let command_line = CommandLine::of_this_process(data_flags.clone());
    let report = Report { address: &address, settings, command_line: &command_line };
    let seeded = seeded?;
    if env {
        return print_variables(output, &report, &seeded);
    }
    output.line(&output.form(&seeded, |seeded| report.lines(seeded))?)?;
    Ok(())
}

/// Prints what a shell sets its variables by. If there is no token to show, that is nothing, so that those that were
/// set before stay as they are.
fn print_variables(output: Output, report: &Report<'_>, seeded: &Seeded) -> Result<()> {
    if seeded.has_tokens() {
        output.line(&report.variables(seeded).join("\n"))?;
    }
    if seeded.lacks_tokens() {
        let again = report.command_line.of(&["seed"]);
        bail!(
            "tokens that were minted before can't be shown again; `{again}` prints the commands that mint new ones"
        );
    }
    Ok(())
}

/// Fills a database that is empty; returns what is to be printed.
pub async fn fill_empty(
    output: Output,
    composition: &Composition,
    report: &Report<'_>,
    actor: &AuditActor,
) -> Result<String> {
    let botyard = &composition.botyard;
    if seed::is_empty(botyard).await? {
        let seeded = seed::fill(&composition.acting_for(actor)).await?;
        return Ok(output.form(&seeded, |seeded| report.lines(seeded))?);
    }
    let lost = seed::lost_tokens(botyard).await?;
    Ok(output.form(&json!({"seeded": false}), |_| report.not_empty(&lost))?)
}
