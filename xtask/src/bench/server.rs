//! The servers that are measured: botyard with a sample bot, and the floor.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::Value;

use crate::bench::process::Process;
use crate::bench::request::{Request, Response, Token};
use crate::bench::rounds::Side;
use crate::workspace::{check, without_variables};

/// Where a bot finds itself.
pub const BOT: &str = "/api/external/bot";
/// The header of a token for a project.
pub const PROJECT_HEADER: &str = "X-Project-Api-Key";
/// What the configuration of the sample bot takes as JSON, without what is not set.
pub const CONFIG_BYTES: usize = 1_500;

/// Where botyard keeps its data. The folder is that of its log, too.
pub enum Database {
    Sqlite(PathBuf),
    Postgres { url: String, folder: PathBuf },
}

/// A running botyard.
pub struct Botyard {
    pub process: Process,
    pub address: SocketAddr,
    /// A token for a bot.
    pub bot: Token,
    /// A token for its project.
    pub project: Token,
    /// Where it runs; its data lie in `data` there.
    pub folder: PathBuf,
    /// What it was started with.
    options: Vec<String>,
}

impl Botyard {
    /// Starts a server as an operator would, and fills it with samples.
    pub fn start(binary: &Path, database: &Database, options: &[&str]) -> Result<Self> {
        let folder = match database {
            Database::Sqlite(folder) | Database::Postgres { folder, .. } => folder,
        };
        let mut options: Vec<_> = options.iter().map(|&option| option.to_owned()).collect();
        if let Database::Postgres { url, .. } = database {
            options.extend(["--database-url".to_owned(), url.clone()]);
        }
        let mut process = serve(binary, folder, &["--seed"], &options)?;
        let seeded = process.line().context("botyard")?;
        let bot = token(&seeded, "APIKeyHeader", "X-Api-Key")?;
        let project = token(&seeded, "APIKeyHeaderProject", PROJECT_HEADER)?;
        let address = address(&process.line().context("botyard")?)?;
        Ok(Self { process, address, bot, project, folder: folder.clone(), options })
    }

    /// Ends the server. What it keeps stays.
    pub fn stop(self) -> Stopped {
        let Self { process, bot, project, folder, options, .. } = self;
        drop(process);
        Stopped { bot, project, folder, options }
    }

    /// A request with the token of the sample bot.
    pub fn request(&self, method: &'static str, path: &str) -> Request {
        Request { method, paths: vec![path.to_owned()], token: self.bot.clone(), body: None }
    }

    /// A request with the token of the project; the load goes to each of the paths.
    pub fn project_request(&self, method: &'static str, paths: Vec<String>) -> Request {
        Request { method, paths, token: self.project.clone(), body: None }
    }

    /// Calls another command of the program beside the server, and returns what it prints.
    pub fn call(&self, binary: &Path, arguments: &[&str]) -> Result<Value> {
        let name = format!("botyard {}", arguments.join(" "));
        let mut command = Command::new(binary);
        let output = without_variables(&mut command, "BOTYARD_")
            .arg("--json")
            .args(arguments)
            .args(&self.options)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .output()
            .with_context(|| format!("`{name}` can't be started"))?;
        check(&name, output.status)
            .with_context(|| String::from_utf8_lossy(&output.stderr).trim().to_owned())?;
        serde_json::from_slice(&output.stdout).with_context(|| format!("what `{name}` prints"))
    }

    pub fn ask(&self, request: &Request) -> Result<Response> {
        request.ask(self.address)
    }

    pub fn side(&self, request: Request) -> Side<'_> {
        Side::asked(&self.process, self.address, request)
    }

    /// Gives the sample bot a configuration of the size that the figures are for.
    pub fn fill_config(&self) -> Result<()> {
        let bot = self.ask(&self.request("GET", BOT))?;
        let instruction = padding(&bot.body, CONFIG_BYTES)?;
        let body = serde_json::json!({ "botInstruction": instruction }).to_string();
        let put = self.request("PUT", BOT);
        self.ask(&Request { body: Some(body), ..put })?;
        Ok(())
    }
}

/// What a botyard kept that does not run any more.
pub struct Stopped {
    bot: Token,
    project: Token,
    folder: PathBuf,
    options: Vec<String>,
}

