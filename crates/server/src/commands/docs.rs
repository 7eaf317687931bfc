//! `botyard docs`: the documents that are made of the code. `cargo xtask openapi` keeps them in
//! `docs/`.

use anyhow::Result;
use domain::input::InputSettings;
use http_actix::HttpOptions;

use crate::cli::DocsCommand;
use crate::output::Output;
use crate::settings;

/// Prints one document, as it is with default settings.
pub fn run(output: Output, command: &DocsCommand) -> Result<()> {
    let text = match command {
        DocsCommand::Openapi => {
            let operations = http_actix::operations();
            http_actix::document(&operations, &InputSettings::default(), &HttpOptions::default())
        }
        DocsCommand::Settings => settings::markdown(),
    };
    output.line(text.trim_end())?;
    Ok(())
}
