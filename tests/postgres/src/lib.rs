//! Throw-away PostgreSQL servers: one for a run of the tests or of the benchmark, and others for the tests that
//! configure or restart one. Start at [`Cluster`]. A [`Pooler`] is a PgBouncer before one of them.

#![expect(clippy::print_stderr, reason = "the output of a test run shows what was left out")]

mod account;
mod cluster;
mod pooler;
mod script;

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

pub use account::{Account, is_root};
pub use cluster::Cluster;
pub use pooler::Pooler;

/// The variable in which `cargo xtask test` tells the tests where PostgreSQL's server programs are.
pub const PROGRAMS: &str = "BOTYARD_TEST_POSTGRES_PROGRAMS";

/// The variable in which it tells them where PgBouncer is.
pub const PGBOUNCER: &str = "BOTYARD_TEST_PGBOUNCER";

/// The folder of the server programs, for tests that start a server of their own. Without one, such a test is left
/// out; it prints so.
#[must_use]
pub fn programs() -> Option<PathBuf> {
    from_variable(PROGRAMS, "PostgreSQL's server programs are").map(PathBuf::from)
}

/// The same for PgBouncer.
#[must_use]
pub fn pgbouncer() -> Option<OsString> {
    from_variable(PGBOUNCER, "PgBouncer is")
}

fn from_variable(variable: &str, what: &str) -> Option<OsString> {
    let value = env::var_os(variable).filter(|value| !value.is_empty());
    if value.is_none() {
        eprintln!("NOT RUN: {variable} does not say where {what}");
    }
    value
}
