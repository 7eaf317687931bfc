//! `cargo xtask test`

mod concept;
mod pooler;
mod postgres;
mod programs;
mod promtool;
mod run;
mod times;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::thread;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};
use test_postgres::{PGBOUNCER, PROGRAMS, Pooler};

pub use self::postgres::POSTGRES_URL;
use self::postgres::{Postgres, Source};
use self::programs::Built;
use self::times::Times;
use crate::features::{self, TESTED};
use crate::workspace::Workspace;
use crate::{openapi, secrets};

/// The server binary that the tests start.
const BINARY: &str = "BOTYARD_TEST_BINARY";
/// How many tests run at once at least. They wait for other processes, for the disk, and for jobs that come
/// in time, so two cores are busy only with many.
const AT_ONCE: usize = 8;
/// The stage that holds docs/openapi.json and docs/settings.md against the code.
const DOCUMENTS: &str = "generated documents";
/// The stage that runs what stands in documentation.
const EXAMPLES: &str = "examples in documentation";
/// The tests for those who implement a port, and the packages that run them.
const STORE_SUITE: &str = "store-suite";
const RUNS_STORE_SUITE: [&str; 2] = ["blob-store", "storage-diesel"];
/// The program of the tests that call the built server.
const BLACK_BOX_TESTS: &str = "botyard-tests/api";
/// The port of a pooler that stands before the server in all tests.
const POOLER: &str = "BOTYARD_TEST_POOLER";
/// Where the tests keep the logs of the servers that they started.
const LOGS: &str = "BOTYARD_TEST_LOGS";

/// Sets up all that the tests need and runs every test, on SQLite and on PostgreSQL.
///
/// PostgreSQL is the server that BOTYARD_TEST_POSTGRES_URL names (an account that may create
/// databases, as in postgres://user:password@host/postgres); if that is not set, a throw-away
/// server made from the installed programs, which is gone when the tests are over. As root on
/// Debian, programs that are missing get installed. The tests make and drop databases of their
/// own.
///
/// With everything else it checks that docs/openapi.json and docs/settings.md are what the code says
/// (`cargo xtask openapi` refreshes them).
///
/// After the tests have passed, the logs of the servers that they started are searched for tokens
/// and passwords. If something failed, the logs are kept. At the end stands how long each stage took, and
/// which tests were the slowest.
#[derive(Args)]
pub struct Test {
    /// Run the tests of one database only; the tests that need no database run as well.
    #[arg(long, value_enum)]
    only: Option<Database>,
    /// Put PgBouncer before PostgreSQL, where it pools by transaction, so that all go through it that can. Tests
    /// that look at sessions fail then.
    #[arg(long)]
    pgbouncer: bool,
    /// Test only this package (may be repeated).
    #[arg(long, short)]
    package: Vec<String>,
    /// Run only the tests of a concept, such as `skills`, or those whose name contains this.
    ///
    /// A concept is what a source file is called, in the singular or the plural; only the packages that
    /// have such a file are built and tested.
    filter: Option<String>,
    /// Arguments for the test programs, such as `--nocapture` or `--test-threads 2`.
    #[arg(last = true)]
    arguments: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Database {
    Sqlite,
    Postgres,
}

impl Test {
    pub fn run(&self, workspace: &Workspace) -> Result<()> {
        let source = match self.only {
            Some(Database::Sqlite) => None,
            Some(Database::Postgres) | None => Some(Source::find()?),
        };
        features::prepare()?;
        let mut times = Times::default();
        let (packages, filters) = self.selection(workspace);
        let built = times.stage("build", || Built::of(workspace, &packages))?;
        let postgres = times.stage("PostgreSQL", || source.map(Source::start).transpose())?;
        if let Some(left_out) = self.left_out() {
            println!("{left_out}");
        }
        let pooler = self.pooler(postgres.as_ref())?;
        let logs = fresh_folder(&workspace.target)?;
        let promtool = match built.programs.iter().any(|program| program.name == BLACK_BOX_TESTS) {
            true => times.stage("promtool", || promtool::find_or_fetch(&workspace.target))?,
            false => String::new(),
        };
        let path = |path: &Path| path.display().to_string();
        let pgbouncer = if postgres.is_some() { pooler::program()? } else { None };
        let programs = postgres.as_ref().and_then(|postgres| postgres.programs.as_deref());
        let variables = [
            (BINARY, path(built.server()?)),
            (LOGS, path(&logs)),
            (POSTGRES_URL, postgres.as_ref().map(|server| server.url.clone()).unwrap_or_default()),
            (promtool::PROMTOOL, promtool),
            (PROGRAMS, programs.map(path).unwrap_or_default()),
            (PGBOUNCER, pgbouncer.unwrap_or_default().to_owned()),
            (POOLER, pooler.as_ref().map(|pooler| pooler.port().to_string()).unwrap_or_default()),
        ];
        let mut failed = self.run_programs(&built, &filters, &variables, &mut times);
        if packages.is_empty() && filters.is_empty() {
            failed.extend(check_documents(workspace, &built, &mut times)?);
        }
        if !failed.is_empty()
            && let Some(cluster) = postgres.as_ref().and_then(|postgres| postgres.cluster.as_ref())
        {
            // If the log can't be copied, the failures are still reported.
            let _ = fs::copy(cluster.log(), logs.join("postgres.log"));
        }
        drop(pooler);
        drop(postgres);
        self.report(&times, &failed, &logs)
    }

