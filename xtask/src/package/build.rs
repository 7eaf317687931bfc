//! The build of packages, and its symbols.
//!
//! It differs from `cargo build --profile dist` in three things: the program names no folder of the machine that built
//! it, it reads the settings file of the system, and it has TLS to PostgreSQL, with the system's OpenSSL.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::features;
use crate::workspace::{Workspace, check};

/// The settings file that the program of a package reads unless another one is named.
pub const SETTINGS_FILE: &str = "/etc/botyard/botyard.toml";

/// What was built.
pub struct Program {
    /// The program without symbols.
    pub stripped: PathBuf,
    /// Its symbols.
    pub symbols: PathBuf,
}

/// Builds the server and takes its symbols out.
pub fn build(workspace: &Workspace, cargo_features: &[&str]) -> Result<Program> {
    features::prepare()?;
    workspace.cargo(&["fetch", "--quiet", "--locked"])?;
    let folders = folders(workspace)?;
    let options = |option: &str| -> Vec<_> {
        folders.iter().map(|it| format!("{option}={}={}", it.path, it.name)).collect()
    };
    let rust = options("--remap-path-prefix");
    let c = [env::var("CFLAGS").ok().into_iter().collect(), options("-ffile-prefix-map")].concat();
    let cargo_features = cargo_features.join(",");
    let mut arguments = vec!["--profile", "dist", "--locked", "--package", "botyard-server"];
    if !cargo_features.is_empty() {
        arguments.extend(["--features", &cargo_features]);
    }
    let flags = format!("build.rustflags={rust:?}");
    arguments.extend(["--config", &flags]);
    let mut variables =
        vec![("CFLAGS", c.join(" ")), ("BOTYARD_SETTINGS_FILE", SETTINGS_FILE.to_owned())];
    // The system's OpenSSL gets its security updates from the system.
    variables.extend(features::variable().map(|(name, value)| (name, value.to_owned())));
    let binary = workspace.build_with(&arguments, &variables, "botyard")?;
    let named = folders_named(&binary, &folders)?;
    if !named.is_empty() {
        bail!(
            "the program names folders of this machine: {} (is RUSTFLAGS set? It replaces the flags against that)",
            named.join(", ")
        );
    }
    split(&binary, &workspace.target.join("packaging"))
}

/// A folder that sources come from.
struct Folder {
    path: String,
    /// What it is called in the program.
    name: &'static str,
    /// The folder in it whose files the compiler sees.
    sources: &'static str,
}

/// Of those that a source is in, the last one counts.
fn folders(workspace: &Workspace) -> Result<Vec<Folder>> {
    let mut folders = vec![
        (workspace.root.clone(), "/botyard", "crates/"),
        (workspace.target.clone(), "/botyard/target", "dist/"),
    ];
    let registries = cargo_home()?.join("registry").join("src");
    // One for each registry, whose name is part of that of the folder.
    for entry in fs::read_dir(&registries).with_context(|| registries.display().to_string())? {
        folders.push((entry?.path(), "/cargo", ""));
    }
    folders
        .into_iter()
        .map(|(path, name, sources)| {
            let path = path.to_str().context("a folder whose name is no text")?.to_owned();
            Ok(Folder { path, name, sources })
        })
        .collect()
}

fn cargo_home() -> Result<PathBuf> {
    if let Some(folder) = env::var_os("CARGO_HOME") {
        return Ok(folder.into());
    }
    let home = env::home_dir().context("neither CARGO_HOME nor HOME is set")?;
    Ok(home.join(".cargo"))
}

/// The folders whose names are in the program.
fn folders_named(binary: &Path, folders: &[Folder]) -> Result<Vec<String>> {
    let bytes = fs::read(binary).with_context(|| binary.display().to_string())?;
    let is_named = |folder: &&Folder| {
        let text = format!("{}/{}", folder.path, folder.sources);
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    };
    Ok(folders.iter().filter(is_named).map(|it| it.path.clone()).collect())
}

/// Parts a program from its symbols, which debuggers find by the name that is left in it.
fn split(binary: &Path, folder: &Path) -> Result<Program> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let stripped = folder.join("botyard");
    let symbols = folder.join("botyard.debug");
    let objcopy = |options: &[&str], from: &Path, to: &Path| {
        // Without it the link would be added to what an earlier call has left.
        let _ = fs::remove_file(to);
        let status = Command::new("objcopy").args(options).arg(from).arg(to).status();
        check("objcopy", status.context("objcopy can't be started (Debian: binutils)")?)
    };
    objcopy(&["--only-keep-debug"], binary, &symbols)?;
    let link = format!("--add-gnu-debuglink={}", symbols.display());
    objcopy(&["--strip-all", "--remove-section=.comment", &link], binary, &stripped)?;
    Ok(Program { stripped, symbols })
}
