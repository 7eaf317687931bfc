//! The program that fetches websites without reading them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

use crate::debian;
use crate::workspace::check;

/// The program, and where it puts what it fetches.
pub struct Wget {
    folder: PathBuf,
}

impl Wget {
    pub fn find_or_install(parent: &Path) -> Result<Self> {
        debian::find_or_install("wget")?;
        Ok(Self { folder: parent.join("wget") })
    }

    /// Fetches this page and all that can be reached from it on its site.
    pub fn fetch(&self, url: &str) -> Result<()> {
        let mut wget = Command::new("wget");
        wget.args(["--no-config", "--no-proxy", "--no-hsts", "--quiet"])
            .args(["--recursive", "--level=inf"])
            .arg("--directory-prefix")
            .arg(&self.folder)
            .arg(url)
            .stdin(Stdio::null());
        check("wget", wget.status().context("`wget` can't be started")?)
    }

    /// Removes what was fetched.
    pub fn clean_up(&self) -> Result<()> {
        fs::remove_dir_all(&self.folder).with_context(|| self.folder.display().to_string())
    }
}
