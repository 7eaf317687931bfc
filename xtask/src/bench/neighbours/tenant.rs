//! The project that floods the server, and what it has for that: the sample project.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Map, Value, json};

use crate::bench::content::{Bot, id};
use crate::bench::document::Document;
use crate::bench::entry;
use crate::bench::form::FormFile;
use crate::bench::pdf::pdf;
use crate::bench::server::{BOT, Botyard};

/// How many entries the list has that is read as a whole.
const LISTED: usize = 50_000;
/// How many entries are deleted, and for how many users.
const DELETED: usize = 150_000;
pub const USERS: usize = 150;
/// How many bots are deleted.
const DOOMED: usize = 250;
/// How many bots have websites crawled.
const CRAWLING: usize = 16;
const DOCUMENTS: usize = 100;
/// How many pages each of them has.
const PAGES: u32 = 200;
/// A bot as there are many.
const SKILLS: usize = 100;
const STAGES: usize = 20;
/// How many skills a large bot has, and how long each is.
const LARGE_SKILLS: usize = 8;
const LONG: usize = 1_000_000;
/// How many bots have a large configuration.
const CONFIGURED: usize = 6;
/// The fields of a bot that make it large.
const LONG_FIELDS: [&str; 13] = [
    "customJs",
    "customCss",
    "customChatCss",
    "customVoiceCss",
    "customAvatarCss",
    "customVendorAvatarCss",
    "botInstruction",
    "summarizePrompt",
    "helpUrls",
    "documentationUrl",
    "model",
    "loadingMessages",
    "postMessageTargetOrigin",
];

/// What there is in the project; all of it by its id.
pub struct Tenant {
    /// A bot with 100 skills and 20 stages.
    pub usual: String,
    /// A bot with 8 MB of skills.
    pub large: String,
    /// A bot with a configuration of 13 MB, the first of six.
    pub configured: String,
    /// Bots like the usual one that may be deleted.
    pub doomed: Vec<String>,
    /// Bots whose websites may be crawled.
    pub crawling: Vec<String>,
    /// Documents that are not extracted yet.
    pub documents: Vec<String>,
}

impl Tenant {
    /// Fills the sample project.
    pub fn create(server: &Botyard, binary: &Path) -> Result<Self> {
        // Ahead of other bots, so that a list begins with them.
        let configured = (0..CONFIGURED).map(|_| large_configuration(server));
        let configured = configured.collect::<Result<Vec<_>>>()?;
        let large = Bot::create(server)?;
        large.add("/skills", (0..LARGE_SKILLS).map(long_skill))?;
        let usual = Bot::create(server)?;
        usual.add_skills(SKILLS)?;
        usual.add_stages(STAGES)?;
        let doomed = (0..DOOMED).map(|_| Ok(usual.duplicate()?.id));
        let crawling = (0..CRAWLING).map(|_| Ok(Bot::create(server)?.id));
        let file = pdf(PAGES);
        let document = |_| {
            let file = FormFile::of("text.pdf", "application/pdf", file.clone());
            Ok(Document::upload(server, &[("extract", "false")], file)?.id)
        };
        let tenant = Self {
            doomed: doomed.collect::<Result<_>>()?,
            crawling: crawling.collect::<Result<_>>()?,
            documents: (0..DOCUMENTS).map(document).collect::<Result<_>>()?,
            usual: usual.id,
            large: large.id,
            configured: configured.into_iter().next().context("there is no large bot")?,
        };
        import_entries(server, binary)?;
        Ok(tenant)
    }
}

/// Which user has entries to be deleted.
pub fn user(number: usize) -> String {
    format!("user-{number:06}")
}

/// Has the server's own program import entries of the sample bot, which are listed, and of the project,
/// which are deleted.
fn import_entries(server: &Botyard, binary: &Path) -> Result<()> {
    let bot = server.ask(&server.request("GET", BOT))?;
    let bot: Value = serde_json::from_str(&bot.body).context("the sample bot")?;
    let project = bot.get("projectId").and_then(Value::as_str).context("the bot's project")?;
    let owners = [("--bot", id(&bot)?, LISTED), ("--project", project.to_owned(), DELETED)];
    for (owner, id, count) in owners {
        let file = server.folder.join("entries.ndjson");
        write_entries(&file, count).with_context(|| file.display().to_string())?;
        let file = file.display().to_string();
        server.call(binary, &["import", "keyval", owner, &id, &file])?;
    }
    Ok(())
}

/// Writes so many entries, as many for each user.
fn write_entries(file: &Path, count: usize) -> Result<()> {
    let mut output = BufWriter::new(File::create(file)?);
    let value = entry::value("1.5");
    for number in 0..count {
        let user = user(number % USERS);
        writeln!(
            output,
            r#"{{"userId":"{user}","type":"note","key":"item-{number:07}","value":{value}}}"#
        )?;
    }
    Ok(output.flush()?)
}

/// A bot whose configuration takes 13 MB.
fn large_configuration(server: &Botyard) -> Result<String> {
    let text = Value::from("x".repeat(LONG));
    let mut body: Map<_, _> =
        LONG_FIELDS.iter().map(|&name| (name.to_owned(), text.clone())).collect();
    body.insert("name".to_owned(), "Large".into());
    Ok(Bot::create_with(server, &server.project, &body.into())?.id)
}

fn long_skill(number: usize) -> Value {
    json!({
        "name": format!("Skill {number}"),
        "skillId": format!("long-{number}"),
        "content": "x".repeat(LONG),
    })
}
