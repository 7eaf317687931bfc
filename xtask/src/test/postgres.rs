//! Where the tests' PostgreSQL comes from.

use std::env;
use std::path::PathBuf;

use anyhow::{Result, bail};
use test_postgres::{Account, Cluster};

use crate::programs;

/// A server for the tests, as a URL of someone who may create databases.
pub const POSTGRES_URL: &str = "BOTYARD_TEST_POSTGRES_URL";

/// Where a server is, or can be made.
pub enum Source {
    /// Its URL. Some tests start servers of their own, from the programs, if there are some.
    Given(String, Option<PathBuf>),
    Programs(PathBuf),
}

/// The PostgreSQL that the tests use; ours if there is a cluster.
pub struct Postgres {
    pub url: String,
    /// The folder of the server programs.
    pub programs: Option<PathBuf>,
    pub cluster: Option<Cluster>,
}

impl Source {
    /// Fails before anything is built if there is none.
    pub fn find() -> Result<Self> {
        let given = env::var(POSTGRES_URL).unwrap_or_default();
        if given.is_empty() {
            return Ok(Self::Programs(programs::find_or_install()?));
        }
        if !(given.starts_with("postgres://") || given.starts_with("postgresql://")) {
            bail!("{POSTGRES_URL} is not a URL that begins with postgres://");
        }
        Ok(Self::Given(given, programs::find()))
    }

    pub fn start(self) -> Result<Postgres> {
        match self {
            Self::Given(url, programs) => {
                println!("using the PostgreSQL that {POSTGRES_URL} names");
                if programs.is_none() {
                    println!(
                        "tests with a PostgreSQL of their own do NOT run: its server programs are not there"
                    );
                }
                Ok(Postgres { url, programs, cluster: None })
            }
            Self::Programs(folder) => {
                println!("starting a throw-away PostgreSQL from {}", folder.display());
                let cluster = Cluster::start(&folder, Account::for_server()?.as_ref())?;
                let url = cluster.url();
                Ok(Postgres { url, programs: Some(folder), cluster: Some(cluster) })
            }
        }
    }
}
