//! `botyard project`

use anyhow::{Result, bail};
use domain::Botyard;
use domain::clock::Timestamp;
use domain::id::{OrganisationId, ProjectId};
use domain::project::Project;
use serde::Serialize;

use crate::cli::ProjectCommand;
use crate::operator::OPERATOR;
use crate::output::Output;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ProjectOutput {
    #[serde(rename = "_id")]
    id: ProjectId,
    name: String,
    organisation_id: OrganisationId,
    created_at: Timestamp,
}

impl From<Project> for ProjectOutput {
    fn from(project: Project) -> Self {
        let Project { id, organisation_id, name, created_at } = project;
        Self { id, name, organisation_id, created_at }
    }
}

/// Creates or lists projects.
pub async fn run(output: Output, botyard: Botyard, command: ProjectCommand) -> Result<()> {
    let line = |shown: &ProjectOutput| format!("{}  {}", shown.id, shown.name);
    match command {
        ProjectCommand::Create { name, organisation } => {
            let organisation = match organisation {
                Some(id) => id,
                None => only_organisation(&botyard).await?,
            };
            let created = botyard.projects.create(OPERATOR, organisation, &name).await?;
            output.one(&ProjectOutput::from(created), line)?;
        }
        ProjectCommand::List { organisation } => {
            let all = botyard.projects.list(OPERATOR, organisation).await?;
            let all: Vec<_> = all.into_iter().map(ProjectOutput::from).collect();
            output.list(&all, line)?;
        }
    }
    Ok(())
}

/// The organisation that is meant where there is only one.
async fn only_organisation(botyard: &Botyard) -> Result<OrganisationId> {
    match botyard.organisations.list(OPERATOR).await?.as_slice() {
        [only] => Ok(only.id),
        [] => bail!("there is no organisation yet: make one with `botyard organisation create`"),
        [_, _, ..] => bail!("there are several organisations: name one with --organisation ID"),
    }
}
