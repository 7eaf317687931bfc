//! The sample tokens. A text is shown when it is minted and never again; then there is a command that mints another.

use anyhow::Result;
use domain::Botyard;
use domain::access::{MintToken, Scheme, Secret, TokenTarget};
use domain::id::{BotId, ProjectId};
use serde::Serialize;

use crate::command_line::CommandLine;
use crate::operator::OPERATOR;
use crate::output::revealed;

/// A token that is there for every sample project.
#[derive(Debug, Clone, Copy)]
pub struct SampleToken {
    pub name: &'static str,
    /// The variable of a shell that has its text.
    pub variable: &'static str,
    target: TokenTarget,
    read_only: bool,
}

/// One that was minted just now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeededToken {
    pub name: &'static str,
    pub scheme: Scheme,
    #[serde(serialize_with = "revealed")]
    pub token: Secret,
    #[serde(skip)]
    pub variable: &'static str,
}

/// The tokens of a sample project and of one of its bots.
pub fn samples(project: ProjectId, bot: BotId) -> [SampleToken; 3] {
    let (project, bot) = (TokenTarget::Project(project), TokenTarget::Bot(bot));
    [
        ("Sample project token", "PROJECT_TOKEN", project, false),
        ("Sample bot token", "BOT_TOKEN", bot, false),
        ("Sample read-only bot token", "READ_ONLY_BOT_TOKEN", bot, true),
    ]
    .map(|(name, variable, target, read_only)| SampleToken {
        name,
        variable,
        target,
        read_only,
    })
}

impl SampleToken {
    /// Mints it, unless it was minted before.
    pub async fn mint(self, botyard: &Botyard) -> Result<Option<SeededToken>> {
        let Self { name, variable, target, read_only } = self;
        let known = botyard.access.list(OPERATOR, target).await?;
        if known.iter().any(|token| token.name == name) {
            return Ok(None);
        }
        let request =
            MintToken { target, name: name.to_owned(), scopes: None, read_only, expires_in: None };
        let minted = botyard.access.mint(OPERATOR, request).await?;
        let scheme = minted.token.owner.scheme();
        Ok(Some(SeededToken { name, scheme, token: minted.secret, variable }))
    }

    /// The command that mints another one like it.
    pub fn command(self, command_line: &CommandLine) -> String {
        let (flag, id) = match self.target {
            TokenTarget::Project(id) => ("--project", id.to_string()),
            TokenTarget::Bot(id) => ("--bot", id.to_string()),
        };
        let mut words = vec!["token", "mint", flag, &id, "--name", self.name, "--scopes", "all"];
        if self.read_only {
            words.push("--read-only");
        }
        command_line.of(&words)
    }
}
