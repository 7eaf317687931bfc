//! `botyard docs`: the documents that are made of the code. `cargo xtask openapi` keeps two of them in
//! `docs/`, `cargo xtask package` packs the others.

use anyhow::Result;
use domain::input::InputSettings;
use http_actix::HttpOptions;

use crate::cli::DocsCommand;
use crate::commands::man;
use crate::output::Output;
use crate::settings;

/// Prints one document, as it is with default settings, or writes the manual pages.
pub fn run(output: Output, command: &DocsCommand) -> Result<()> {
    let text = match command {
        DocsCommand::Openapi => {
            let operations = http_actix::operations();
            http_actix::document(&operations, &InputSettings::default(), &HttpOptions::default())
        }
        DocsCommand::Settings => settings::markdown(),
        DocsCommand::Man { folder } => return man::write(folder),
    };
    output.line(text.trim_end())?;
    Ok(())
}
