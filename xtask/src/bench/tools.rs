//! The programs of others that take part, each from a Debian package of its own name.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::debian::{apt_get, can_install};

/// Makes sure that a program can be called.
pub fn find_or_install(program: &str) -> Result<()> {
    // Not each of them has an option that does nothing and succeeds.
    let mut call = Command::new(program);
    call.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if call.status().is_ok() {
        return Ok(());
    }
    if !can_install()? {
        bail!("{program} is not there: install it (Debian: `apt-get install {program}`)");
    }
    println!("{program} is not there: installing the package {program}");
    apt_get(&["update"])?;
    apt_get(&["install", program]).with_context(|| format!("installing {program}"))
}
