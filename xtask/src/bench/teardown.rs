//! What writes to other bots feel of a large one that is being removed.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::bench::content::Bot;
use crate::bench::entries::{self, Filled};
use crate::bench::entry;
use crate::bench::report::{Figure, Target, Unit};
use crate::bench::rounds::{Measured, Rounds};
use crate::bench::server::{Botyard, Database};
use crate::bench::setting::folder;
use crate::bench::setting::{Setting, WRITERS};
use crate::bench::sqlite3::Sqlite3;

const ENTRIES: u64 = 1_000_000;
const NAME: &str = "99 of 100 writes while a bot with 1 000 000 entries is torn down ÷ before";
const WARM_UP_SECONDS: u32 = 1;
/// How often it is checked whether the teardown has begun, and how many times at most.
const LOOK: Duration = Duration::from_millis(20);
const LOOKS: u32 = 500;

/// Before and during, in each round with a new copy of the database. All of it goes afterwards.
pub fn measure(setting: &Setting) -> Result<Figure> {
    let folder = folder(&setting.folder, "teardown")?;
    let figure = compare(setting, &folder);
    fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    figure
}

fn compare(setting: &Setting, parent: &Path) -> Result<Figure> {
    let database = Database::Sqlite(folder(parent, "filled")?);
    let server = Botyard::start(&setting.programs.botyard, &database, &[])?;
    let bot = Bot::create(&server)?.path("");
    let read = server.project_request("GET", vec![bot.clone()]);
    let filled = entries::fill(server, &read, ENTRIES)?;
    let (mut during, mut before) = (Vec::new(), Vec::new());
    for round in 1..=setting.rounds {
        eprintln!("teardown: round {round} of {}", setting.rounds);
        let copy = folder(parent, "copy")?;
        let (one, other) = run(setting, &filled, &bot, copy.clone())?;
        before.push(one);
        during.push(other);
        fs::remove_dir_all(&copy).with_context(|| copy.display().to_string())?;
    }
    let target = Some(Target::AtMost(3.0));
    Ok(Figure { name: NAME, unit: Unit::Micros, a: during, b: before, target })
}

/// The longest that 99 of 100 writes took, before and during the teardown.
fn run(
    setting: &Setting,
    filled: &Filled,
    bot: &str,
    folder: PathBuf,
) -> Result<(Measured, Measured)> {
    let kept = filled.kept.copy(folder)?;
    let server = kept.start(&setting.programs.botyard)?;
    let teardown = Teardown { database: Sqlite3::open(kept.database())?, bot_id: &filled.bot_id };
    server.process.settle()?;
    let rounds = Rounds { setting, folder: &server.folder, name: NAME, connections: WRITERS };
    let request = entry::writing(&server);
    let load = |seconds| {
        Measured::watched(Some(&server.process), || {
            Ok(rounds.wrk(server.address, &request, seconds)?.p99())
        })
    };
    load(WARM_UP_SECONDS)?;
    let before = load(setting.seconds)?;
    server.ask(&server.project_request("DELETE", vec![bot.to_owned()]))?;
    teardown.wait_until_it_runs()?;
    let during = load(setting.seconds)?;
    if !teardown.is_running()? {
        bail!("the teardown was over before the load: take fewer --seconds");
    }
    Ok((before, during))
}

/// The job that removes the bot.
struct Teardown<'a> {
    database: Sqlite3,
    bot_id: &'a str,
}

impl Teardown<'_> {
    fn is_running(&self) -> Result<bool> {
        let Self { database, bot_id } = self;
        let query =
            format!("SELECT count(*) FROM jobs WHERE subject = '{bot_id}' AND state = 'running';");
        Ok(database.value(&query)? == "1")
    }

    fn wait_until_it_runs(&self) -> Result<()> {
        for _ in 0..LOOKS {
            if self.is_running()? {
                return Ok(());
            }
            sleep(LOOK);
        }
        bail!("nobody tears the bot down")
    }
}
