//! `cargo xtask test`

mod concept;
mod postgres;
mod programs;
mod run;
mod times;

use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};

pub use self::postgres::POSTGRES_URL;
use self::postgres::Source;
use self::programs::Built;
use self::times::Times;
use crate::workspace::Workspace;
use crate::{openapi, secrets};

/// The server binary that the tests start.
const BINARY: &str = "BOTYARD_TEST_BINARY";
/// More than there are cores: tests wait for other processes, for the disk, and for jobs that come in time.
const AT_ONCE: &str = "--test-threads=8";
/// The stage that holds docs/openapi.json and docs/settings.md against the code.
const DOCUMENTS: &str = "generated documents";
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
        let mut times = Times::default();
        let (packages, filter) = self.selection(workspace);
        let built = times.stage("build", || Built::of(workspace, &packages))?;
        let postgres = times.stage("PostgreSQL", || source.map(Source::start).transpose())?;
        if let Some(left_out) = self.left_out() {
            println!("{left_out}");
        }
        let logs = fresh_folder(&workspace.target)?;
        let path = |path: &Path| path.display().to_string();
        let url = postgres.as_ref().map(|postgres| postgres.url.clone());
        let variables = [
            (BINARY, path(built.server()?)),
            (LOGS, path(&logs)),
            (POSTGRES_URL, url.unwrap_or_default()),
        ];
        let mut failed = Vec::new();
        for program in &built.programs {
            let arguments = self.arguments(filter.as_deref());
            let run = times.stage(&program.name, || run::run(program, &arguments, &variables))?;
            times.tests(run.tests);
            if !run.passed {
                failed.push(program.name.clone());
            }
        }
        if packages.is_empty() && filter.is_none() {
            let documents =
                times.stage(DOCUMENTS, || openapi::stale(workspace, built.server()?))?;
            documents.iter().for_each(|finding| println!("{finding}"));
            failed.extend((!documents.is_empty()).then(|| DOCUMENTS.to_owned()));
            let examples = ["test", "--workspace", "--doc", "--quiet"];
            let run = times.stage("examples in documentation", || workspace.cargo(&examples));
            failed.extend(run.is_err().then(|| "examples in documentation".to_owned()));
        }
        if !failed.is_empty()
            && let Some(cluster) = postgres.as_ref().and_then(|postgres| postgres.cluster.as_ref())
        {
            fs::copy(cluster.log(), logs.join("postgres.log")).context("PostgreSQL's log")?;
        }
        drop(postgres);
        print!("{}", times.table());
        if !failed.is_empty() {
            println!("\nfailed");
            times.failed().for_each(|name| println!("  {name}"));
            bail!("tests failed in {}, logs are in {}", failed.join(", "), logs.display());
        }
        search_logs(&logs)?;
        fs::remove_dir_all(&logs).with_context(|| logs.display().to_string())?;
        match self.left_out() {
            None => println!("tests passed, on SQLite and on PostgreSQL"),
            Some(left_out) => println!("tests passed, but {left_out}"),
        }
        Ok(())
    }

    /// The packages that are built and tested, none for all of them, and what the names of tests contain.
    fn selection(&self, workspace: &Workspace) -> (Vec<String>, Option<String>) {
        let Some(filter) = &self.filter else {
            return (self.package.clone(), None);
        };
        let concerned = concept::packages(workspace, filter);
        if concerned.is_empty() {
            return (self.package.clone(), Some(filter.clone()));
        }
        let packages = if self.package.is_empty() { concerned } else { self.package.clone() };
        (packages, Some(concept::singular(filter).to_owned()))
    }

    /// The arguments of each program of tests.
    fn arguments(&self, filter: Option<&str>) -> Vec<String> {
        let mut arguments: Vec<&str> = filter.into_iter().collect();
        // A test that runs on a database ends in its name: `bots::create::sqlite`.
        match self.only {
            Some(Database::Sqlite) => arguments.extend(["--skip", "postgres"]),
            Some(Database::Postgres) => arguments.extend(["--skip", "sqlite"]),
            None => {}
        }
        if !self.arguments.iter().any(|argument| argument.starts_with("--test-threads")) {
            arguments.push(AT_ONCE);
        }
        arguments.extend(self.arguments.iter().map(String::as_str));
        arguments.into_iter().map(str::to_owned).collect()
    }

    fn left_out(&self) -> Option<&'static str> {
        match self.only {
            None => None,
            Some(Database::Sqlite) => Some("the PostgreSQL tests do NOT run (--only sqlite)"),
            Some(Database::Postgres) => Some("the SQLite tests do NOT run (--only postgres)"),
        }
    }
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
            let expected = format!("{expected}{AT_ONCE} --nocapture");
            assert_eq!(test(only, filter).arguments(filter).join(" "), expected);
        }
    }

    #[test]
    fn a_concept_chooses_packages() {
        let workspace = Workspace::find().unwrap();
        let chosen = |filter| test(None, filter).selection(&workspace);
        assert_eq!(chosen(None), (Vec::new(), None));
        let name = "a_name_in_no_file";
        assert_eq!(chosen(Some(name)), (Vec::new(), Some(name.to_owned())));
        let (packages, filter) = chosen(Some("skills"));
        assert!(packages.contains(&"domain".to_owned()), "{packages:?}");
        assert_eq!(filter.as_deref(), Some("skill"));
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
