//! Debian's packages, for the programs that a machine lacks.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use test_postgres::is_root;

use crate::workspace::check;

/// Makes sure that a program can be called that comes from a Debian package of its own name.
pub fn find_or_install(program: &str) -> Result<()> {
    find_or_install_from(program, program)
}

/// The same for one from another package.
pub fn find_or_install_from(package: &str, program: &str) -> Result<()> {
    // Not each of them has an option that does nothing and succeeds.
    let mut call = Command::new(program);
    call.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if call.status().is_ok() {
        return Ok(());
    }
    if !can_install()? {
        bail!("{program} is not there: install it (Debian: `apt-get install {package}`)");
    }
    eprintln!("{program} is not there: installing the package {package}");
    apt_get(&["update"])?;
    apt_get(&["install", package]).with_context(|| format!("installing {package}"))
}

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
        // Standard output is for results, such as the report of a benchmark.
        .stdout(std::io::stderr())
        .status()
        .context("apt-get can't be started")?;
    check(&format!("apt-get {}", arguments.join(" ")), status)
}
