//! Prometheus' own check of metrics and rules, for the tests that ask it.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::debian::{apt_get, can_install};
use crate::workspace::check;

/// The program, if it is not among the installed ones.
pub const PROMTOOL: &str = "BOTYARD_TEST_PROMTOOL";

/// Debian's package that has it.
const PACKAGE: &str = "prometheus";

/// The program; empty if there is none, and then the tests that ask it are skipped. As root on Debian it is taken out
/// of its package, which is not installed: that would start a server on this machine.
pub fn find_or_fetch(target: &Path) -> Result<String> {
    if let Some(given) = env::var(PROMTOOL).ok().filter(|given| !given.is_empty()) {
        return Ok(given);
    }
    if Command::new("promtool").arg("--version").output().is_ok() {
        return Ok("promtool".to_owned());
    }
    let folder = target.join("tools").join(PACKAGE);
    let program = folder.join("usr/bin/promtool");
    if !program.is_file() {
        if !can_install()? {
            println!(
                "promtool is not there: the tests that ask it are skipped (Debian: `apt-get install \
                 {PACKAGE}`)"
            );
            return Ok(String::new());
        }
        fetch(&folder).context("fetching promtool")?;
    }
    Ok(program.display().to_string())
}

fn fetch(folder: &Path) -> Result<()> {
    eprintln!("promtool is not there: taking it out of the package {PACKAGE}");
    apt_get(&["update"])?;
    fs::create_dir_all(folder)?;
    let mut download = Command::new("apt-get");
    download.args(["-qq", "download", PACKAGE]).current_dir(folder);
    check("apt-get download", download.status().context("apt-get can't be started")?)?;
    for entry in fs::read_dir(folder)? {
        let archive = entry?.path();
        if archive.extension().is_some_and(|extension| extension == "deb") {
            let mut unpack = Command::new("dpkg-deb");
            unpack.arg("--extract").arg(&archive).arg(folder);
            check("dpkg-deb --extract", unpack.status().context("dpkg-deb can't be started")?)?;
        }
    }
    Ok(())
}
