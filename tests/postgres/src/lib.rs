//! Throw-away PostgreSQL servers: one for a run of the tests or of the benchmark, and others for the tests that
//! configure or restart one. Start at [`Cluster`].

#![expect(clippy::print_stderr, reason = "tests and developers are told on their terminal")]

mod account;
mod cluster;

use std::env;
use std::path::PathBuf;

pub use account::{Account, is_root};
pub use cluster::Cluster;

/// The variable in which `cargo xtask test` tells the tests where PostgreSQL's server programs are.
pub const PROGRAMS: &str = "BOTYARD_TEST_POSTGRES_PROGRAMS";

/// The folder of the server programs, for tests that start a server of their own. Without one, such a test is left
/// out; it prints so.
#[must_use]
pub fn programs() -> Option<PathBuf> {
    let programs = env::var_os(PROGRAMS).filter(|programs| !programs.is_empty());
    if programs.is_none() {
        eprintln!("NOT RUN: {PROGRAMS} does not say where PostgreSQL's server programs are");
    }
    programs.map(PathBuf::from)
}
