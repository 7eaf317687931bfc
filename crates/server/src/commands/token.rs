//! `botyard token`

use anyhow::Result;
use domain::Botyard;
use domain::access::{MintToken, Scheme, ScopeSet, Secret, Token, TokenTarget};
use domain::clock::Timestamp;
use domain::id::{BotId, ProjectId, TokenId};
use serde::Serialize;

use crate::cli::{AllOrSome, TokenCommand, TokenTargetArgs};
use crate::operator::OPERATOR;
use crate::output::{Output, revealed};

/// What is shown of a token.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenOutput {
    #[serde(rename = "_id")]
    id: TokenId,
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

/// A token that was just minted, with its text, once and never again.
#[derive(Serialize)]
struct Minted {
    #[serde(serialize_with = "revealed")]
    token: Secret,
    #[serde(flatten)]
    shown: TokenOutput,
}

impl TokenOutput {
    fn new(token: Token) -> Self {
        Self {
            id: token.id,
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
            let minted = botyard.access.mint(OPERATOR, request).await?;
            let minted = Minted { token: minted.secret, shown: TokenOutput::new(minted.token) };
            output.one(&minted, |minted| minted.token.reveal().to_owned())?;
        }
        TokenCommand::List { target } => {
            let tokens = botyard.access.list(OPERATOR, target_of(&target)?).await?;
            let tokens: Vec<_> = tokens.into_iter().map(TokenOutput::new).collect();
            output.list(&tokens, TokenOutput::line)?;
        }
        TokenCommand::Revoke { id } => {
            let token = botyard.access.revoke(OPERATOR, id).await?;
            output.one(&TokenOutput::new(token), TokenOutput::line)?;
        }
    }
    Ok(())
}

fn target_of(target: &TokenTargetArgs) -> Result<TokenTarget> {
    match (target.project, target.bot) {
        (Some(project), None) => Ok(TokenTarget::Project(project)),
        (None, Some(bot)) => Ok(TokenTarget::Bot(bot)),
        (Some(_), Some(_)) | (None, None) => anyhow::bail!("name either --project or --bot"),
    }
}
