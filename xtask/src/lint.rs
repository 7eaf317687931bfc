//! `cargo xtask lint`

use anyhow::{Result, bail};
use clap::Args;

use crate::workspace::Workspace;
use crate::{
    boundaries, documents, features, file_length, layers, migrations, modules, packages, supply,
};

/// Checks layers, modules, boundaries, lengths, dependencies, documents, migrations, format, clippy, databases and
/// packages; shows every finding.
///
/// Clippy's warnings count as errors. `layers` says which crate may depend on what, `modules` that no more than two
/// modules of a crate depend on each other, `boundaries` which words a crate must not contain, `lengths` that no file
/// has more than 400 lines unless it is generated, `documents` that ARCHITECTURE.md and CONTRIBUTING.md name files that
/// exist. The `migrations` for SQLite and PostgreSQL must be twins, the store must build for each of the `databases`
/// alone, and the library crates from their `packages`.
#[derive(Args)]
pub struct Lint {
    /// Only these checks.
    #[arg(value_parser = STEPS.map(|(name, _)| name))]
    checks: Vec<String>,
}

/// A step gives its findings, a line each; what could not be checked at all is an error.
type Check = fn(&Workspace) -> Result<Vec<String>>;

const STEPS: [(&str, Check); 11] = [
    ("layers", |workspace| Ok(layers::findings(workspace))),
    ("modules", modules::findings),
    ("boundaries", |workspace| boundaries::findings(&workspace.root)),
    ("lengths", |workspace| file_length::findings(&workspace.root)),
    ("dependencies", supply::findings),
    ("documents", |workspace| documents::findings(&workspace.root)),
    ("migrations", |workspace| migrations::findings(&workspace.root.join("migrations"))),
    ("format", |workspace| {
        workspace.cargo(&["fmt", "--all", "--check"])?;
        Ok(Vec::new())
    }),
    ("clippy", |workspace| {
        features::prepare()?;
        let scope = ["clippy", "--workspace", "--all-targets", "--all-features"];
        features::run_cargo(workspace, &[&scope[..], &["--", "-D", "warnings"]].concat())?;
        Ok(Vec::new())
    }),
    ("databases", |workspace| {
        for database in ["postgres", "sqlite"] {
            let package = ["clippy", "--package", "botyard-storage-diesel"];
            let alone = ["--no-default-features", "--features", database, "--", "-D", "warnings"];
            workspace.cargo(&[&package[..], &alone].concat())?;
        }
        Ok(Vec::new())
    }),
    ("packages", packages::findings),
];

impl Lint {
    pub fn run(&self, workspace: &Workspace) -> Result<()> {
        let is_wanted =
            |name: &str| self.checks.is_empty() || self.checks.iter().any(|check| check == name);
        let steps: Vec<_> = STEPS.into_iter().filter(|(name, _)| is_wanted(name)).collect();
        let failed = run(workspace, &steps);
        if !failed.is_empty() {
            bail!("lint failed: {}", failed.join(", "));
        }
        println!("lint: {}", if self.checks.is_empty() { "all clean" } else { "clean" });
        Ok(())
    }
}

/// Runs every step, also after one has failed, and gives the names of those that did.
fn run<'a>(workspace: &Workspace, steps: &[(&'a str, Check)]) -> Vec<&'a str> {
    let mut failed = Vec::new();
    for (name, step) in steps {
        println!("lint: {name} …");
        let findings = step(workspace).unwrap_or_else(|error| vec![format!("{error:#}")]);
        for finding in &findings {
            println!("  {finding}");
        }
        if findings.is_empty() {
            println!("lint: {name}: ok");
        } else {
            println!("lint: {name}: FAILED");
            failed.push(*name);
        }
    }
    failed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_runs_and_those_that_fail_are_named() {
        let workspace = Workspace {
            root: "/nowhere".into(),
            target: "/nowhere/target".into(),
            packages: Vec::new(),
        };
        let steps: [(&str, Check); 3] = [
            ("finds", |_| Ok(vec!["something".to_owned()])),
            ("breaks", |_| bail!("no")),
            ("passes", |_| Ok(Vec::new())),
        ];
        assert_eq!(run(&workspace, &steps), ["finds", "breaks"]);
    }
}
