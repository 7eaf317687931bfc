//! `cargo xtask bench`
//!
//! A figure is a ratio of two sides that are put under load in turn (`rounds`): botyard (`server`) and the floor
//! (`figures`, for the requests in `cases`), botyard with another setting, or another program (`pgbench`, `sqlite3`).
//! The load is mostly wrk's (`load`); it gets the same requests that were tried out before (`request`). What is more
//! than a request has a file of its own: `upload`, `duplicate`, `crawl` (of a `site` made of `site_page`s, beside
//! `wget`, and beside a `steady` load), `documents` (each a `document` that came as a `form`, one of them a `pdf` that
//! `pdftotext` reads, too), `lists` that are sorted and filtered (of `list_rows`), `event_streams`, `webhooks`, for
//! key-value entries `entry_list`, `entry_among_many`, `teardown` and `start`, and `neighbours`, which is what one
//! project feels of another. `content` fills bots through the API, `entries` in the database itself; `words` are what
//! made-up texts consist of; `report` is what comes of it.

mod archive;
mod cases;
mod content;
mod cost;
mod crawl;
mod document;
mod documents;
mod duplicate;
mod entries;
mod entry;
mod entry_among_many;
mod entry_list;
mod event_streams;
mod figures;
mod form;
mod list_rows;
mod lists;
mod load;
mod low_priority;
mod machine;
mod measurement;
mod neighbours;
mod noise;
mod pdf;
mod pdftotext;
mod pgbench;
mod pgbench_bots;
mod postgres;
mod process;
mod processor_groups;
mod profile;
mod report;
mod request;
mod rounds;
mod samples;
mod server;
mod setting;
mod site;
mod site_page;
mod sqlite3;
mod start;
mod steady;
mod teardown;
mod upload;
mod webhooks;
mod wget;
mod words;

use std::fs;

use anyhow::{Context as _, Result};
use clap::Args;

use crate::bench::load::Wrk;
use crate::bench::measurement::Measurement;
use crate::bench::pgbench::Pgbench;
use crate::bench::postgres::Postgres;
use crate::bench::processor_groups::Ungrouped;
use crate::bench::report::{Amount, Report, Results, Section, megabytes};
use crate::bench::setting::{Programs, Setting, folder};
use crate::debian;
use crate::workspace::Workspace;

pub use crate::bench::form::{FormFile, content as form};
pub use crate::bench::profile::Profile;
pub use crate::bench::server::{Botyard, Database};

/// Measures how fast botyard is, in ratios that can be compared between machines.
///
/// The other side of most ratios is a floor: a minimal server that answers the very same bytes
/// without looking anything up. Both sides are built as packages are and put under load in turn, by wrk
/// (as root on Debian it gets installed, and what else is needed: zip, which makes packages, sqlite3,
/// wget, pdftotext and PostgreSQL). The report is Markdown, made to be pasted into docs/benchmarks.md.
/// Nothing else should run on the machine meanwhile.
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
    only: Vec<Measurement>,
    /// Of the neighbours, measure only the floods whose name contains this.
    #[arg(long, value_name = "PART")]
    flood: Option<String>,
    /// The profile of cargo with which both sides are built; `release` is built faster than `dist`.
    #[arg(long, default_value = "dist", value_name = "NAME")]
    profile: String,
}

/// What is asked of a server that has been running for a while, on each database.
const ON_EACH: [Measurement; 8] = [
    Measurement::Checkauth,
    Measurement::GetBot,
    Measurement::PutBot,
    Measurement::ListSkills,
    Measurement::PutSkill,
    Measurement::Duplicate,
    Measurement::GetEntry,
    Measurement::PutEntry,
];
/// What is also measured against what PostgreSQL's own program does.
const BESIDE_PGBENCH: [Measurement; 4] =
    [Measurement::GetEntry, Measurement::PutEntry, Measurement::GetBot, Measurement::PutBot];
const ON_POSTGRES: &str = "PostgreSQL on the same machine, durable commits";
/// What a server that has nothing to do may hold, in MB.
const IDLE_MAX: f64 = 32.0;

