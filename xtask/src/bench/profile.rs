//! `cargo xtask profile`

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context as _, Result, anyhow};
use clap::{Args, ValueEnum};

use crate::bench::cases;
use crate::bench::load::Wrk;
use crate::bench::measurement::Measurement;
use crate::bench::postgres::Postgres;
use crate::bench::process::Process;
use crate::bench::server::{Botyard, Database};
use crate::bench::setting::{Programs, READERS, Setting, WRITERS, folder};
use crate::debian;
use crate::workspace::{Workspace, cargo, check};

/// The programs that make a flame graph of what perf has recorded. They are programs and no dependency, because
/// their licence is not among ours.
const INFERNO: &str = "inferno@0.12.8";
/// How much of a line is shown of each function.
const LINE: usize = 110;
/// Samples a second: no multiple of what a timer may do.
const FREQUENCY: &str = "997";

/// Shows where the server spends its time on a request: a flame graph and the functions that took most.
///
/// botyard is built as a release and put under load by wrk, as `cargo xtask bench` does, while perf records the
/// stacks of its threads. It works where perf may: as root, or with `kernel.perf_event_paranoid` at most 1.
#[derive(Args)]
pub struct Profile {
    /// The request, by its name in the benchmark.
    #[arg(value_enum, value_name = "NAME")]
    request: Profiled,
    /// How long it is recorded, in seconds.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=60))]
    seconds: u32,
    /// On PostgreSQL instead of SQLite.
    #[arg(long)]
    postgres: bool,
}

/// What can be recorded.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Profiled {
    Checkauth,
    GetBot,
    PutBot,
    ListSkills,
    PutSkill,
    GetEntry,
    PutEntry,
}

impl Profiled {
    const fn what(self) -> Measurement {
        match self {
            Self::Checkauth => Measurement::Checkauth,
            Self::GetBot => Measurement::GetBot,
            Self::PutBot => Measurement::PutBot,
            Self::ListSkills => Measurement::ListSkills,
            Self::PutSkill => Measurement::PutSkill,
            Self::GetEntry => Measurement::GetEntry,
            Self::PutEntry => Measurement::PutEntry,
        }
    }
}

impl Profile {
    pub fn run(&self, workspace: &Workspace) -> Result<()> {
        debian::find_or_install_from("linux-perf", "perf")?;
        let wrk = Wrk::find_or_install()?;
        let inferno = inferno(workspace)?;
        let botyard = workspace.build(&["--release", "-p", "botyard-server"], "botyard")?;
        let floor = PathBuf::new();
        let folder = workspace.target.join("profile");
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let setting = Setting {
            programs: Programs { botyard, floor, wrk },
            folder: folder.join(std::process::id().to_string()),
            seconds: self.seconds,
            rounds: 1,
            only: vec![self.request.what()],
            flood: String::new(),
        };
        let recorded = self.record(&setting)?;
        let name = self.request.to_possible_value().map(|value| value.get_name().to_owned());
        let graph = folder.join(format!("{}.svg", name.unwrap_or_default()));
        draw(&recorded, &inferno, &graph)?;
        report(&recorded)?;
        println!("{}", graph.display());
        fs::remove_dir_all(&setting.folder).with_context(|| setting.folder.display().to_string())
    }

    /// Records the stacks of a server that is asked as often as it answers.
    fn record(&self, setting: &Setting) -> Result<PathBuf> {
        let place = folder(&setting.folder, "server")?;
        let postgres = self.postgres.then(|| Postgres::start(false)).transpose()?;
        let database = match &postgres {
            None => Database::Sqlite(place),
            Some(postgres) => Database::Postgres { url: postgres.cluster.url(), folder: place },
        };
        let server = Botyard::start(&setting.programs.botyard, &database, &[])?;
        let case = cases::all(setting, &server, None)?.pop();
        let request = case.ok_or_else(|| anyhow!("there is no such request"))?.request;
        let connections = if request.body.is_some() { WRITERS } else { READERS };
        let load = |seconds| {
            let wrk = &setting.programs.wrk;
            wrk.run(server.address, &request, connections, seconds, &setting.folder)
        };
        load(1)?;
        let recorded = setting.folder.join("perf.data");
        thread::scope(|scope| {
            let recording = scope.spawn(|| perf_record(&server.process, self.seconds, &recorded));
            // Longer than the recording, which takes a moment to begin.
            let loaded = load(self.seconds + 1);
            let recording = recording.join().map_err(|_| anyhow!("the recording panicked"))?;
            loaded.and(recording)
        })?;
        Ok(recorded)
    }
}

fn perf_record(server: &Process, seconds: u32, to: &Path) -> Result<()> {
    let status = Command::new("perf")
        .args(["record", "-q", "-F", FREQUENCY, "--call-graph", "dwarf,16384"])
        .args(["-p", &server.id().to_string(), "-o"])
        .arg(to)
        .args(["--", "sleep", &seconds.to_string()])
        .stdin(Stdio::null())
        .status()
        .context("perf can't be started")?;
    check("perf record", status)
}

/// Where the programs of inferno are; installs them if need be.
fn inferno(workspace: &Workspace) -> Result<PathBuf> {
    let root = workspace.target.join("tools");
    let status = cargo()
        .args(["install", "--quiet", "--locked", INFERNO, "--root"])
        .arg(&root)
        .stdin(Stdio::null())
        .status()
        .context("cargo can't be started")?;
    check("cargo install inferno", status)?;
    Ok(root.join("bin"))
}

/// Draws the flame graph of what was recorded.
fn draw(recorded: &Path, inferno: &Path, graph: &Path) -> Result<()> {
    let mut script = Command::new("perf");
    // Functions that the compiler has put into others are left there: to tell them apart takes minutes.
    script.args(["script", "--no-inline", "-i"]).arg(recorded);
    let stacks = recorded.with_extension("stacks");
    let folded = recorded.with_extension("folded");
    run("perf script", &mut script, &stacks)?;
    let collapse = inferno.join("inferno-collapse-perf");
    run("inferno-collapse-perf", Command::new(collapse).arg(&stacks), &folded)?;
    let flamegraph = inferno.join("inferno-flamegraph");
    run("inferno-flamegraph", Command::new(flamegraph).arg(&folded), graph)
}

/// Prints the functions that took most of the time themselves.
fn report(recorded: &Path) -> Result<()> {
    let mut report = Command::new("perf");
    report.args(["report", "--stdio", "--no-inline", "--no-children", "-g", "none", "-i"]);
    report.arg(recorded).args(["--sort", "symbol", "--percent-limit", "1"]);
    let text = recorded.with_extension("report");
    run("perf report", &mut report, &text)?;
    let text = fs::read_to_string(&text).with_context(|| text.display().to_string())?;
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        // Columns that are empty here follow, behind blanks for the longest name.
        let line: String = line.chars().take(LINE).collect();
        println!("{}", line.trim_end());
    }
    Ok(())
}

/// Runs a program whose output goes to a file.
fn run(name: &str, command: &mut Command, output: &Path) -> Result<()> {
    let file = File::create(output).with_context(|| output.display().to_string())?;
    let command = command.stdin(Stdio::null()).stdout(file).stderr(Stdio::null());
    check(name, command.status().with_context(|| format!("{name} can't be started"))?)
}
