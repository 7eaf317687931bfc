//! The servers that are measured: botyard with a sample bot, and the floor.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::thread::available_parallelism;

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::Value;

use crate::bench::process::Process;
use crate::bench::request::Request;
use crate::bench::rounds::Side;

/// What the configuration of the sample bot takes as JSON, without what is not set.
const CONFIG_BYTES: usize = 1_500;

/// Where botyard keeps its data. The folder is that of its log, too.
pub enum Database {
    Sqlite(PathBuf),
    Postgres { url: String, folder: PathBuf },
}

/// A running botyard.
pub struct Botyard {
    pub process: Process,
    address: SocketAddr,
    /// A token for a bot.
    token: String,
}

impl Botyard {
    /// Starts a server as an operator would, and fills it with samples.
    pub fn start(binary: &Path, database: &Database, options: &[&str]) -> Result<Self> {
        let folder = match database {
            Database::Sqlite(folder) | Database::Postgres { folder, .. } => folder,
        };
        let mut arguments = Vec::from(["--json", "serve", "--seed", "--listen", "127.0.0.1:0"]);
        arguments.extend(options);
        if let Database::Postgres { url, .. } = database {
            arguments.extend(["--database-url", url]);
        }
        let arguments: Vec<_> = arguments.into_iter().map(str::to_owned).collect();
        let mut process = Process::start(binary, &arguments, folder).context("botyard")?;
        let token = token(&process.line().context("botyard")?)?;
        let address = address(&process.line().context("botyard")?)?;
        Ok(Self { process, address, token })
    }

    /// A request with the token of this server.
    pub fn request(&self, method: &'static str, path: &'static str) -> Request {
        Request { method, path, token: self.token.clone(), body: None }
    }

    pub fn side(&self, request: Request) -> Side<'_> {
        Side { server: &self.process, address: self.address, request }
    }

    /// Gives the sample bot a configuration of the size that the figures are for.
    pub fn fill_config(&self) -> Result<()> {
        let bot = self.request("GET", "/api/external/bot").ask(self.address)?;
        let instruction = padding(&bot.body, CONFIG_BYTES)?;
        let body = serde_json::json!({ "botInstruction": instruction }).to_string();
        let put = self.request("PUT", "/api/external/bot");
        Request { body: Some(body), ..put }.ask(self.address)?;
        Ok(())
    }
}

/// A running floor.
pub struct Floor {
    process: Process,
    address: SocketAddr,
}

impl Floor {
    /// Starts a server that answers what botyard answers to this request, to the byte, with as many
    /// workers as botyard has by default.
    pub fn of(botyard: &Botyard, request: &Request, binary: &Path, folder: &Path) -> Result<Self> {
        let recorded = request.ask(botyard.address)?;
        let file = folder.join("response");
        fs::write(&file, recorded.text()).with_context(|| file.display().to_string())?;
        let workers = available_parallelism().map_or(1, usize::from);
        let arguments = [file.display().to_string(), workers.to_string()];
        let mut process = Process::start(binary, &arguments, folder).context("the floor")?;
        let address = address(&process.line().context("the floor")?)?;
        if !request.ask(address)?.is_same(&recorded) {
            bail!("the floor answers something else than botyard, see {}", file.display());
        }
        Ok(Self { process, address })
    }

    pub fn side(&self, request: Request) -> Side<'_> {
        Side { server: &self.process, address: self.address, request }
    }
}

fn token(seeded: &str) -> Result<String> {
    let seeded: Value = serde_json::from_str(seeded).context("what was seeded")?;
    let tokens = seeded.get("tokens").and_then(Value::as_array).into_iter().flatten();
    tokens
        .filter(|token| token.get("scheme").is_some_and(|scheme| scheme == "APIKeyHeader"))
        .find_map(|token| token.get("token")?.as_str())
        .map(str::to_owned)
        .ok_or_else(|| anyhow!("botyard has seeded no token for a bot"))
}

fn address(line: &str) -> Result<SocketAddr> {
    let address = line.strip_prefix("listening on http://").and_then(|text| text.parse().ok());
    address.ok_or_else(|| anyhow!("the server does not say where it listens, but `{line}`"))
}

/// An instruction of such a length that all that is set on the bot takes so many bytes.
fn padding(bot: &str, bytes: usize) -> Result<String> {
    const FRAME: [&str; 7] =
        ["_id", "projectId", "archived", "thisIsTrash", "createdAt", "updatedAt", "apiKeys"];
    let mut bot: Value = serde_json::from_str(bot).context("the bot")?;
    let config = bot.as_object_mut().ok_or_else(|| anyhow!("the bot is no object"))?;
    config.retain(|name, value| !value.is_null() && !FRAME.contains(&name.as_str()));
    config.insert("botInstruction".to_owned(), Value::from(""));
    let missing = bytes.saturating_sub(bot.to_string().len());
    Ok("Answer in a friendly tone. ".chars().cycle().take(missing).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_that_of_a_bot() {
        let seeded = r#"{"tokens":[{"scheme":"APIKeyHeaderProject","token":"byp_1"},
            {"scheme":"APIKeyHeader","token":"byb_1"},{"scheme":"APIKeyHeader","token":"byb_2"}]}"#;
        assert_eq!(token(seeded).unwrap(), "byb_1");
        assert!(token(r#"{"tokens":[]}"#).is_err());
    }

    #[test]
    fn the_configuration_gets_the_size_asked_for() {
        let bot = r#"{"_id":"1","name":"Ada","model":null,"botInstruction":"x","temperature":1}"#;
        let instruction = padding(bot, 200).unwrap();
        let config =
            format!(r#"{{"botInstruction":"{instruction}","name":"Ada","temperature":1}}"#);
        assert_eq!(config.len(), 200);
    }
}