    /// The pooler before the server, if there is to be one.
    fn pooler(&self, postgres: Option<&Postgres>) -> Result<Option<Pooler>> {
        match postgres.and_then(|postgres| postgres.cluster.as_ref()) {
            Some(cluster) if self.pgbouncer => pooler::start(cluster).map(Some),
            None if self.pgbouncer => bail!("--pgbouncer needs a throw-away PostgreSQL"),
            Some(_) | None => Ok(None),
        }
    }

    /// Runs the programs of tests; returns what has failed.
    fn run_programs(
        &self,
        built: &Built,
        filters: &[String],
        variables: &[(&str, String)],
        times: &mut Times,
    ) -> Vec<String> {
        let mut failed = Vec::new();
        let runs = built.programs.iter().flat_map(|program| {
            run::filters_of_runs(program, filters).into_iter().map(move |some| (program, some))
        });
        for (program, filters) in runs {
            let arguments = self.arguments(&filters);
            match times.stage(&program.name, || run::run(program, &arguments, variables)) {
                Ok(run) => {
                    times.tests(run.tests);
                    failed
                        .extend(run.failure.map(|failure| format!("{} ({failure})", program.name)));
                }
                Err(error) => failed.push(format!("{error:#}")),
            }
        }
        failed
    }

    /// Prints how long each stage took and what has failed, and searches the logs if nothing has.
    fn report(&self, times: &Times, failed: &[String], logs: &Path) -> Result<()> {
        print!("{}", times.table());
        if !failed.is_empty() {
            println!("\nfailed");
            times.failed().for_each(|name| println!("  {name}"));
            bail!("tests failed in {}, logs are in {}", failed.join(", "), logs.display());
        }
        if times.is_empty() {
            bail!("no test has run: none is chosen by that");
        }
        search_logs(logs)?;
        fs::remove_dir_all(logs).with_context(|| logs.display().to_string())?;
        match self.left_out() {
            None => println!("tests passed, on SQLite and on PostgreSQL"),
            Some(left_out) => println!("tests passed, but {left_out}"),
        }
        Ok(())
    }

    /// The packages that are built and tested, none for all of them, and what the names of tests contain,
    /// one of these.
    fn selection(&self, workspace: &Workspace) -> (Vec<String>, Vec<String>) {
        let mut packages = self.package.clone();
        let mut filters: Vec<_> = self.filter.iter().cloned().collect();
        if let Some(filter) = &self.filter {
            let concerned = concept::packages(workspace, filter);
            if !concerned.is_empty() {
                filters = concept::filters(filter);
            }
            if packages.is_empty() {
                packages = concerned;
            }
        }
        if packages.iter().any(|package| package == STORE_SUITE) {
            packages.extend(RUNS_STORE_SUITE.map(str::to_owned));
        }
        packages.sort();
        packages.dedup();
        (packages, filters)
    }

    /// The arguments of each program of tests.
    fn arguments(&self, filters: &[String]) -> Vec<String> {
        let mut arguments = filters.to_vec();
        // A test that runs on a database ends in its name: `bots::create::sqlite`.
        let other = match self.only {
            Some(Database::Sqlite) => Some("postgres"),
            Some(Database::Postgres) => Some("sqlite"),
            None => None,
        };
        arguments.extend(other.iter().flat_map(|word| ["--skip".to_owned(), (*word).to_owned()]));
        let is_chosen = self.arguments.iter().any(|given| given.starts_with("--test-threads"))
            || env::var_os("RUST_TEST_THREADS").is_some();
        if !is_chosen {
            let cores = thread::available_parallelism().map_or(1, usize::from);
            arguments.push(format!("--test-threads={}", AT_ONCE.max(cores)));
        }
        arguments.extend(self.arguments.iter().cloned());
        arguments
    }

