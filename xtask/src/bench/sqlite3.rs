//! A database file as SQLite's own program sees it.

use std::io::{self, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, anyhow};

use crate::debian;
use crate::workspace::check;

/// What is read of a pipe at once: as much as it holds.
const BLOCK: usize = 64 << 10;
/// Ahead of an insert of many rows. The file can't be saved if that breaks off.
const FAST: &str = "
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    PRAGMA cache_size = -262144;";
/// What the server works with.
const SAFE: &str = "PRAGMA journal_mode = WAL;";

/// A database file of a server.
pub struct Sqlite3 {
    file: PathBuf,
}

impl Sqlite3 {
    pub fn open(file: PathBuf) -> Result<Self> {
        debian::find_or_install("sqlite3")?;
        Ok(Self { file })
    }

    /// Inserts rows while no server runs.
    pub fn insert(&self, statement: &str) -> Result<()> {
        let script = format!("{FAST}\n{statement};\n{SAFE}");
        let mut sqlite3 = self.start(&["-bail"], &script, Stdio::null())?;
        check("sqlite3", sqlite3.wait()?)
    }

    /// The only value of the only row of an answer. A server may be running.
    pub fn value(&self, query: &str) -> Result<String> {
        let sqlite3 = self.start(&["-readonly"], query, Stdio::piped())?;
        let output = sqlite3.wait_with_output()?;
        check("sqlite3", output.status)?;
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    /// Has the rows of an answer printed as JSON to a pipe, and returns how long that is.
    pub fn print_json(&self, query: &str) -> Result<u64> {
        let mut sqlite3 = self.start(&["-readonly", "-json"], query, Stdio::piped())?;
        let output = sqlite3.stdout.take().ok_or_else(|| anyhow!("sqlite3 has no output"))?;
        let mut output = BufReader::with_capacity(BLOCK, output);
        let length = io::copy(&mut output, &mut io::sink())?;
        check("sqlite3", sqlite3.wait()?)?;
        Ok(length)
    }

    fn start(&self, options: &[&str], script: &str, output: Stdio) -> Result<Child> {
        let mut sqlite3 = Command::new("sqlite3");
        // With an empty file for `-init`, it does not read the user's `.sqliterc`.
        sqlite3.args(["-batch", "-init", "/dev/null"]).args(options).arg(&self.file);
        sqlite3.stdin(Stdio::piped()).stdout(output);
        let mut sqlite3 = sqlite3.spawn().context("`sqlite3` can't be started")?;
        let mut input = sqlite3.stdin.take().ok_or_else(|| anyhow!("sqlite3 has no input"))?;
        input.write_all(script.as_bytes()).context("sqlite3's input")?;
        Ok(sqlite3)
    }
}
