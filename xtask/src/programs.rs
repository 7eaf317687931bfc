//! Where PostgreSQL's server programs are, and how a machine without them gets them.

use std::env;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::debian::{apt_get, can_install};

const NEEDED: [&str; 3] = ["initdb", "pg_ctl", "postgres"];
/// Debian has a folder for each version here.
const VERSIONS: &str = "/usr/lib/postgresql";
/// Where Debian's packages look whether to make and start a cluster of their own.
const CREATE_CLUSTER: &str = "/etc/postgresql-common/createcluster.conf";

/// The folder of the server programs; installs them where that is possible and allowed.
pub fn find_or_install() -> Result<PathBuf> {
    if let Some(found) = find() {
        return Ok(found);
    }
    if !can_install()? {
        bail!(
            "PostgreSQL's server programs ({}) are not there: install them (Debian: `apt-get \
             install postgresql`), or name a server in {}",
            NEEDED.join(", "),
            crate::test::POSTGRES_URL
        );
    }
    install().context("installing PostgreSQL")?;
    find().context("the package postgresql has no server programs")
}

/// Where they are, if they are there.
pub fn find() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(newest_first(Path::new(VERSIONS)))
        .chain(configured())
        .find(|folder| NEEDED.iter().all(|program| folder.join(program).is_file()))
}

/// `VERSION/bin` for each folder in `versions`, the highest version first.
fn newest_first(versions: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(versions) else {
        return Vec::new();
    };
    let mut found: Vec<_> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let number: f64 = entry.file_name().to_str()?.parse().ok()?;
            Some((number, entry.path().join("bin")))
        })
        .collect();
    found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    found.into_iter().map(|(_, folder)| folder).collect()
}

fn configured() -> Option<PathBuf> {
    let output = Command::new("pg_config").arg("--bindir").output().ok()?;
    let folder = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(folder.trim()))
}

/// Installs Debian's package. Its postinst would make and start a cluster; while it runs, the
/// machine's settings say that it shall not.
fn install() -> Result<()> {
    eprintln!("PostgreSQL's server programs are not there: installing the package postgresql");
    apt_get(&["update"])?;
    apt_get(&["install", "postgresql-common"])?;
    let settings = Path::new(CREATE_CLUSTER);
    let before = match fs::read_to_string(settings) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error).context(CREATE_CLUSTER),
    };
    let text = before.clone().unwrap_or_default();
    fs::write(settings, format!("{text}\ncreate_main_cluster = false\n"))
        .context(CREATE_CLUSTER)?;
    let installed = apt_get(&["install", "postgresql"]);
    match before {
        Some(text) => fs::write(settings, text),
        None => fs::remove_file(settings),
    }
    .context(CREATE_CLUSTER)?;
    installed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_version_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        for version in ["9.6", "15", "17", "common"] {
            fs::create_dir(folder.path().join(version)).unwrap();
        }
        let expected = ["17", "15", "9.6"].map(|version| folder.path().join(version).join("bin"));
        assert_eq!(newest_first(folder.path()), expected);
        assert!(newest_first(&folder.path().join("none")).is_empty());
    }
}
