//! `botyard secrets`

use anyhow::{Context as _, Result};
use domain::Botyard;
use domain::encryption::Rotated;
use serde::Serialize;

use crate::cli::SecretsCommand;
use crate::encryption::{key_file, named, require};
use crate::operator::OPERATOR;
use crate::output::Output;
use crate::settings::Settings;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RotatedOutput {
    key: String,
    previous_key: Option<String>,
    secrets: u64,
}

impl From<Rotated> for RotatedOutput {
    fn from(Rotated { from, to, secrets }: Rotated) -> Self {
        Self { key: to.to_string(), previous_key: from.map(|key| key.to_string()), secrets }
    }
}

impl RotatedOutput {
    fn line(&self) -> String {
        let Self { key, previous_key, secrets } = self;
        let instead = previous_key.as_ref().map(|previous| format!(" instead of {previous}"));
        format!("key {key}{}, secrets encrypted with it: {secrets}", instead.unwrap_or_default())
    }
}

/// Replaces the key.
pub async fn run(
    output: Output,
    botyard: Botyard,
    settings: &Settings,
    command: SecretsCommand,
) -> Result<()> {
    let SecretsCommand::Rotate { lost } = command;
    let file = key_file(settings);
    let named = || named(&file);
    botyard.installation.get_or_create(OPERATOR).await?;
    // A new file in another place than that of the servers would be of no use to them.
    let present = botyard.encryption.key(OPERATOR).await?.filter(|_| !lost);
    present.map_or(Ok(()), |key| require(&file, key))?;

    let rotation = file.begin_rotation().with_context(named)?;
    let present = botyard.encryption.key(OPERATOR).await?;
    let key = rotation.new_key(present).with_context(named)?;
    let rotated = botyard.encryption.rotate(OPERATOR, key, lost).await.with_context(named)?;
    rotation.finish(key).with_context(named)?;
    output.one(&RotatedOutput::from(rotated), RotatedOutput::line)?;
    Ok(())
}
