//! PgBouncer, before PostgreSQL.

use anyhow::{Result, bail};
use test_postgres::{Cluster, Pooler};

use crate::debian;

/// The program, and Debian's package.
const PROGRAM: &str = "pgbouncer";
/// Sessions that each database gets: fewer than a node opens, so that its transactions share them.
const SESSIONS: usize = 4;

/// The program, which is installed where that is possible and allowed. Without it the tests that need it are left out.
pub fn program() -> Result<Option<&'static str>> {
    match debian::find_or_install(PROGRAM) {
        Ok(()) => Ok(Some(PROGRAM)),
        Err(error) if debian::can_install()? => Err(error),
        Err(error) => {
            println!("tests behind PgBouncer do NOT run: {error:#}");
            Ok(None)
        }
    }
}

/// Starts one before this server.
pub fn start(cluster: &Cluster) -> Result<Pooler> {
    let Some(program) = program()? else { bail!("{PROGRAM} is not there") };
    println!("all that can goes through {PROGRAM}, which pools by transaction");
    Pooler::start(program.as_ref(), cluster.port(), SESSIONS)
}
