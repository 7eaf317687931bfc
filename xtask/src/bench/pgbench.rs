//! Entries and bots on PostgreSQL, against what PostgreSQL's own benchmark program gets out of the
//! same server.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::available_parallelism;

use anyhow::{Context as _, Result, anyhow, bail};

use crate::bench::entry;
use crate::bench::measurement::Measurement;
use crate::bench::pgbench_bots;
use crate::bench::postgres::client_program;
use crate::bench::report::{Figure, Target, Unit};
use crate::bench::request::Request;
use crate::bench::rounds::{Measured, Rounds, Side};
use crate::bench::server::{BOT, Botyard};
use crate::bench::setting::folder;
use crate::bench::setting::{READERS, Setting, WRITERS};
use crate::workspace::{check, without_variables};

/// A table like that of the entries, but for the references.
const TABLE: &str = "CREATE TABLE bench_entries (LIKE keyval_entries INCLUDING ALL);\n";
/// Changes an entry of each connection's own. `{value}` is its value.
const UPSERT: &str = r"\set score random(0, 999)
INSERT INTO bench_entries (project_id, owner_id, user_id, type, key, id,
    created_at, updated_at, accessed_at, value)
VALUES ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000001',
    'user-' || :client_id, 'note', 'item-0000000', gen_random_uuid(),
    1700000000000, 1700000000000, 1700000000000, {value})
ON CONFLICT (project_id, owner_id, user_id, type, key) DO UPDATE SET
    value = excluded.value, updated_at = excluded.updated_at, accessed_at = excluded.accessed_at;
";

const CANT_START: &str = "pgbench can't be started";

/// The program.
pub struct Pgbench {
    program: PathBuf,
    url: String,
    folder: PathBuf,
}

impl Pgbench {
    /// The program beside the others of a server, for a database at this address.
    pub fn find(programs: &Path, url: String, parent: &Path) -> Result<Self> {
        let program = client_program(programs, "pgbench")?;
        Ok(Self { program, url, folder: folder(parent, "pgbench")? })
    }

    /// What is wanted of reading and writing entries and bots, with as many connections on either side.
    pub fn measure(&self, setting: &Setting, botyard: &Botyard) -> Result<Vec<Figure>> {
        let mut figures = Vec::new();
        if setting.wants(Measurement::GetEntry) {
            self.call(&["--initialize", "--quiet"])?;
            let name = "`GET` a key-value entry ÷ `pgbench` select-only";
            let sides = self.sides(botyard, entry::reading(botyard)?, "--select-only".to_owned());
            figures.push(self.compare(setting, name, &sides, READERS, 0.6)?);
        }
        if setting.wants(Measurement::PutEntry) {
            let table = self.script("table.sql", TABLE)?;
            self.call(&["--no-vacuum", "--transactions=1", &table])?;
            let upsert = UPSERT.replace("{value}", &value());
            let upsert = self.script("upsert.sql", &upsert)?;
            let name = "`PUT` of a key-value entry ÷ `pgbench` single upsert";
            let sides = self.sides(botyard, entry::writing(botyard), upsert);
            figures.push(self.compare(setting, name, &sides, WRITERS, 1.3)?);
        }
        if setting.wants(Measurement::GetBot) {
            let bot = botyard.request("GET", BOT);
            let script = pgbench_bots::reading(&botyard.ask(&bot)?)?;
            let script = self.script("bot.sql", &script)?;
            let name = "`GET` a bot ÷ `pgbench` of a bot and its tokens";
            let sides = self.sides(botyard, bot, script);
            figures.push(self.compare(setting, name, &sides, READERS, 0.6)?);
        }
        if setting.wants(Measurement::PutBot) {
            let table = self.script("bots.sql", pgbench_bots::TABLES)?;
            self.call(&["--no-vacuum", "--transactions=1", &table])?;
            let script = self.script("change.sql", pgbench_bots::CHANGE)?;
            let name = "`PUT` of 64 bots ÷ `pgbench` of the same statements";
            let sides = self.sides(botyard, pgbench_bots::writing(botyard)?, script);
            figures.push(self.compare(setting, name, &sides, WRITERS, 0.8)?);
        }
        Ok(figures)
    }

