//! The floors of modules (ARCHITECTURE.md): in no crate do more than two modules depend on each other in a circle.
//!
//! A module depends on the file that *defines* a name, wherever it takes the name from: `pub use` is
//! followed, and is no dependency itself. What is only built for tests does not count. The compiler
//! allows every circle inside a crate; a reader who has to understand one has to read all of it.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the enums of syn have many variants that do not matter here, and get more"
)]

mod circles;
mod crate_tree;
mod dependencies;
mod names;

use std::path::Path;

use anyhow::Result;

use self::circles::circles;
use self::crate_tree::CrateTree;
use self::dependencies::Dependencies;
use crate::workspace::Workspace;

/// How many modules may depend on each other: a pair is read together.
const LARGEST_CIRCLE: usize = 2;

/// Circles that are too large, a line each.
pub fn findings(workspace: &Workspace) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for package in &workspace.packages {
        let folder = package.manifest_path.parent().unwrap_or(Path::new("/"));
        let sources = folder.join("src");
        for root in ["lib.rs", "main.rs"].map(|name| sources.join(name)) {
            if root.exists() {
                findings.extend(in_crate(&package.name, &CrateTree::read(&root)?));
            }
        }
    }
    Ok(findings)
}

fn in_crate(name: &str, tree: &CrateTree) -> Vec<String> {
    let dependencies = dependencies::of(tree);
    let found = circles(tree.files.len(), dependencies.keys().copied());
    let largest = found.iter().map(Vec::len).max().unwrap_or(1);
    println!("  {name}: {} modules, the largest circle has {largest}", tree.files.len());
    let too_large = found.iter().filter(|circle| circle.len() > LARGEST_CIRCLE);
    too_large.map(|circle| described(name, tree, circle, &dependencies)).collect()
}

/// A circle with all that its modules use of each other, so that one sees where it can be cut.
fn described(
    name: &str,
    tree: &CrateTree,
    circle: &[usize],
    dependencies: &Dependencies,
) -> String {
    let mut text = format!("{name}: a circle of {} modules:", circle.len());
    let file = |index: usize| tree.files.get(index).map(|file| file.display().to_string());
    for ((from, to), names) in dependencies {
        if circle.contains(from) && circle.contains(to) {
            let (from, to) = (file(*from).unwrap_or_default(), file(*to).unwrap_or_default());
            let names: Vec<_> = names.iter().map(String::as_str).collect();
            text.extend(["\n    ", &from, " → ", &to, ": ", &names.join(", ")]);
        }
    }
    text
}
