//! A PostgreSQL to measure.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use test_postgres::{Account, Cluster};

use crate::programs;

/// A cluster of its own.
pub struct Postgres {
    /// The folder of its programs.
    pub programs: PathBuf,
    pub cluster: Cluster,
}

impl Postgres {
    /// Starts one, or returns why there is none.
    pub fn start(left_out: bool) -> Result<Self> {
        if left_out {
            anyhow::bail!("it was left out (--sqlite-only)");
        }
        let programs = programs::find_or_install()?;
        let cluster = Cluster::start_durable(&programs, Account::for_server()?.as_ref())?;
        Ok(Self { programs, cluster })
    }
}

/// A program of PostgreSQL's for clients, beside those of a server.
pub fn client_program(programs: &Path, name: &str) -> Result<PathBuf> {
    // The programs that were found may be links to where all of them are.
    let links_to = fs::canonicalize(programs.join("postgres")).ok();
    let mut folders =
        [Some(programs), links_to.as_deref().and_then(Path::parent)].into_iter().flatten();
    let program = folders.find_map(|folder| {
        let program = folder.join(name);
        program.is_file().then_some(program)
    });
    program.ok_or_else(|| {
        anyhow!(
            "{name} is not among PostgreSQL's programs in {}: outside of Debian it may come \
             with a package of its own, such as postgresql-contrib",
            programs.display()
        )
    })
}
