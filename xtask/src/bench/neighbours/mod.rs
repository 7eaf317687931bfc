//! What the requests of one project feel of another one that takes all it can get with its own tokens.
//!
//! One project, the [`Neighbour`], asks for a little at fixed times. The [`Tenant`] is the other one: it has
//! a lot of data, of which its [`Flood`]s make use, one after the other. An [`Impact`] is what the neighbour
//! feels of a flood: how long its requests take meanwhile, compared with before.

mod busy;
mod crowd;
mod flood;
mod floods;
pub mod impact;
mod neighbour;
mod row_lock;
mod slow_connections;
mod sockets;
mod stranger;
mod tenant;
mod writer_units;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::{scope, sleep};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};

use self::flood::Flood;
use self::impact::{GROWTH_MAX, Impact, Observed};
use self::neighbour::Neighbour;
use self::tenant::Tenant;
use self::writer_units::LongOf1000;
use crate::bench::crawl;
use crate::bench::pgbench::Pgbench;
use crate::bench::postgres::Postgres;
use crate::bench::process::Process;
use crate::bench::report::{Amount, Results, Section, megabytes};
use crate::bench::server::{Botyard, Database};
use crate::bench::setting::{Setting, folder};
use crate::bench::site::Site;

/// The defaults, but for the number of bots, and for a rate that would only show itself.
const OPTIONS: [&str; 4] =
    ["--rate-limit-requests-per-second", "0", "--limits-bots-per-project", "0"];
/// How large the memory may be a minute after the floods, compared with before them.
const AFTERWARDS_MAX: f64 = 1.1;
const A_WHILE: Duration = Duration::from_secs(60);
/// How many times a server gets the time to do what a flood has left.
const LONGEST_WAIT: u32 = 6;

/// On each database, in each round with a new one.
pub fn measure(setting: &Setting, postgres: impl Fn() -> Result<Postgres>) -> Result<Vec<Section>> {
    let parent = folder(&setting.folder, "neighbours")?;
    let bench = Neighbours { setting, site: Site::start(crawl::PAGES)?, parent };
    let on_sqlite = bench.rounds(|folder| bench.round(&Database::Sqlite(folder), None))?;
    let mut sections = vec![Section { title: "Neighbours, SQLite", measured: Ok(on_sqlite) }];
    let mut left_out = None;
    let on_postgres = match postgres() {
        Ok(first) => {
            let mut started = Some(first);
            Ok(bench.rounds(|folder| {
                let postgres = started.take().map_or_else(&postgres, Ok)?;
                let url = postgres.cluster.url();
                let pgbench = Pgbench::find(&postgres.programs, url.clone(), &folder);
                let database = Database::Postgres { url, folder };
                let round = bench.round(&database, pgbench.as_ref().ok());
                left_out = pgbench.err().map(|reason| format!("{reason:#}"));
                round
            })?)
        }
        Err(reason) => Err(format!("{reason:#}")),
    };
    let title = "Neighbours, PostgreSQL on the same machine";
    sections.push(Section { title, measured: on_postgres });
    let title = "A row held by a session of its own, PostgreSQL";
    sections.extend(left_out.map(|reason| Section { title, measured: Err(reason) }));
    fs::remove_dir_all(&bench.parent).with_context(|| bench.parent.display().to_string())?;
    Ok(sections)
}

struct Neighbours<'a> {
    setting: &'a Setting,
    site: Site,
    parent: PathBuf,
}

/// What was measured of one server.
struct Round {
    floods: Vec<(&'static str, Observed)>,
    memory: Memory,
    /// What held SQLite's writer for too long.
    long: Option<LongOf1000>,
}

/// The memory of a server, in bytes.
struct Memory {
    before: u64,
    peak: u64,
    afterwards: u64,
}

impl Neighbours<'_> {
    /// All rounds, each in a folder that is removed afterwards: it becomes large.
    fn rounds(&self, mut round: impl FnMut(PathBuf) -> Result<Round>) -> Result<Results> {
        let mut rounds = Vec::new();
        for number in 1..=self.setting.rounds {
            eprintln!("neighbours: round {number} of {}", self.setting.rounds);
            let folder = folder(&self.parent, "round")?;
            rounds.push(round(folder.clone())?);
            fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
        }
        Ok(results(rounds))
    }

