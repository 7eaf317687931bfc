//! A PostgreSQL to measure.

use std::path::PathBuf;

use anyhow::Result;
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
