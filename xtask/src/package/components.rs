//! What the program is made of: its own crates and those that they depend on, with what was compiled in from other
//! projects.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use anyhow::{Context as _, Result, anyhow};
use serde::Deserialize;
use spdx::Expression;

use crate::workspace::{Workspace, cargo, check};

/// The crates of the program, and which needs which.
pub struct Components {
    pub crates: BTreeMap<Id, Crate>,
    /// The crate that the program is made of.
    pub root: Id,
}

/// Name and version.
pub type Id = (String, String);

/// A crate of the program, with what the bill of materials and the licence file need.
#[derive(Debug)]
pub struct Crate {
    pub name: String,
    pub version: String,
    /// An SPDX expression.
    pub licence: String,
    pub authors: Vec<String>,
    pub description: Option<String>,
    /// SHA-256 of its package; none for those of the workspace.
    pub checksum: Option<String>,
    /// Where its sources are. This must not be in a package.
    pub folder: PathBuf,
    /// The crates that it needs.
    pub needs: Vec<Id>,
}

impl Crate {
    pub fn is_own(&self) -> bool {
        self.checksum.is_none()
    }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    authors: Vec<String>,
    description: Option<String>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

impl Components {
    /// What cargo builds the server from, on this machine and with these features.
    pub fn of(workspace: &Workspace, features: &[&str]) -> Result<Self> {
        let output = cargo()
            .args(["tree", "--locked", "--package", "botyard-server", "--edges", "normal,build"])
            .args(["--prefix", "depth", "--format", " {p}", "--features", &features.join(",")])
            .current_dir(&workspace.root)
            .stderr(Stdio::inherit())
            .output()
            .context("cargo can't be started")?;
        check("cargo tree", output.status)?;
        let (root, needs) = read_tree(&String::from_utf8(output.stdout)?)?;
        let metadata: Metadata = workspace.metadata()?;
        let lock = fs::read_to_string(workspace.root.join("Cargo.lock")).context("Cargo.lock")?;
        let lock: Lock = toml::from_str(&lock).context("Cargo.lock")?;
        let mut packages: BTreeMap<Id, Package> = metadata
            .packages
            .into_iter()
            .map(|it| ((it.name.clone(), it.version.clone()), it))
            .collect();
        let mut checksums: BTreeMap<Id, String> = lock
            .package
            .into_iter()
            .filter_map(|it| Some(((it.name, it.version), it.checksum?)))
            .collect();
        let mut crates = BTreeMap::new();
        for (id, needs) in needs {
            let package = packages.remove(&id).with_context(|| format!("{id:?}: no metadata"))?;
            let found = found(package, needs, checksums.remove(&id))?;
            crates.insert(id, found);
        }
        Ok(Self { crates, root })
    }

    /// A crate by its name, if there is only one version of it.
    pub fn named(&self, name: &str) -> Option<&Crate> {
        self.crates.values().find(|it| it.name == name)
    }
}

fn found(package: Package, needs: Vec<Id>, checksum: Option<String>) -> Result<Crate> {
    let Package { name, version, license, authors, description, manifest_path } = package;
    let licence = license.with_context(|| format!("{name} names no licence"))?;
    let canonical = Expression::canonicalize(&licence)
        .map_err(|error| anyhow!("the licence of {name}, `{licence}`: {error}"))?;
    let folder = manifest_path.parent().context("a manifest without a folder")?.to_owned();
    let licence = canonical.unwrap_or(licence);
    Ok(Crate { name, version, licence, authors, description, checksum, folder, needs })
}

/// Reads lines like `2 serde v1.0.0 (proc-macro)`, which begin with the depth in the tree: the first crate, and what
/// each needs. Where a crate comes again, what it needs is left out.
fn read_tree(text: &str) -> Result<(Id, BTreeMap<Id, Vec<Id>>)> {
    let mut needs: BTreeMap<Id, Vec<Id>> = BTreeMap::new();
    let mut path: Vec<Id> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let mut words = line.split(' ');
        let depth: usize = words
            .next()
            .and_then(|word| word.parse().ok())
            .with_context(|| format!("cargo tree: {line}"))?;
        let name = words.next().with_context(|| format!("cargo tree: {line}"))?;
        let version = words
            .next()
            .and_then(|word| word.strip_prefix('v'))
            .with_context(|| format!("cargo tree: {line}"))?;
        let id = (name.to_owned(), version.to_owned());
        path.truncate(depth);
        if let Some(parent) = path.last() {
            let siblings = needs.entry(parent.clone()).or_default();
            if !siblings.contains(&id) {
                siblings.push(id.clone());
            }
        }
        needs.entry(id.clone()).or_default();
        path.push(id);
    }
    let root = text.lines().next().and(path.first()).context("cargo tree printed nothing")?;
    Ok((root.clone(), needs))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(name: &str) -> Id {
        (name.to_owned(), "1.0.0".to_owned())
    }

    #[test]
    fn the_tree_of_cargo_is_read() {
        let tree = "0 a v1.0.0 (/home/someone/a)\n1 b v1.0.0\n2 c v1.0.0 (proc-macro)\n1 c v1.0.0 (proc-macro) (*)\n";
        let (root, needs) = read_tree(tree).unwrap();
        assert_eq!(root, id("a"));
        assert_eq!(needs[&id("a")], [id("b"), id("c")]);
        assert_eq!(needs[&id("b")], [id("c")]);
        assert!(needs[&id("c")].is_empty());
        assert_eq!(needs.len(), 3);
    }

    #[test]
    fn the_tree_must_be_as_expected() {
        for bad in ["", "a v1.0.0", "0 a 1.0.0"] {
            assert!(read_tree(bad).is_err(), "{bad}");
        }
    }
}
