//! `cargo xtask test`

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::{Args, ValueEnum};

use crate::cluster::{Account, Cluster};
use crate::workspace::{Workspace, cargo, check};
use crate::{programs, secrets};

/// A server for the tests, as a URL of someone who may create databases.
pub const POSTGRES_URL: &str = "BOTYARD_TEST_POSTGRES_URL";
/// The server binary that the tests start.
const BINARY: &str = "BOTYARD_TEST_BINARY";
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
/// After the tests have passed, the logs of the servers that they started are searched for tokens
/// and passwords. If something failed, the logs are kept.
#[derive(Args)]
pub struct Test {
    /// Run the tests of one database only; the tests that need no database run as well.
    #[arg(long, value_enum)]
    only: Option<Database>,
    /// Test only this package (may be repeated).
    #[arg(long, short)]
    package: Vec<String>,
    /// Run only the tests whose name contains this.
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
        let binary = workspace.build_server()?;
        let postgres = source.map(Source::start).transpose()?;
        if let Some(left_out) = self.left_out() {
            println!("{left_out}");
        }
        let logs = fresh_folder(&workspace.target)?;
        let mut tests = cargo();
        tests
            .args(["test", "--all-features", "--no-fail-fast"])
            .args(self.selection())
            .current_dir(&workspace.root)
            .env(BINARY, binary)
            .env(LOGS, &logs)
            .env_remove(POSTGRES_URL);
        if let Some(postgres) = &postgres {
            tests.env(POSTGRES_URL, &postgres.url);
        }
        let status = tests.status().context("cargo can't be started")?;
        if !status.success()
            && let Some(cluster) = postgres.as_ref().and_then(|postgres| postgres.cluster.as_ref())
        {
            fs::copy(cluster.log(), logs.join("postgres.log")).context("PostgreSQL's log")?;
        }
        drop(postgres);
        check("cargo test", status).with_context(|| kept(&logs))?;
        search_logs(&logs)?;
        fs::remove_dir_all(&logs).with_context(|| logs.display().to_string())?;
        match self.left_out() {
            None => println!("tests passed, on SQLite and on PostgreSQL"),
            Some(left_out) => println!("tests passed, but {left_out}"),
        }
        Ok(())
    }

    /// What of the workspace is tested, as arguments of `cargo test`.
    fn selection(&self) -> Vec<&str> {
        let mut arguments = Vec::new();
        if self.package.is_empty() {
            arguments.push("--workspace");
        }
        for package in &self.package {
            arguments.extend(["--package", package]);
        }
        arguments.extend(self.filter.as_deref());
        arguments.push("--");
        // A test that runs on a database ends in its name: `bots::create::sqlite`.
        match self.only {
            Some(Database::Sqlite) => arguments.extend(["--skip", "postgres"]),
            Some(Database::Postgres) => arguments.extend(["--skip", "sqlite"]),
            None => {}
        }
        arguments.extend(self.arguments.iter().map(String::as_str));
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

/// Where the tests' PostgreSQL comes from.
enum Source {
    Given(String),
    Programs(PathBuf),
}

/// The PostgreSQL that the tests use; ours if there is a cluster.
struct Postgres {
    url: String,
    cluster: Option<Cluster>,
}

impl Source {
    /// Fails before anything is built if there is none.
    fn find() -> Result<Self> {
        let given = env::var(POSTGRES_URL).unwrap_or_default();
        if given.is_empty() {
            return Ok(Self::Programs(programs::find_or_install()?));
        }
        if !(given.starts_with("postgres://") || given.starts_with("postgresql://")) {
            bail!("{POSTGRES_URL} is not a URL that begins with postgres://");
        }
        Ok(Self::Given(given))
    }

    fn start(self) -> Result<Postgres> {
        match self {
            Self::Given(url) => {
                println!("using the PostgreSQL that {POSTGRES_URL} names");
                Ok(Postgres { url, cluster: None })
            }
            Self::Programs(folder) => {
                println!("starting a throw-away PostgreSQL from {}", folder.display());
                let cluster = Cluster::start(&folder, Account::for_server()?.as_ref())?;
                Ok(Postgres { url: cluster.url(), cluster: Some(cluster) })
            }
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

    fn selection(only: Option<Database>, packages: &[&str], filter: Option<&str>) -> String {
        let test = Test {
            only,
            package: packages.iter().map(|&package| package.to_owned()).collect(),
            filter: filter.map(str::to_owned),
            arguments: vec!["--nocapture".to_owned()],
        };
        test.selection().join(" ")
    }

    #[test]
    fn everything_is_tested_unless_something_is_chosen() {
        assert_eq!(selection(None, &[], None), "--workspace -- --nocapture");
        assert_eq!(
            selection(Some(Database::Sqlite), &["domain"], Some("bots")),
            "--package domain bots -- --skip postgres --nocapture"
        );
        assert_eq!(
            selection(Some(Database::Postgres), &[], None),
            "--workspace -- --skip sqlite --nocapture"
        );
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