impl Bench {
    pub fn run(&self, workspace: &Workspace) -> Result<()> {
        debian::find_or_install("strace")?;
        let wrk = Wrk::find_or_install()?;
        let profile = ["--profile", &self.profile];
        let build = |package: &[&str], name| workspace.build(&[&profile, package].concat(), name);
        let botyard = build(&["-p", "botyard-server"], "botyard")?;
        let floor = build(&["-p", "botyard-http-actix", "--example", "floor"], "floor")?;
        let folder = workspace.target.join("bench").join(std::process::id().to_string());
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let setting = Setting {
            programs: Programs { botyard, floor, wrk },
            folder: folder.clone(),
            seconds: self.seconds,
            rounds: self.rounds,
            only: self.only.clone(),
            flood: self.flood.clone().unwrap_or_default(),
        };
        let ungrouped = Ungrouped::begin();
        let report = self.measure(workspace, &setting);
        drop(ungrouped);
        let report = report.with_context(|| format!("what there is lies in {}", folder.display()));
        println!("{}", report?);
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())
    }

    fn measure(&self, workspace: &Workspace, setting: &Setting) -> Result<Report> {
        let mut report = Report::begin(workspace, self.seconds, self.rounds)?;
        let results = on_sqlite(setting)?;
        if !results.is_empty() {
            let title = "SQLite, `synchronous=FULL`, defaults";
            report.sections.push(Section { title, measured: Ok(results) });
        }
        if setting.wants_any(&ON_EACH) {
            let sections = match Postgres::start(self.sqlite_only) {
                Ok(postgres) => on_postgres(setting, &postgres)?,
                Err(reason) => {
                    vec![Section { title: ON_POSTGRES, measured: Err(format!("{reason:#}")) }]
                }
            };
            report.sections.extend(sections);
        }
        if setting.wants(Measurement::Crawl) {
            let postgres = || Postgres::start(self.sqlite_only);
            report.sections.extend(crawl::measure(setting, postgres)?);
        }
        if setting.wants(Measurement::Documents) {
            let postgres = || Postgres::start(self.sqlite_only);
            report.sections.extend(documents::measure(setting, postgres)?);
        }
        if setting.wants(Measurement::Lists) {
            let postgres = || Postgres::start(self.sqlite_only);
            report.sections.extend(lists::measure(setting, postgres)?);
        }
        if setting.wants(Measurement::EventStreams) {
            let postgres = || Postgres::start(self.sqlite_only);
            report.sections.extend(event_streams::measure(setting, postgres)?);
        }
        if setting.wants(Measurement::Webhooks) {
            let postgres = || Postgres::start(self.sqlite_only);
            report.sections.extend(webhooks::measure(setting, postgres)?);
        }
        if setting.wants(Measurement::Neighbours) {
            let postgres = || Postgres::start(self.sqlite_only);
            report.sections.extend(neighbours::measure(setting, postgres)?);
        }
        Ok(report)
    }
}

/// All that there is, with the settings' defaults.
fn on_sqlite(setting: &Setting) -> Result<Results> {
    let mut results = Results::default();
    if setting.wants(Measurement::Idle) {
        results.amounts.push(memory_when_idle(setting)?);
    }
    if setting.wants_any(&ON_EACH) {
        let start = |name, options: &[&str]| {
            let database = Database::Sqlite(folder(&setting.folder, name)?);
            Botyard::start(&setting.programs.botyard, &database, options)
        };
        let botyard = start("sqlite", &[])?;
        let single = setting.wants_any(&[Measurement::PutBot, Measurement::PutEntry]);
        let single = single.then(|| start("single", &["--limits-write-batch", "1"])).transpose()?;
        results.extend(on_each(setting, &botyard, single.as_ref())?);
    }
    if setting.wants(Measurement::Upload) {
        results.extend(upload::measure(setting)?);
    }
    if setting.wants(Measurement::ListEntries) {
        results.extend(entry_list::measure(setting)?);
    }
    if setting.wants(Measurement::ManyEntries) {
        results.figures.extend(entry_among_many::measure(setting)?);
    }
    if setting.wants(Measurement::TeardownEntries) {
        results.figures.push(teardown::measure(setting)?);
    }
    if setting.wants(Measurement::Start) {
        results.amounts.push(start::measure(setting)?);
    }
    Ok(results)
}

/// What depends on the database. Only the ratios to pgbench have targets here.
fn on_postgres(setting: &Setting, postgres: &Postgres) -> Result<Vec<Section>> {
    let folder = folder(&setting.folder, "postgres")?;
    let url = postgres.cluster.url();
    let database = Database::Postgres { url: url.clone(), folder };
    let botyard = Botyard::start(&setting.programs.botyard, &database, &[])?;
    let mut results = on_each(setting, &botyard, None)?;
    for figure in &mut results.figures {
        figure.target = None;
    }
    let mut sections = vec![Section { title: ON_POSTGRES, measured: Ok(results) }];
    if setting.wants_any(&BESIDE_PGBENCH) {
        let measured = match Pgbench::find(&postgres.programs, url, &botyard.folder) {
            Ok(pgbench) => {
                let figures = pgbench.measure(setting, &botyard)?;
                Ok(Results { figures, ..Results::default() })
            }
            Err(reason) => Err(format!("{reason:#}")),
        };
        sections.push(Section { title: "The same PostgreSQL beside pgbench", measured });
    }
    Ok(sections)
}

fn on_each(setting: &Setting, botyard: &Botyard, single: Option<&Botyard>) -> Result<Results> {
    let mut results = figures::under_load(setting, botyard, single)?;
    if setting.wants(Measurement::Duplicate) {
        results.amounts.extend(duplicate::measure(setting, botyard)?);
    }
    Ok(results)
}

/// The memory of a server that was just started and has nothing to do.
fn memory_when_idle(setting: &Setting) -> Result<Amount> {
    let database = Database::Sqlite(folder(&setting.folder, "idle")?);
    let server = Botyard::start(&setting.programs.botyard, &database, &[])?;
    server.process.settle()?;
    let memory = megabytes(server.process.memory()?);
    Ok(Amount::median("memory when idle, after start", ("MB", 1), vec![memory], IDLE_MAX))
}
