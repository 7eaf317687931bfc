//! Bots with so many key-value entries that they are inserted into the database itself, while no
//! server runs.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use serde_json::Value;

use crate::bench::entry::{KEYVAL, value};
use crate::bench::request::Request;
use crate::bench::server::{BOT, Botyard, Database, Stopped};
use crate::bench::setting::Setting;
use crate::bench::setting::folder;
use crate::bench::sqlite3::Sqlite3;

/// How many entries a page has.
pub const PAGE: usize = 100;
/// How many entries each user has.
const PER_USER: u64 = 500;
/// How many entries have keys that share all but their last digits: those of two users.
const ALIKE: u64 = 1_000;

/// A bot with entries.
pub struct Filled {
    pub kept: Stopped,
    pub bot_id: String,
}

/// A server that does not run, whose sample bot has so many entries.
pub fn sample(setting: &Setting, parent: &Path, name: &str, count: u64) -> Result<Filled> {
    let database = Database::Sqlite(folder(parent, name)?);
    let server = Botyard::start(&setting.programs.botyard, &database, &[])?;
    let bot = server.request("GET", BOT);
    fill(server, &bot, count)
}

/// Ends a server and fills in so many entries of the bot that this request reads.
pub fn fill(server: Botyard, bot: &Request, count: u64) -> Result<Filled> {
    let found: Value = serde_json::from_str(&server.ask(bot)?.body).context("the bot")?;
    let member = |name| {
        let text = found.get(name).and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| anyhow!("the bot has no {name}"))
    };
    let (bot_id, project_id) = (member("_id")?, member("projectId")?);
    let kept = server.stop();
    Sqlite3::open(kept.database())?.insert(&insert(&bot_id, &project_id, count))?;
    kept.put_on_disk()?;
    Ok(Filled { kept, bot_id })
}

/// The statement that makes the entries with the numbers below `count`.
fn insert(bot_id: &str, project_id: &str, count: u64) -> String {
    let value = value("%d.5");
    let [bot, project] = [bot_id, project_id].map(id);
    format!(
        "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers LIMIT {count})
         INSERT INTO keyval_entries (
             project_id, owner_id, user_id, type, key, id,
             created_at, updated_at, accessed_at, value
         )
         SELECT {project}, {bot}, printf('user-%06d', n / {PER_USER}), iif(n % 2, 'task', 'note'),
             printf('item-%07d', n), randomblob(16), 1700000000000, 1700000000000, 1700000000000,
             printf('{value}', n % 1000)
         FROM numbers"
    )
}

/// An identifier as SQLite takes it: a version of it without `unhex` is on many machines.
pub fn id(text: &str) -> String {
    format!("x'{}'", text.replace('-', ""))
}

/// Where the entry with this number is.
pub fn entry(number: u64) -> String {
    let kind = if number.is_multiple_of(2) { "note" } else { "task" };
    format!("{}/{kind}/item-{number:07}", of_user(number))
}

/// Where a page is of entries whose keys begin as that of this one.
pub fn page(number: u64) -> String {
    format!("{KEYVAL}?{}", alike(number))
}

/// The same of the user of this entry alone.
pub fn page_of_user(number: u64) -> String {
    format!("{}?{}", of_user(number), alike(number))
}

fn of_user(number: u64) -> String {
    format!("{KEYVAL}/user-{:06}", number / PER_USER)
}

fn alike(number: u64) -> String {
    format!("keyPrefix=item-{:04}&limit={PAGE}", number / ALIKE)
}
