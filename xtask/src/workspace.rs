//! Where the workspace is, what it consists of, and how cargo and the server are called in it.

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context as _, Result, anyhow, bail};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The part of `cargo metadata` that the commands need.
#[derive(Debug, Deserialize)]
pub struct Workspace {
    #[serde(rename = "workspace_root")]
    pub root: PathBuf,
    /// The build folder, `CARGO_TARGET_DIR` and cargo's settings taken into account.
    #[serde(rename = "target_directory")]
    pub target: PathBuf,
    pub packages: Vec<Package>,
}

/// How the names of the packages in `crates/` begin. Two packages called `domain` in one lock file are an error, so
/// embedding programs get names that are botyard's own; in here, a package is called as its folder and its crate.
const PREFIX: &str = "botyard-";

#[derive(Debug, Deserialize)]
pub struct Package {
    /// The name of its folder.
    pub name: String,
    pub version: String,
    pub manifest_path: PathBuf,
    pub dependencies: Vec<Dependency>,
    /// The registries that may have it: none, if the list is empty.
    pub publish: Option<Vec<String>>,
}

impl Package {
    pub fn can_be_published(&self) -> bool {
        self.publish.is_none()
    }
}

/// A dependency under its true name, however the manifest renames it and regardless of the platform
/// or feature it is for.
#[derive(Debug, Deserialize)]
pub struct Dependency {
    pub name: String,
    /// `None` for what the crate itself is built with, else `dev` or `build`.
    pub kind: Option<String>,
}

impl Dependency {
    pub fn is_dev(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }
}

impl Workspace {
    pub fn find() -> Result<Self> {
        let output = cargo()
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .stderr(Stdio::inherit())
            .output()
            .context("cargo can't be started")?;
        check("cargo metadata", output.status)?;
        let mut workspace: Self =
            serde_json::from_slice(&output.stdout).context("cargo metadata can't be read")?;
        workspace.shorten_names();
        Ok(workspace)
    }

    /// Takes the prefix from the names of the packages in `crates/`, wherever they stand.
    fn shorten_names(&mut self) {
        let folder = self.root.join("crates");
        let in_crates =
            self.packages.iter().filter(|package| package.manifest_path.starts_with(&folder));
        let names: Vec<_> = in_crates.map(|package| package.name.clone()).collect();
        for package in &mut self.packages {
            let dependencies =
                package.dependencies.iter_mut().map(|dependency| &mut dependency.name);
            for name in dependencies.chain([&mut package.name]) {
                if let Some(short) = name.strip_prefix(PREFIX)
                    && names.contains(name)
                {
                    *name = short.to_owned();
                }
            }
        }
    }

    /// What cargo calls the package of this name.
    pub fn cargo_name(&self, name: &str) -> String {
        let folder = self.root.join("crates").join(name);
        if folder.is_dir() { format!("{PREFIX}{name}") } else { name.to_owned() }
    }

    /// Runs cargo at the root of the workspace, its output going to the terminal.
    pub fn cargo(&self, arguments: &[&str]) -> Result<()> {
        let status = cargo().args(arguments).current_dir(&self.root).status();
        let name = format!("cargo {}", arguments.join(" "));
        check(&name, status.with_context(|| format!("{name} can't be started"))?)
    }

    /// Builds the server and says where its binary is.
    pub fn build_server(&self) -> Result<PathBuf> {
        // With xtask, for which the dependencies are the same as for the whole workspace (`test/programs.rs`).
        self.build(&["-p", "botyard-server", "-p", "xtask"], "botyard")
    }

    /// What `cargo metadata` prints of all packages, those of others included and those that only a feature needs.
    pub fn metadata<T: DeserializeOwned>(&self) -> Result<T> {
        let output = cargo()
            .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
            .current_dir(&self.root)
            .stderr(Stdio::inherit())
            .output()
            .context("cargo can't be started")?;
        check("cargo metadata --locked", output.status)?;
        serde_json::from_slice(&output.stdout).context("cargo metadata can't be read")
    }

    /// Calls `cargo build` and says where the program of this name is that it made.
    pub fn build(&self, arguments: &[&str], program: &str) -> Result<PathBuf> {
        self.build_with(arguments, &[], program)
    }

    /// The same with variables for cargo.
    pub fn build_with(
        &self,
        arguments: &[&str],
        variables: &[(&str, String)],
        program: &str,
    ) -> Result<PathBuf> {
        let name = format!("cargo build {}", arguments.join(" "));
        let output = cargo()
            .args(["build", "--message-format", "json-render-diagnostics"])
            .args(arguments)
            .envs(variables.iter().cloned())
            .current_dir(&self.root)
            .stderr(Stdio::inherit())
            .output()
            .context("cargo can't be started")?;
        check(&name, output.status)?;
        let messages = String::from_utf8(output.stdout).context("cargo's messages")?;
        messages
            .lines()
            .find_map(|message| executable(message, program))
            .ok_or_else(|| anyhow!("{name} made no program `{program}`"))
    }

    /// Builds the server and runs one of its commands, as `cargo run -- …` would.
    pub fn run_server(&self, command: &str, arguments: &[String]) -> Result<()> {
        let binary = self.build_server()?;
        let status = without_variables(&mut Command::new(binary), "BOTYARD_TEST_")
            .arg(command)
            .args(arguments)
            .status();
        let name = format!("botyard {command}");
        check(&name, status.with_context(|| format!("{name} can't be started"))?)
    }
}

/// The cargo that started us, without the variables that it set for us. They belong to this
/// package; build scripts that look at them would run again with each change between `cargo test`
/// and `cargo xtask test`.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    without_variables(&mut cargo, "CARGO_PKG_");
    without_variables(&mut cargo, "CARGO_MANIFEST_");
    cargo
}

/// Takes the variables that begin with `prefix` out of the environment of a command.
pub fn without_variables<'a>(command: &'a mut Command, prefix: &str) -> &'a mut Command {
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with(prefix) {
            command.env_remove(name);
        }
    }
    command
}

/// Turns a status other than zero into one line.
pub fn check(name: &str, status: ExitStatus) -> Result<()> {
    if !status.success() {
        bail!("`{name}` failed ({status})");
    }
    Ok(())
}

fn executable(message: &str, program: &str) -> Option<PathBuf> {
    let message: Value = serde_json::from_str(message).ok()?;
    let is_program = message.get("reason")? == "compiler-artifact"
        && message.pointer("/target/name")? == program;
    let path = message.get("executable")?.as_str()?;
    is_program.then(|| PathBuf::from(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_binary_is_found_among_cargos_messages() {
        let library =
            r#"{"reason":"compiler-artifact","target":{"name":"domain"},"executable":null}"#;
        let binary = r#"{"reason":"compiler-artifact","target":{"name":"botyard"},"executable":"/t/botyard"}"#;
        let finished = r#"{"reason":"build-finished","success":true}"#;
        let found: Vec<_> = [library, "not json", binary, finished]
            .into_iter()
            .filter_map(|message| executable(message, "botyard"))
            .collect();
        assert_eq!(found, [PathBuf::from("/t/botyard")]);
    }
}