    fn left_out(&self) -> Option<&'static str> {
        match self.only {
            None => None,
            Some(Database::Sqlite) => Some("the PostgreSQL tests do NOT run (--only sqlite)"),
            Some(Database::Postgres) => Some("the SQLite tests do NOT run (--only postgres)"),
        }
    }
}

/// Holds the generated documents against the code, and runs the examples in documentation; returns what has failed.
fn check_documents(workspace: &Workspace, built: &Built, times: &mut Times) -> Result<Vec<String>> {
    let server = built.server()?;
    let stale = times.stage(DOCUMENTS, || openapi::stale(workspace, server));
    let stale = stale.unwrap_or_else(|error| vec![format!("{error:#}")]);
    stale.iter().for_each(|finding| println!("{finding}"));
    let examples = ["test", "--workspace", "--doc", "--quiet", "--features", TESTED];
    let run = times.stage(EXAMPLES, || features::run_cargo(workspace, &examples));
    let failed = [(!stale.is_empty(), DOCUMENTS), (run.is_err(), EXAMPLES)];
    Ok(failed
        .iter()
        .filter(|(has_failed, _)| *has_failed)
        .map(|(_, name)| (*name).to_owned())
        .collect())
}

/// A new folder for the logs of this run; runs beside each other have one each.
fn fresh_folder(target: &Path) -> Result<PathBuf> {
    let folder = target.join("test-logs").join(process::id().to_string());
    let context = || folder.display().to_string();
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(context)?;
    }
    fs::create_dir_all(&folder).with_context(context)?;
    Ok(folder)
}

fn search_logs(logs: &Path) -> Result<()> {
    let search = secrets::search(logs)?;
    for finding in &search.findings {
        eprintln!("{finding}");
    }
    if !search.findings.is_empty() {
        let found = anyhow!("the servers wrote secrets to their logs, in the lines above");
        return Err(found.context(kept(logs)));
    }
    println!("no secrets in the {} log files of the servers", search.files);
    Ok(())
}

fn kept(logs: &Path) -> String {
    format!("tests failed, logs are in {}", logs.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(only: Option<Database>, filter: Option<&str>) -> Test {
        Test {
            only,
            pgbouncer: false,
            package: Vec::new(),
            filter: filter.map(str::to_owned),
            arguments: vec!["--nocapture".to_owned()],
        }
    }

    #[test]
    fn a_database_and_a_name_choose_tests() {
        for (only, filter, expected) in [
            (None, None, ""),
            (Some(Database::Sqlite), Some("bots"), "bots --skip postgres "),
            (Some(Database::Postgres), None, "--skip sqlite "),
        ] {
            let filters: Vec<_> = filter.iter().map(ToString::to_string).collect();
            let arguments = test(only, filter).arguments(&filters);
            let arguments: Vec<_> = arguments
                .into_iter()
                .filter(|argument| !argument.starts_with("--test-threads="))
                .collect();
            assert_eq!(arguments.join(" "), format!("{expected}--nocapture"));
        }
    }

    #[test]
    fn a_concept_chooses_packages() {
        let workspace = Workspace::find().unwrap();
        let chosen = |filter| test(None, filter).selection(&workspace);
        assert_eq!(chosen(None), (Vec::new(), Vec::new()));
        let name = "a_name_in_no_file";
        assert_eq!(chosen(Some(name)), (Vec::new(), vec![name.to_owned()]));
        let (packages, filters) = chosen(Some("skills"));
        for package in ["domain", "storage-diesel"] {
            assert!(packages.contains(&package.to_owned()), "{packages:?}");
        }
        assert_eq!(filters, ["skill::", "skills::"]);
    }

    #[test]
    fn logs_with_a_secret_fail_and_stay() {
        let target = tempfile::tempdir().unwrap();
        let logs = fresh_folder(target.path()).unwrap();
        fs::write(logs.join("server.log"), "all is well\n").unwrap();
        search_logs(&logs).unwrap();
        fs::write(logs.join("server.log"), "password botpw-1\n").unwrap();
        let error = format!("{:#}", search_logs(&logs).unwrap_err());
        assert!(error.contains("secrets") && error.contains("logs are in"), "{error}");
        assert!(!error.contains("botpw"), "{error}");
        assert!(fresh_folder(target.path()).unwrap().read_dir().unwrap().next().is_none());
    }
}
