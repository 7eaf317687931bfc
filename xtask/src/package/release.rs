//! What is packed, and when and for what it was made.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, anyhow};

use crate::workspace::Workspace;

/// What is packed.
pub struct Release {
    /// The version of the server.
    pub version: String,
    /// Debian's version: that of the server, and that of its packaging.
    pub debian_version: String,
    /// The processor, as Debian calls it.
    pub architecture: String,
    /// The time of everything in the packages, in seconds since 1970: the same sources make the same packages.
    pub time: u64,
    /// Where the packages are made.
    pub folder: PathBuf,
}

impl Release {
    pub fn of(
        workspace: &Workspace,
        revision: u32,
        architecture: String,
        folder: &Path,
    ) -> Result<Self> {
        let server = workspace.packages.iter().find(|package| package.name == "server");
        let version = server.context("the workspace has no server")?.version.clone();
        Ok(Self {
            debian_version: format!("{version}-{revision}"),
            version,
            architecture,
            time: time_of_sources(&workspace.root)?,
            folder: folder.to_owned(),
        })
    }

    pub fn name(&self) -> String {
        format!("botyard_{}_{}", self.debian_version, self.architecture)
    }

    pub fn file(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.name()))
    }
}

/// `SOURCE_DATE_EPOCH`, as programs that build packages agree on, or else the time of the last commit.
fn time_of_sources(root: &Path) -> Result<u64> {
    let given = env::var("SOURCE_DATE_EPOCH").ok();
    let time = given.map_or_else(|| time_of_commit(root), Ok)?;
    time.trim().parse().with_context(|| format!("{time:?} is no time in seconds since 1970"))
}

fn time_of_commit(root: &Path) -> Result<String> {
    let output = Command::new("git")
        .args(["log", "-1", "--format=%ct"])
        .current_dir(root)
        .output()
        .ok()
        .filter(|output| output.status.success());
    let output = output.ok_or_else(|| {
        anyhow!("there is no git repository here: set SOURCE_DATE_EPOCH to the time of the sources, in seconds")
    })?;
    Ok(String::from_utf8(output.stdout)?)
}
