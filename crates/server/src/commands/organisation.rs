//! `botyard organisation`

use anyhow::Result;
use domain::Botyard;
use domain::clock::Timestamp;
use domain::id::OrganisationId;
use domain::organisation::Organisation;
use serde::Serialize;

use crate::cli::OrganisationCommand;
use crate::operator::OPERATOR;
use crate::output::Output;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OrganisationOutput {
    #[serde(rename = "_id")]
    id: OrganisationId,
    name: String,
    created_at: Timestamp,
}

impl From<Organisation> for OrganisationOutput {
    fn from(organisation: Organisation) -> Self {
        let Organisation { id, name, created_at } = organisation;
        Self { id, name, created_at }
    }
}

/// Creates or lists organisations.
pub async fn run(output: Output, botyard: Botyard, command: OrganisationCommand) -> Result<()> {
    let line = |shown: &OrganisationOutput| format!("{}  {}", shown.id, shown.name);
    match command {
        OrganisationCommand::Create { name } => {
            let created = botyard.organisations.create(OPERATOR, &name).await?;
            output.one(&OrganisationOutput::from(created), line)?;
        }
        OrganisationCommand::List => {
            let all = botyard.organisations.list(OPERATOR).await?;
            let all: Vec<_> = all.into_iter().map(OrganisationOutput::from).collect();
            output.list(&all, line)?;
        }
    }
    Ok(())
}
