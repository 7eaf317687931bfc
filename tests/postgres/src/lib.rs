//! Throw-away PostgreSQL servers: one for a run of the tests or of the benchmark, and others for the tests that
//! configure or restart one. Start at [`Cluster`]. A [`Pooler`] is a PgBouncer before one of them.

mod account;
mod cluster;
mod pooler;
mod script;

use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{Write as _, stderr};
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

/// Says that a test is left out, and why: to the terminal, because what is printed by a test that passes is not shown.
pub fn not_run(reason: impl Display) {
    let _ = writeln!(stderr(), "NOT RUN: {reason}");
}

fn from_variable(variable: &str, what: &str) -> Option<OsString> {
    let value = env::var_os(variable).filter(|value| !value.is_empty());
    if value.is_none() {
        not_run(format_args!("{variable} does not say where {what}"));
    }
    value
}
