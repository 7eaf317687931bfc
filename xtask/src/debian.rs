//! Debian's packages, for the programs that a machine lacks.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

use crate::cluster::is_root;
use crate::workspace::check;

/// Whether packages can be installed here without asking anybody.
pub fn can_install() -> Result<bool> {
    Ok(is_root()? && Path::new("/usr/bin/apt-get").exists())
}

pub fn apt_get(arguments: &[&str]) -> Result<()> {
    let status = Command::new("apt-get")
        .args(["-qq", "--yes", "--no-install-recommends"])
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .status()
        .context("apt-get can't be started")?;
    check(&format!("apt-get {}", arguments.join(" ")), status)
}
