//! The library crates can be packaged, and built from their packages: what a program that embeds botyard gets.
//!
//! A file that a crate needs and that lies outside its folder is missing in its package, and a dependency without a
//! version is refused. The packages are checked in a workspace of their own, where each finds the others as it would
//! in a registry.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::features;
use crate::workspace::{Workspace, check};

pub fn findings(workspace: &Workspace) -> Result<Vec<String>> {
    let libraries: Vec<_> =
        workspace.packages.iter().filter(|package| package.can_be_published()).collect();
    let names: Vec<_> =
        libraries.iter().map(|package| workspace.cargo_name(&package.name)).collect();
    let selection: Vec<_> = names.iter().flat_map(|name| ["--package", name]).collect();
    // Without the check of cargo, which builds every dependency again for each package.
    workspace.cargo(
        &[&["package", "--quiet", "--allow-dirty", "--no-verify"], &selection[..]].concat(),
    )?;

    let folder = workspace.target.join("packages");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| folder.display().to_string())?;
    }
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut members = Vec::new();
    let mut patches = String::new();
    for (library, name) in libraries.iter().zip(&names) {
        let package = format!("{name}-{}", library.version);
        unpack(&workspace.target.join("package").join(format!("{package}.crate")), &folder)?;
        patches += &format!("{name} = {{ path = {package:?} }}\n");
        members.push(package);
    }
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n[patch.crates-io]\n{patches}"
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(workspace.root.join("Cargo.lock"), folder.join("Cargo.lock"))?;
    features::prepare()?;
    let status = features::cargo()
        // As clippy has built their dependencies, which are then there.
        .args(["check", "--quiet", "--workspace", "--all-features"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", &workspace.target)
        .status()
        .context("cargo can't be started")?;
    check("cargo check of the packages", status)?;
    Ok(Vec::new())
}

fn unpack(package: &Path, folder: &Path) -> Result<()> {
    let status = Command::new("tar")
        .arg("--extract")
        // Files in packages have no time of their own; with that of an earlier run cargo would take them for unchanged.
        .arg("--touch")
        .arg("--gzip")
        .arg("--file")
        .arg(package)
        .arg("--directory")
        .arg(folder)
        .status()
        .context("tar can't be started")?;
    check(&format!("tar of {}", package.display()), status)
}
