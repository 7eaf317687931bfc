//! `cargo xtask bench`
//!
//! Every figure is a ratio of two sides that are put under load in turn (`rounds`): botyard (`server`)
//! and the floor, or botyard with another setting (`figures`). The load is wrk's (`load`); it gets
//! the same requests that were tried out before (`request`). `report` is what comes of it.

mod figures;
mod load;
mod machine;
mod noise;
mod process;
mod report;
mod request;
mod rounds;
mod server;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;

use crate::bench::figures::{Programs, Setting};
use crate::bench::load::Wrk;
use crate::bench::report::{Report, Section};
use crate::bench::server::{Botyard, Database};
use crate::cluster::{Account, Cluster};
use crate::programs;
use crate::workspace::Workspace;

/// Measures how fast botyard is, in ratios that can be compared between machines.
///
/// The other side of each ratio is a floor: a minimal server that answers the very same bytes
/// without looking anything up. Both sides are built as a release and put under load in turn, by wrk
/// (as root on Debian it gets installed). The report is Markdown, made to be pasted into
/// docs/benchmarks.md. Nothing else should run on the machine meanwhile.
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
}

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
        };
        let report = self.measure(workspace, &setting);
        let report = report.with_context(|| format!("what there is lies in {}", folder.display()));
        println!("{}", report?);
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())
    }

    fn measure(&self, workspace: &Workspace, setting: &Setting) -> Result<Report> {
        let mut report = Report::begin(workspace, self.seconds, self.rounds)?;
        report.memory = Some(memory_when_idle(setting)?);
        report.sections.push(Section {
            title: "SQLite, `synchronous=FULL`, defaults",
            measured: Ok(figures::on_sqlite(setting)?),
        });
        let measured = match cluster(self.sqlite_only) {
            Ok(cluster) => Ok(figures::on_postgres(setting, &cluster)?),
            Err(reason) => Err(format!("{reason:#}")),
        };
        report
            .sections
            .push(Section { title: "PostgreSQL on the same machine, durable commits", measured });
        Ok(report)
    }
}

/// How many bytes of memory a server holds that was just started and has nothing to do.
fn memory_when_idle(setting: &Setting) -> Result<u64> {
    let database = Database::Sqlite(folder(&setting.folder, "idle")?);
    let server = Botyard::start(&setting.programs.botyard, &database, &[])?;
    server.process.settle()?;
    server.process.memory()
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
