//! `cargo xtask seed`

use anyhow::Result;
use clap::Args;

use crate::workspace::Workspace;

/// Builds the server and runs `botyard seed`, which fills a database with something to try out.
///
/// Which database is said as for the server itself: by flags (`--database-url postgres://…`), by
/// `BOTYARD_*` variables or in botyard.toml. `cargo run -- seed --help` lists the flags.
#[derive(Args)]
pub struct Seed {
    /// Passed on to `botyard seed` as they are.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

impl Seed {
    pub fn run(&self, workspace: &Workspace) -> Result<()> {
        workspace.run_server("seed", &self.arguments)
    }
}
