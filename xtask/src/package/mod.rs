//! `cargo xtask package`

mod archive;
mod build;
mod components;
mod copyright;
mod deb;
mod release;
mod sbom;
mod stage;
mod sums;
mod tree;
mod trial;

#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;

use self::build::Program;
use self::components::Components;
use self::release::Release;
use crate::workspace::Workspace;

/// The cargo features of the server that packages have, besides the default ones.
const FEATURES: &[&str] = &["otlp", "postgres-tls"];

/// Builds the server with the profile `dist` and packs it into `target/package`: a Debian package, an archive, an SBOM
/// and SHA-256 sums.
///
/// A second archive has the symbols of the program, for debuggers and profilers. With its dependencies fetched
/// (`cargo fetch`) this needs no network. It needs Debian's dpkg-dev, and libssl-dev for TLS to PostgreSQL, which it
/// installs as root on Debian. Without libssl-dev the program has an OpenSSL of its own in it.
#[derive(Args)]
pub struct Package {
    /// Which packaging of this version it is: what follows the hyphen in Debian's version.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    revision: u32,
    /// Then try the Debian package in a throw-away copy of this system, as root: check it with lintian, install it,
    /// call the server, upgrade, remove and purge it. Needs lintian, curl and systemd-container, which it installs on
    /// Debian.
    #[arg(long = "try")]
    is_tried: bool,
}

impl Package {
    pub fn run(&self, workspace: &Workspace) -> Result<()> {
        let program = build::build(workspace, FEATURES)?;
        let folder = workspace.target.join("package");
        let files = pack(&self.release(workspace, 0, &folder)?, workspace, &program)?;
        for file in &files {
            println!("{}", file.strip_prefix(&workspace.root).unwrap_or(file).display());
        }
        if self.is_tried {
            // The same program as a later packaging, to upgrade to.
            let folder = workspace.target.join("packaging").join("next");
            let next = self.release(workspace, 1, &folder)?;
            let [package, ..] = &files;
            let [next, ..] = &pack(&next, workspace, &program)?;
            trial::run(workspace, package, next)?;
        }
        Ok(())
    }

    fn release(&self, workspace: &Workspace, later: u32, folder: &Path) -> Result<Release> {
        Release::of(workspace, self.revision + later, deb::architecture()?, folder)
    }
}

/// Makes all files and returns their names, that of the Debian package first.
fn pack(release: &Release, workspace: &Workspace, program: &Program) -> Result<[PathBuf; 5]> {
    let components = Components::of(workspace, FEATURES)?;
    let sbom = sbom::document(&components)?;
    let tree = stage::stage(workspace, release, program, &components, &sbom)?;
    let symbols = stage::symbols(workspace, program)?;

    fs::create_dir_all(&release.folder).with_context(|| release.folder.display().to_string())?;
    let files = [
        release.file("deb"),
        release.file("tar.gz"),
        release.file("debug.tar.gz"),
        release.file("cdx.json"),
    ];
    let [package, archive, debug, bill] = &files;
    archive::pack(&tree, &release.name(), release.time, archive)?;
    archive::pack(&symbols, &format!("{}.debug", release.name()), release.time, debug)?;
    fs::write(bill, &sbom).with_context(|| bill.display().to_string())?;
    deb::pack(release, &tree, &deb::libraries(&tree)?, &workspace.root, package)?;
    let sums = sums::write(&release.folder, &files)?;
    let [package, archive, debug, bill] = files;
    Ok([package, archive, debug, bill, sums])
}