impl Stopped {
    /// Starts a server on it, as the one before.
    pub fn start(&self, binary: &Path) -> Result<Botyard> {
        let Self { bot, project, folder, options } = self;
        let mut process = serve(binary, folder, &[], options)?;
        let address = address(&process.line().context("botyard")?)?;
        let (bot, project, folder) = (bot.clone(), project.clone(), folder.clone());
        Ok(Botyard { process, address, bot, project, folder, options: options.clone() })
    }

    /// The same in another folder, which is there and empty; of what was on SQLite.
    pub fn copy(&self, folder: PathBuf) -> Result<Self> {
        let mut copy = Command::new("cp");
        copy.arg("-R").arg(self.folder.join("data")).arg(&folder);
        check("cp", copy.status().context("`cp` can't be started")?)?;
        let (bot, project) = (self.bot.clone(), self.project.clone());
        let copy = Self { bot, project, folder, options: self.options.clone() };
        copy.put_on_disk()?;
        Ok(copy)
    }

    /// Has the disk take the database now, because nothing else can be made durable meanwhile.
    pub fn put_on_disk(&self) -> Result<()> {
        let file = self.database();
        let is_there = File::open(&file).and_then(|file| file.sync_all());
        is_there.with_context(|| file.display().to_string())
    }

    /// The database.
    pub fn database(&self) -> PathBuf {
        self.folder.join("data/botyard.db")
    }
}

/// A running floor.
pub struct Floor {
    process: Process,
    address: SocketAddr,
    /// How large the body is that it answers with.
    pub bytes: usize,
}

impl Floor {
    /// Starts a server that answers what botyard answers to this request, to the byte, with as many
    /// workers as botyard has by default.
    pub fn of(botyard: &Botyard, request: &Request, binary: &Path, folder: &Path) -> Result<Self> {
        let recorded = botyard.ask(request)?;
        let file = folder.join("response");
        fs::write(&file, recorded.text()).with_context(|| file.display().to_string())?;
        let workers = available_parallelism().map_or(1, usize::from);
        let arguments = [file.display().to_string(), workers.to_string()];
        let mut process = Process::start(binary, &arguments, folder).context("the floor")?;
        let address = address(&process.line().context("the floor")?)?;
        if !request.ask(address)?.is_same(&recorded) {
            bail!("the floor answers something else than botyard, see {}", file.display());
        }
        Ok(Self { process, address, bytes: recorded.body.len() })
    }

    pub fn side(&self, request: Request) -> Side<'_> {
        Side::asked(&self.process, self.address, request)
    }
}

fn serve(binary: &Path, folder: &Path, first: &[&str], options: &[String]) -> Result<Process> {
    // All load comes from one project.
    let no_rate = ["--rate-limit-project-requests-per-second", "0"];
    let begin = ["--json", "serve", "--listen", "127.0.0.1:0"].iter().chain(&no_rate);
    let begin = begin.chain(first).map(|&argument| argument.to_owned());
    let arguments: Vec<_> = begin.chain(options.iter().cloned()).collect();
    Process::start(binary, &arguments, folder).context("botyard")
}

/// The first token of a scheme among those that were seeded.
fn token(seeded: &str, scheme: &str, header: &'static str) -> Result<Token> {
    let seeded: Value = serde_json::from_str(seeded).context("what was seeded")?;
    let tokens = seeded.get("tokens").and_then(Value::as_array).into_iter().flatten();
    tokens
        .filter(|token| token.get("scheme").is_some_and(|known| known == scheme))
        .find_map(|token| token.get("token")?.as_str())
        .map(|secret| Token { header, secret: secret.to_owned() })
        .ok_or_else(|| anyhow!("botyard has seeded no token of the scheme {scheme}"))
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
    fn the_token_is_the_first_of_its_scheme() {
        let seeded = r#"{"tokens":[{"scheme":"APIKeyHeaderProject","token":"byp_1"},
            {"scheme":"APIKeyHeader","token":"byb_1"},{"scheme":"APIKeyHeader","token":"byb_2"}]}"#;
        let secret = |scheme| token(seeded, scheme, "X").unwrap().secret;
        assert_eq!(secret("APIKeyHeader"), "byb_1");
        assert_eq!(secret("APIKeyHeaderProject"), "byp_1");
        assert!(token(r#"{"tokens":[]}"#, "APIKeyHeader", "X").is_err());
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