    /// All floods in turn.
    fn round(&self, database: &Database, pgbench: Option<&Pgbench>) -> Result<Round> {
        let botyard = &self.setting.programs.botyard;
        let (server, tenant, neighbour) = prepare(botyard, database)?;
        // The first requests of a server take longer than others, and leave it larger.
        neighbour.measure(server.address, self.setting.seconds)?;
        settle(&server.process)?;
        let before = server.process.memory()?;
        let (mut observed, mut peak) = (Vec::new(), before);
        let mut floods = floods::all(&server, &tenant, &self.site, pgbench, self.setting.seconds);
        floods.retain(|flood| flood.name.contains(&self.setting.flood));
        for flood in floods {
            eprintln!("neighbours: {}", flood.name);
            let seen = self.observe(&server, &neighbour, &flood).context(flood.name)?;
            peak = peak.max(server.process.peak()?);
            observed.push((flood.name, seen));
        }
        let long = match database {
            Database::Sqlite(_) => Some(writer_units::long_of_1000(&server)?),
            Database::Postgres { .. } => None,
        };
        sleep(A_WHILE);
        let memory = Memory { before, peak, afterwards: server.process.memory()? };
        Ok(Round { floods: observed, memory, long })
    }

    /// What the neighbour feels of one flood.
    fn observe(
        &self,
        server: &Botyard,
        neighbour: &Neighbour,
        flood: &Flood<'_>,
    ) -> Result<Observed> {
        let Botyard { process, address, .. } = server;
        settle(process)?;
        let seconds = self.setting.seconds.max(flood.seconds);
        let before = neighbour.measure(*address, seconds)?;
        process.forget_peak()?;
        let memory = process.memory()?;
        let running = (flood.start)()?;
        let (during, ended) = scope(|scope| {
            let during = scope.spawn(|| neighbour.measure(*address, seconds));
            sleep(Duration::from_secs(seconds.into()));
            // What the neighbour still waits for may take long.
            let ended = running.end();
            (during.join(), ended)
        });
        let during = during.map_err(|_| anyhow!("the neighbour came to a sudden end"))??;
        let ended = ended?;
        let growth = megabytes(process.peak()?.saturating_sub(memory));
        (flood.clean_up)().context("cleaning up")?;
        if let Some(failure) = before.failure().or_else(|| during.failure()) {
            eprintln!("neighbours: the first request that failed: {failure}");
        }
        Ok(Observed { before: before.into(), during: during.into(), growth, ended })
    }
}

/// A new server with the data of both projects, of which nothing is in its memory yet.
fn prepare(botyard: &Path, database: &Database) -> Result<(Botyard, Tenant, Neighbour)> {
    eprintln!("neighbours: filling in the data");
    let server = Botyard::start(botyard, database, &[&crawl::OPTIONS[..], &OPTIONS].concat())?;
    let neighbour = Neighbour::create(&server, botyard).context("the neighbour")?;
    let tenant = Tenant::create(&server, botyard).context("the tenant that floods")?;
    settle(&server.process)?;
    Ok((server.stop().start(botyard)?, tenant, neighbour))
}

/// Waits until the server has nothing more to do, which may take long after a flood.
fn settle(process: &Process) -> Result<()> {
    for _ in 1..LONGEST_WAIT {
        if process.settle().is_ok() {
            return Ok(());
        }
    }
    process.settle()
}

fn results(rounds: Vec<Round>) -> Results {
    let mut impacts: Vec<Impact> = Vec::new();
    let (mut before, mut afterwards) = (Vec::new(), Vec::new());
    let (mut growth, mut rest) = (Vec::new(), Vec::new());
    let (mut long_units, mut long_commits) = (Vec::new(), Vec::new());
    for Round { floods, memory, long } in rounds {
        if let Some(LongOf1000 { units, commits }) = long {
            long_units.push(units);
            long_commits.push(commits);
        }
        let sizes = [memory.before, memory.peak, memory.afterwards].map(megabytes);
        let [size_before, peak, size_afterwards] = sizes;
        before.push(size_before);
        growth.push(peak - size_before);
        afterwards.push(size_afterwards);
        rest.push(size_afterwards / size_before);
        for (name, observed) in floods {
            match impacts.iter_mut().find(|impact| impact.name == name) {
                Some(impact) => impact.rounds.push(observed),
                None => impacts.push(Impact { name, rounds: vec![observed] }),
            }
        }
    }
    let mut amounts = vec![
        Amount::unbounded("memory before all floods", ("MB", 1), before),
        Amount::worst("growth of its peak over all floods", ("MB", 1), growth, GROWTH_MAX),
        Amount::unbounded("memory a minute after all floods", ("MB", 1), afterwards),
        Amount::worst("the same ÷ before", ("", 2), rest, AFTERWARDS_MAX),
    ];
    if !long_units.is_empty() {
        for (name, long) in [
            ("units that held SQLite's writer for more than 50 ms, of 1 000", long_units),
            ("commits that did so, of 1 000", long_commits),
        ] {
            amounts.push(Amount::worst(name, ("", 2), long, writer_units::LONG_MAX));
        }
    }
    Results { impacts, amounts, ..Results::default() }
}
