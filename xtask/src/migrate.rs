//! `cargo xtask migrate`

use anyhow::Result;
use clap::Args;

use crate::workspace::Workspace;

/// Builds the server and runs `botyard migrate`, which brings a database up to date.
///
/// Which database is said as for the server itself: by flags (`--database-url postgres://…`), by
/// `BOTYARD_*` variables or in botyard.toml. `cargo run -- migrate --help` lists the flags.
#[derive(Args)]
pub struct Migrate {
    /// Passed on to `botyard migrate` as they are.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl Migrate {
    pub fn run(&self, workspace: &Workspace) -> Result<()> {
        workspace.run_server("migrate", &self.arguments)
    }
}