    fn sides<'a>(
        &'a self,
        botyard: &'a Botyard,
        request: Request,
        script: String,
    ) -> [Side<'a>; 2] {
        let load = move |rounds: &Rounds<'_>, seconds| {
            let value = self.transactions_per_second(&script, rounds.connections, seconds)?;
            // The server's processes are no children of ours.
            Ok(Measured { value, others: None, cost: None, tail: None })
        };
        [botyard.side(request), Side { server: None, load: Box::new(load), calls: None }]
    }

    fn compare(
        &self,
        setting: &Setting,
        name: &'static str,
        sides: &[Side<'_>; 2],
        connections: u32,
        target: f64,
    ) -> Result<Figure> {
        let rounds = Rounds { setting, folder: &self.folder, name, connections };
        let [a, b] = rounds.run(sides)?;
        let (unit, target) = (Unit::Requests, Some(Target::AtLeast(target)));
        Ok(Figure { name, unit, a, b, target })
    }

    fn transactions_per_second(&self, script: &str, connections: u32, seconds: u32) -> Result<f64> {
        let threads = available_parallelism().map_or(1, usize::from);
        let output = self.call(&[
            "--no-vacuum",
            &format!("--client={connections}"),
            &format!("--jobs={threads}"),
            &format!("--time={seconds}"),
            script,
        ])?;
        rate(&output)
    }

    /// Runs a script once.
    pub fn run(&self, name: &str, text: &str) -> Result<()> {
        let script = self.script(name, text)?;
        self.call(&["--no-vacuum", "--transactions=1", &script]).map(drop)
    }

    /// Runs a script once, in the background.
    pub fn start(&self, name: &str, text: &str) -> Result<Child> {
        let script = self.script(name, text)?;
        let mut pgbench = self.command(&["--no-vacuum", "--transactions=1", &script]);
        pgbench.stdout(Stdio::null()).stderr(Stdio::null());
        pgbench.spawn().context(CANT_START)
    }

    /// Keeps a script, and returns the option that names it.
    fn script(&self, name: &str, text: &str) -> Result<String> {
        let file = self.folder.join(name);
        fs::write(&file, text).with_context(|| file.display().to_string())?;
        Ok(format!("--file={}", file.display()))
    }

    fn call(&self, options: &[&str]) -> Result<String> {
        let output = self.command(options).output().context(CANT_START)?;
        let errors = String::from_utf8_lossy(&output.stderr);
        check("pgbench", output.status)
            .with_context(|| errors.lines().last().unwrap_or_default().to_owned())?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut pgbench = Command::new(&self.program);
        without_variables(&mut pgbench, "PG").args(options).arg(&self.url).stdin(Stdio::null());
        pgbench
    }
}

/// The value of an entry as SQL, with the score that the script has chosen.
fn value() -> String {
    format!("'{}'", entry::value("' || :score || '.5"))
}

/// What pgbench says of a load in which nothing failed.
fn rate(output: &str) -> Result<f64> {
    let value_of = |name| output.lines().find_map(|line| line.strip_prefix(name));
    // Older ones do not tell.
    if value_of("number of failed transactions: ").is_some_and(|failed| !failed.starts_with("0 ")) {
        bail!("the figure is void, because transactions failed: {output}");
    }
    let rate = value_of("tps = ").and_then(|rate| rate.split(' ').next());
    let rate = rate.ok_or_else(|| anyhow!("pgbench does not tell the rate: {output}"))?;
    Ok(rate.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_reported_only_if_nothing_failed() {
        let output = |failed| {
            format!(
                "number of transactions actually processed: 9\nnumber of failed transactions: \
                 {failed}\ninitial connection time = 20 ms\ntps = 8471.25 (without initial \
                 connection time)\n"
            )
        };
        assert!((rate(&output("0 (0.000%)")).unwrap() - 8471.25).abs() < 0.001);
        assert!(rate(&output("1 (10.000%)")).unwrap_err().to_string().contains("void"));
        assert!(rate("pgbench (15.3)\n").is_err());
    }

    #[test]
    fn a_value_is_put_together_by_the_database() {
        let value = value();
        assert!(value.starts_with(r#"'{"title":"#) && value.ends_with(r#"}'"#), "{value}");
        assert!(value.contains(r#""score":' || :score || '.5,"#), "{value}");
    }
}
