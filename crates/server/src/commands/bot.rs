//! `botyard bot`

use anyhow::Result;
use domain::Botyard;
use domain::bot::{BotKind, BotState, BotSummary};
use domain::clock::Timestamp;
use domain::id::{BotId, ProjectId};
use serde::Serialize;

use crate::cli::BotCommand;
use crate::operator::OPERATOR;
use crate::output::Output;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BotOutput {
    #[serde(rename = "_id")]
    id: BotId,
    name: String,
    project_id: ProjectId,
    kind: BotKind,
    state: BotState,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl From<BotSummary> for BotOutput {
    fn from(bot: BotSummary) -> Self {
        let BotSummary { id, project_id, kind, state, name, created_at, updated_at } = bot;
        Self { id, name, project_id, kind, state, created_at, updated_at }
    }
}

impl BotOutput {
    fn line(&self) -> String {
        let (state, kind) = (self.state.as_str(), self.kind.as_str());
        format!("{}  {state:8}  {kind:8}  {}", self.id, self.name)
    }
}

/// Lists or restores bots.
pub async fn run(output: Output, botyard: Botyard, command: BotCommand) -> Result<()> {
    match command {
        BotCommand::List { project, all } => {
            let bots = botyard.bots.list_all(OPERATOR, project).await?;
            let bots = bots.into_iter().filter(|bot| all || bot.is_live());
            output.list(&bots.map(BotOutput::from).collect::<Vec<_>>(), BotOutput::line)?;
        }
        BotCommand::Restore { id } => {
            let bot = botyard.bots.restore(OPERATOR, id).await?;
            output.one(&BotOutput::from(bot), BotOutput::line)?;
        }
    }
    Ok(())
}
