//! `botyard audit`

use anyhow::Result;
use domain::Botyard;
use domain::audit::AuditEntry;
use domain::clock::{TimeCursor, Timestamp};
use domain::id::AuditEntryId;
use serde::Serialize;

use crate::cli::Since;
use crate::operator::OPERATOR;
use crate::output::Output;
use crate::pages::all;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AuditOutput {
    #[serde(rename = "_id")]
    id: AuditEntryId,
    at: Timestamp,
    command: String,
    resource: String,
    subject: String,
    user: String,
    uid: u32,
    sudo_user: Option<String>,
    host: String,
}

impl From<AuditEntry> for AuditOutput {
    fn from(AuditEntry { id, at, actor, resource, subject }: AuditEntry) -> Self {
        Self {
            id,
            at,
            command: actor.command,
            resource,
            subject,
            user: actor.user_name,
            uid: actor.uid,
            sudo_user: actor.sudo_user,
            host: actor.host,
        }
    }
}

impl AuditOutput {
    fn line(&self) -> String {
        let Self { at, command, resource, subject, user, uid, host, .. } = self;
        let sudo = self.sudo_user.as_ref().map(|user| format!("  sudo {user}"));
        let sudo = sudo.unwrap_or_default();
        format!("{at}  {command:20}  {resource:12}  {subject:36}  {user} ({uid}) on {host}{sudo}")
    }
}

/// Lists what was done on the command line.
pub async fn run(output: Output, botyard: Botyard, since: Option<Since>) -> Result<()> {
    let since = match since {
        None => Timestamp::default(),
        Some(Since::Time(time)) => time,
        Some(Since::Ago(duration)) => botyard.now().minus(duration),
    };
    let audit = &botyard.audit;
    let place = |entry: &AuditEntry| TimeCursor { at: entry.at, id: entry.id };
    let all = all(|after, limit| audit.page(OPERATOR, since, after, limit), place).await?;
    let all: Vec<_> = all.into_iter().map(AuditOutput::from).collect();
    output.list(&all, AuditOutput::line)?;
    Ok(())
}
