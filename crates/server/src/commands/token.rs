//! `botyard token`

use anyhow::Result;
use domain::Botyard;
use domain::access::{MintTarget, MintToken, Scheme, ScopeSet, Token};
use domain::clock::Timestamp;
use domain::id::{BotId, ProjectId, TokenId};
use serde::Serialize;

use super::operator;
use crate::cli::{AllOrSome, TokenCommand, TokenTarget};
use crate::output::Output;

/// What is shown of a token; its text only where it was just minted.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    #[serde(rename = "_id")]
    id: TokenId,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    key: String,
    scheme: Scheme,
    name: String,
    scopes: ScopeSet,
    read_only: bool,
    project_id: ProjectId,
    bot_id: Option<BotId>,
    created_at: Timestamp,
    expires_at: Option<Timestamp>,
    revoked_at: Option<Timestamp>,
    last_used_at: Option<Timestamp>,
}

impl Shown {
    fn new(token: Token, text: Option<String>) -> Self {
        Self {
            id: token.id,
            token: text,
            key: token.masked(),
            scheme: token.owner.scheme(),
            name: token.name,
            scopes: token.scopes,
            read_only: token.read_only,
            project_id: token.project_id,
            bot_id: token.owner.bot_id(),
            created_at: token.created_at,
            expires_at: token.expires_at,
            revoked_at: token.revoked_at,
            last_used_at: token.last_used_at,
        }
    }

    fn line(&self) -> String {
        let state = match (self.revoked_at, self.expires_at) {
            (Some(at), _) => format!("revoked {at}"),
            (None, Some(at)) => format!("until {at}"),
            (None, None) => "no end".to_owned(),
        };
        let used = match self.last_used_at {
            Some(at) => format!("used {at}"),
            None => "never used".to_owned(),
        };
        let read_only = if self.read_only { "  read-only" } else { "" };
        let Self { id, key, name, scopes, .. } = self;
        format!("{id}  {key}  {name}  {state}  {used}{read_only}  [{scopes}]")
    }
}

/// Mints, lists or revokes tokens.
pub async fn run(output: Output, botyard: Botyard, command: TokenCommand) -> Result<()> {
    match command {
        TokenCommand::Mint { target, name, scopes, read_only, expires_in } => {
            let scopes = match scopes {
                AllOrSome::All => None,
                AllOrSome::Some(scopes) => Some(scopes),
            };
            let target = target_of(&target)?;
            let request = MintToken { target, name, scopes, read_only, expires_in };
            let minted = botyard.access.mint(operator(), request).await?;
            let text = minted.secret.reveal().to_owned();
            let shown = Shown::new(minted.token, Some(text.clone()));
            output.one(&shown, |_| text)?;
        }
        TokenCommand::List { target } => {
            let tokens = botyard.access.list(operator(), target_of(&target)?).await?;
            let tokens: Vec<_> = tokens.into_iter().map(|token| Shown::new(token, None)).collect();
            output.list(&tokens, Shown::line)?;
        }
        TokenCommand::Revoke { id } => {
            let token = botyard.access.revoke(operator(), id).await?;
            output.one(&Shown::new(token, None), Shown::line)?;
        }
    }
    Ok(())
}

fn target_of(target: &TokenTarget) -> Result<MintTarget> {
    match (target.project, target.bot) {
        (Some(project), None) => Ok(MintTarget::Project(project)),
        (None, Some(bot)) => Ok(MintTarget::Bot(bot)),
        (Some(_), Some(_)) | (None, None) => anyhow::bail!("name either --project or --bot"),
    }
}
