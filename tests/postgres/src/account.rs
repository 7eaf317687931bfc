//! The account that a server runs under.

use std::os::unix::process::CommandExt as _;
use std::process::Command;

use anyhow::{Context as _, Result, anyhow, bail};

/// An account without privileges: PostgreSQL's programs refuse to run as root.
#[derive(Debug, Clone, Copy)]
pub struct Account {
    uid: u32,
    gid: u32,
}

impl Account {
    /// The account to run the server under; `None` unless we are root: any other user runs it itself.
    ///
    /// # Errors
    /// If there is none, or it can't be found out.
    pub fn for_server() -> Result<Option<Self>> {
        if !is_root()? {
            return Ok(None);
        }
        for name in ["postgres", "nobody"] {
            if let Some(uid) = id(&["-u", name])? {
                let gid = id(&["-g", name])?.ok_or_else(|| anyhow!("{name} has no group"))?;
                return Ok(Some(Self { uid, gid }));
            }
        }
        bail!("PostgreSQL refuses to run as root, and there is no user postgres or nobody");
    }

    /// Has a command run under it.
    pub(crate) fn run(self, command: &mut Command) {
        command.uid(self.uid).gid(self.gid);
    }
}

/// Whether this process may do everything.
///
/// # Errors
/// If that can't be found out.
pub fn is_root() -> Result<bool> {
    Ok(id(&["-u"])? == Some(0))
}

/// What `id` says, or `None` if there is no such user.
fn id(arguments: &[&str]) -> Result<Option<u32>> {
    let output = Command::new("id").args(arguments).output().context("`id` can't be started")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().parse().ok())
}
