//! What is printed about the samples: lines for people, some of which can be copied, or variables for a shell.

use domain::access::Scheme;

use super::tokens::SampleToken;
use super::webhook::{self, SeededWebhook};
use super::{BOTS, PROJECT, Seeded, SeededDocument};
use crate::command_line::{CommandLine, quoted};
use crate::settings::{BlobUrl, DatabaseUrl, Settings};

/// What the lines are about besides the samples.
pub struct Report<'a> {
    /// Where the server listens, as the beginning of a URL.
    pub address: &'a str,
    pub settings: &'a Settings,
    pub command_line: &'a CommandLine,
}

impl Report<'_> {
    /// What is there, and how to call the API with it.
    pub fn lines(&self, seeded: &Seeded) -> Vec<String> {
        let mut lines = vec![format!("project  {}  {PROJECT}", seeded.project_id)];
        for (id, (name, ..)) in seeded.bot_ids.iter().zip(BOTS) {
            lines.push(format!("bot      {id}  {name}"));
        }
        for SeededDocument { id, name } in &seeded.documents {
            lines.push(format!("document {id}  {name}"));
        }
        if let Some(SeededWebhook { id, secret }) = &seeded.webhook {
            lines.push(format!("webhook  {id}  {}  {}", webhook::URL, &*secret.reveal()));
        }
        for token in &seeded.tokens {
            lines.push(format!("token    {}  {}", token.token.reveal(), token.name));
        }
        let auth = &self.settings.auth;
        for token in &seeded.tokens {
            let (header, path) = match token.scheme {
                Scheme::Project => (&auth.project_header, "projectapi/bots"),
                Scheme::Bot => (&auth.bot_header, "bot"),
            };
            let text = token.token.reveal();
            lines.push(format!("# {}", token.name));
            lines.push(format!("curl -H '{header}: {text}' {}/{path}", self.api()));
        }
        if !seeded.lost.is_empty() {
            lines.push(
                "Sample tokens that were minted before can't be shown again; these commands mint new ones:"
                    .to_owned(),
            );
            lines.extend(self.mint(&seeded.lost));
            lines.push(self.afresh());
        }
        lines
    }

    /// The same as commands that set variables, for `eval`.
    pub fn variables(&self, seeded: &Seeded) -> Vec<String> {
        let (project, api) = (seeded.project_id.to_string(), self.api());
        let bot = seeded.bot_ids.first().map(ToString::to_string).unwrap_or_default();
        let places = [("API", api.as_str()), ("PROJECT", &project), ("BOT", &bot)];
        let tokens = seeded.tokens.iter().map(|token| (token.variable, token.token.reveal()));
        let secret = seeded.webhook.as_ref().map(|webhook| webhook.secret.reveal());
        let secret = secret.iter().map(|secret| ("WEBHOOK_SECRET", secret.as_str()));
        let variables = places.into_iter().chain(tokens).chain(secret);
        variables.map(|(name, value)| format!("export {name}={}", quoted(value))).collect()
    }

    /// Why a database was not seeded that is not empty, and how to get at tokens. `lost` are those of the samples, if
    /// there are samples in it.
    pub fn not_empty(&self, lost: &[SampleToken]) -> Vec<String> {
        let mut lines = Vec::new();
        if lost.is_empty() {
            let list = self.command_line.of(&["project", "list"]);
            let mint = ["token", "mint", "--project", "ID", "--name", "NAME", "--scopes", "all"];
            lines.push(format!(
                "The database is not empty, so it was not seeded. This mints a token for one of the projects of `{list}`:"
            ));
            lines.push(self.command_line.of(&mint));
        } else {
            lines.push(
                "The database is not empty, so it was not seeded. Its tokens can't be shown again; these commands \
                 mint new ones for the samples:"
                    .to_owned(),
            );
            lines.extend(self.mint(lost));
        }
        lines.push(self.afresh());
        lines
    }

    fn mint(&self, tokens: &[SampleToken]) -> impl Iterator<Item = String> {
        tokens.iter().map(|token| token.command(self.command_line))
    }

    fn api(&self) -> String {
        format!("{}/api/external", self.address)
    }

    /// How to get rid of everything, so that samples can be filled in anew.
    fn afresh(&self) -> String {
        let Settings { data_dir, database_url, blob_url, .. } = self.settings;
        let mut places = vec![data_dir.display().to_string()];
        match database_url {
            DatabaseUrl::Sqlite(file) if file.starts_with(data_dir) => {}
            DatabaseUrl::Sqlite(_) | DatabaseUrl::Postgres(_) => {
                places.push(database_url.to_string());
            }
        }
        match blob_url {
            BlobUrl::Folder(folder) if folder.starts_with(data_dir) => {}
            BlobUrl::Folder(_) | BlobUrl::Bucket { .. } => places.push(blob_url.to_string()),
        }
        let places = places.join(" and ");
        format!("To begin afresh, stop the server, remove what is in {places}, and seed again.")
    }
}
