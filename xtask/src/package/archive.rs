//! Archives of a tree.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::tree::Tree;
use crate::workspace::check;

/// Packs a tree below a folder of this name, as files of root, with everything from the same time.
pub fn pack(tree: &Tree, name: &str, time: u64, archive: &Path) -> Result<()> {
    let status = Command::new("tar")
        .args(["--create", "--format=gnu", "--sort=name", "--owner=root:0", "--group=root:0"])
        .arg(format!("--mtime=@{time}"))
        // Without its name and time in the head of the archive.
        .arg("--use-compress-program=gzip -9 --no-name")
        .arg(format!("--transform=s,^\\.,{name},"))
        .arg("--directory")
        .arg(&tree.root)
        .arg("--file")
        .arg(archive)
        .arg(".")
        .status()
        .context("tar can't be started")?;
    check(&format!("tar of {}", archive.display()), status)
}
