//! `botyard remote`: work with a project on a server elsewhere, through its API and the Rust client.

mod documents;

use anyhow::{Context as _, Result};
use client::bot::ListBotsQuery;
use client::project_document::ListDocumentsQuery;
use client::shared::Scope;
use client::{Page, PageQuery, ProjectClient};

use crate::cli::{RemoteArguments, RemoteCommand};
use crate::output::Output;

/// The variable with the token, as `botyard seed --env` names it. There is no flag: every user of a machine can read
/// the arguments of a command.
const TOKEN: &str = "PROJECT_TOKEN";
/// How many items are asked for at once.
const PAGE: u64 = 500;

/// Does what was typed, in a runtime of its own.
pub fn run(output: Output, arguments: &RemoteArguments) -> Result<()> {
    actix_web::rt::System::new().block_on(work(output, arguments))
}

/// Does what was typed.
pub async fn work(output: Output, arguments: &RemoteArguments) -> Result<()> {
    let token = std::env::var_os(TOKEN);
    let token = token
        .with_context(|| format!("the token of the project must be in the variable {TOKEN}"))?;
    // Without the value, which an error of the standard library shows.
    let token = token
        .into_string()
        .ok()
        .with_context(|| format!("the variable {TOKEN} has characters that no token has"))?;
    let project = &ProjectClient::new(&arguments.address, &token)?;
    match &arguments.command {
        RemoteCommand::Token => {
            let token = project.checkauth().await?;
            output.one(&token, |token| {
                let scopes: Vec<_> = token.scopes.iter().map(Scope::as_str).collect();
                let read_only = if token.read_only { "  read-only" } else { "" };
                let until = token.expires_at.map(|at| format!("  until {at}")).unwrap_or_default();
                format!(
                    "{}  {}  {}{read_only}{until}",
                    token.project_id,
                    token.name,
                    scopes.join(",")
                )
            })?;
        }
        RemoteCommand::Bots => {
            let bots = all(async |PageQuery { limit, cursor }| {
                let query = ListBotsQuery { limit, cursor, ..ListBotsQuery::default() };
                project.list_bots(&query).await
            })
            .await?;
            output.list(&bots, |bot| format!("{}  {}", bot.id, bot.name))?;
        }
        RemoteCommand::Documents => {
            let documents = all(async |PageQuery { limit, cursor }| {
                let query = ListDocumentsQuery { limit, cursor, ..ListDocumentsQuery::default() };
                project.list_documents(&query).await
            })
            .await?;
            output.list(&documents, documents::line)?;
        }
        RemoteCommand::Upload { files, bot, on_duplicate } => {
            documents::upload(output, project, files, (*bot, *on_duplicate)).await?;
        }
        RemoteCommand::Download { id, to } => {
            documents::download(output, project, *id, to.as_deref()).await?;
        }
    }
    Ok(())
}

/// Every item of a list, page by page.
async fn all<T>(
    list: impl AsyncFn(PageQuery) -> client::Result<Page<T>>,
) -> client::Result<Vec<T>> {
    let mut items = Vec::new();
    let mut page = PageQuery { limit: Some(PAGE), cursor: None };
    loop {
        let answer = list(page.clone()).await?;
        items.extend(answer.items);
        if answer.next.is_none() {
            return Ok(items);
        }
        page.cursor = answer.next;
    }
}
