//! `cargo xtask bench`
//!
//! A figure is a ratio of two sides that are put under load in turn (`rounds`): botyard (`server`)
//! and the floor, or botyard with another setting (`figures`). The load is wrk's (`load`); it gets
//! the same requests that were tried out before (`request`). What wrk can't do has a file of its own:
//! `upload` and `duplicate`. `content` fills the bots, `report` is what comes of it.

mod archive;
mod content;
mod duplicate;
mod figures;
mod load;
mod machine;
mod noise;
mod process;
mod report;
mod request;
mod rounds;
mod server;
mod tools;
mod upload;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};

use crate::bench::figures::{Programs, Setting};
use crate::bench::load::Wrk;
use crate::bench::report::{Amount, Report, Results, Section, megabytes};
use crate::bench::server::{Botyard, Database};
use crate::cluster::{Account, Cluster};
use crate::programs;
use crate::workspace::Workspace;

/// Measures how fast botyard is, in ratios that can be compared between machines.
///
/// The other side of most ratios is a floor: a minimal server that answers the very same bytes
/// without looking anything up. Both sides are built as a release and put under load in turn, by wrk
/// (as root on Debian it gets installed, and zip, which makes packages). The report is Markdown, made
/// to be pasted into docs/benchmarks.md. Nothing else should run on the machine meanwhile.
#[derive(Args)]
pub struct Bench {
    /// How long each load lasts, in seconds.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=60))]
    seconds: u32,
    /// How many times the sides take turns; the result is the median.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
    /// Leave PostgreSQL out.
    #[arg(long)]
    sqlite_only: bool,
    /// Measure only this; several are separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAME")]
    only: Vec<What>,
}

/// What can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// The memory that a server takes when it is idle.
    Idle,
    /// Requests of checkauth.
    Checkauth,
    /// Reading a bot.
    GetBot,
    /// Changing a bot, and what group commit brings.
    PutBot,
    /// Reading all skills of a bot.
    ListSkills,
    /// Changing skills of one bot and of many.
    PutSkill,
    /// Uploading packages of 200 MB: speed and memory.
    Upload,
    /// Duplicating a large bot.
    Duplicate,
}

/// What is asked of a server that has been running for a while, on each database.
const ON_EACH: [What; 6] = [
    What::Checkauth,
    What::GetBot,
    What::PutBot,
    What::ListSkills,
    What::PutSkill,
    What::Duplicate,
];
/// What a server that has nothing to do may hold, in MB.
const IDLE_MAX: f64 = 40.0;

impl Bench {
    pub fn run(&self, workspace: &Workspace) -> Result<()> {
        let wrk = Wrk::find_or_install()?;
        let botyard = workspace.build(&["--release", "-p", "server"], "botyard")?;
        let floor =
            workspace.build(&["--release", "-p", "http-actix", "--example", "floor"], "floor")?;
        let folder = workspace.target.join("bench").join(std::process::id().to_string());
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let setting = Setting {
            programs: Programs { botyard, floor, wrk },
            folder: folder.clone(),
            seconds: self.seconds,
            rounds: self.rounds,
            only: self.only.clone(),
        };
        let report = self.measure(workspace, &setting);
        let report = report.with_context(|| format!("what there is lies in {}", folder.display()));
        println!("{}", report?);
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())
    }

    fn measure(&self, workspace: &Workspace, setting: &Setting) -> Result<Report> {
        let mut report = Report::begin(workspace, self.seconds, self.rounds)?;
        report.sections.push(Section {
            title: "SQLite, `synchronous=FULL`, defaults",
            measured: Ok(on_sqlite(setting)?),
        });
        if setting.wants_any(&ON_EACH) {
            let measured = match cluster(self.sqlite_only) {
                Ok(cluster) => Ok(on_postgres(setting, &cluster)?),
                Err(reason) => Err(format!("{reason:#}")),
            };
            let title = "PostgreSQL on the same machine, durable commits";
            report.sections.push(Section { title, measured });
        }
        Ok(report)
    }
}

/// All that there is, with the settings' defaults.
fn on_sqlite(setting: &Setting) -> Result<Results> {
    let mut results = Results::default();
    if setting.wants(What::Idle) {
        results.amounts.push(memory_when_idle(setting)?);
    }
    if setting.wants_any(&ON_EACH) {
        let start = |name, options: &[&str]| {
            let database = Database::Sqlite(folder(&setting.folder, name)?);
            Botyard::start(&setting.programs.botyard, &database, options)
        };
        let botyard = start("sqlite", &[])?;
        let single = setting.wants(What::PutBot);
        let single = single.then(|| start("single", &["--limits-write-batch", "1"])).transpose()?;
        results.extend(on_each(setting, &botyard, single.as_ref())?);
    }
    if setting.wants(What::Upload) {
        results.extend(upload::measure(setting)?);
    }
    Ok(results)
}

/// What depends on the database. The ratios have no targets here.
fn on_postgres(setting: &Setting, cluster: &Cluster) -> Result<Results> {
    let folder = folder(&setting.folder, "postgres")?;
    let database = Database::Postgres { url: cluster.url(), folder };
    let botyard = Botyard::start(&setting.programs.botyard, &database, &[])?;
    let mut results = on_each(setting, &botyard, None)?;
    for figure in &mut results.figures {
        figure.target = None;
    }
    Ok(results)
}

fn on_each(setting: &Setting, botyard: &Botyard, single: Option<&Botyard>) -> Result<Results> {
    let figures = figures::under_load(setting, botyard, single)?;
    let duplicate = setting.wants(What::Duplicate);
    let amounts = duplicate.then(|| duplicate::measure(setting, botyard)).transpose()?;
    Ok(Results { figures, amounts: amounts.unwrap_or_default() })
}

/// The memory of a server that was just started and has nothing to do.
fn memory_when_idle(setting: &Setting) -> Result<Amount> {
    let database = Database::Sqlite(folder(&setting.folder, "idle")?);
    let server = Botyard::start(&setting.programs.botyard, &database, &[])?;
    server.process.settle()?;
    let memory = megabytes(server.process.memory()?);
    Ok(Amount::median("memory when idle, after start", ("MB", 1), vec![memory], IDLE_MAX))
}

/// The PostgreSQL to measure, or why there is none.
fn cluster(left_out: bool) -> Result<Cluster> {
    if left_out {
        anyhow::bail!("it was left out (--sqlite-only)");
    }
    let programs = programs::find_or_install()?;
    Cluster::start_durable(&programs, Account::for_server()?.as_ref())
}

/// A new folder in another one.
fn folder(parent: &Path, name: &str) -> Result<PathBuf> {
    let folder = parent.join(name);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    Ok(folder)
}
