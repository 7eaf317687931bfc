//! Names that a crate's sources must not contain, because having them at all would break a promise
//! that the compiler can't hold.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// A word that the sources below some folders must not contain.
struct Boundary {
    folders: &'static [&'static str],
    word: &'static str,
    /// Files that may have it all the same.
    except: &'static [&'static str],
    reason: &'static str,
}

const BOUNDARIES: [Boundary; 3] = [
    Boundary {
        folders: &["crates/http-actix"],
        word: "Operator",
        except: &[],
        reason: "no request may look across tenants",
    },
    Boundary {
        folders: &[
            "crates/archive/src",
            "crates/blob-store/src",
            "crates/crawler/src",
            "crates/domain/src",
            "crates/egress/src",
            "crates/extractor/src",
            "crates/secret-cipher/src",
            "crates/server/src",
            "crates/storage-diesel/src",
            "crates/webhook-sender/src",
        ],
        word: "Operator::of_this_installation",
        // A test; the example of an embedding program; the command line, which is the operator; and queries whose
        // plans tests look at.
        except: &[
            "crates/domain/src/encryption/rotation.rs",
            "crates/domain/src/lib.rs",
            "crates/server/src/operator.rs",
            "crates/storage-diesel/src/plans.rs",
            "crates/storage-diesel/src/tables/keyval/plans.rs",
        ],
        reason: "the right of the operator comes from the command line",
    },
    Boundary {
        folders: &[
            "crates/archive/src",
            "crates/blob-store/src",
            "crates/crawler/src",
            "crates/egress/src",
            "crates/extractor/src",
            "crates/http-actix/src",
            "crates/secret-cipher/src",
            "crates/server/src",
            "crates/storage-diesel/src",
            "crates/webhook-sender/src",
        ],
        word: "domain::testing",
        // Modules of tests, which begin with `#[cfg(test)]` where they are declared.
        except: &[
            "crates/http-actix/src/samples.rs",
            "crates/http-actix/src/api/document/tests.rs",
            "crates/secret-cipher/src/samples.rs",
            "crates/server/src/job_runner/tests/mod.rs",
            "crates/storage-diesel/src/plans.rs",
            "crates/storage-diesel/src/tables/keyval/plans.rs",
        ],
        reason: "it forges rights, and its clock and generator are for tests",
    },
];

/// How a module says where its file is.
const PATH: &str = "#[path = \"";

/// Where a boundary is crossed, a line each.
pub fn findings(root: &Path) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for boundary in &BOUNDARIES {
        for folder in boundary.folders {
            let mut files = Vec::new();
            collect(&root.join(folder), &mut files)?;
            for file in files {
                findings.extend(boundary.crossings(root, &file)?);
            }
        }
    }
    for package in packages(root)? {
        let mut files = Vec::new();
        collect(&package, &mut files)?;
        for file in files {
            findings.extend(modules_from_elsewhere(root, &package, &file)?);
        }
    }
    Ok(findings)
}

/// The folders of the packages.
fn packages(root: &Path) -> Result<Vec<PathBuf>> {
    let mut packages = vec![root.join("tests"), root.join("xtask")];
    for folder in ["crates", "tests"].map(|folder| root.join(folder)) {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            packages.push(entry?.path());
        }
    }
    packages.retain(|package| package.join("Cargo.toml").is_file());
    Ok(packages)
}

/// Modules whose files are not in the package.
fn modules_from_elsewhere(root: &Path, package: &Path, file: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
    let is_elsewhere = |line: &str| {
        let (Some(path), Some(folder)) = (line.trim_start().strip_prefix(PATH), file.parent())
        else {
            return false;
        };
        let path = path.split('"').next().unwrap_or_default();
        let found = folder.join(path);
        found.canonicalize().is_ok_and(|found| {
            package.canonicalize().is_ok_and(|package| !found.starts_with(package))
        })
    };
    let lines = text.lines().enumerate().filter(|(_, line)| is_elsewhere(line));
    let reason = "a module belongs to one package; what several need is a package of its own";
    Ok(lines
        .map(|(at, _)| format!("{shown}:{} has a module from elsewhere: {reason}", at + 1))
        .collect())
}

impl Boundary {
    fn crossings(&self, root: &Path, file: &Path) -> Result<Vec<String>> {
        let Self { word, except, reason, .. } = self;
        let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
        if except.contains(&shown.as_str()) {
            return Ok(Vec::new());
        }
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let lines = text.lines().enumerate().filter(|(_, line)| line.contains(word));
        Ok(lines.map(|(at, _)| format!("{shown}:{} has {word}: {reason}", at + 1)).collect())
    }
}

fn collect(folder: &Path, files: &mut Vec<std::path::PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_workspace_keeps_its_boundaries() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert_eq!(findings(root).unwrap(), Vec::<String>::new());
    }

    /// The findings in a workspace of these files.
    fn findings_in(name: &str, files: &[(&str, &str)]) -> Vec<String> {
        let root = std::env::temp_dir().join(format!("boundaries-{}-{name}", std::process::id()));
        let folders = BOUNDARIES.iter().flat_map(|boundary| boundary.folders).copied();
        for folder in folders.chain(["tests", "xtask"]) {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (file, text) in files {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let found = findings(&root);
        fs::remove_dir_all(&root).unwrap();
        found.unwrap()
    }

    #[test]
    fn a_crossed_boundary_is_found() {
        for (file, line, word) in [
            ("crates/http-actix/src/bad.rs", "use domain::access::Operator;", "Operator"),
            (
                "crates/server/src/bad.rs",
                "let operator = Operator::of_this_installation();",
                "Operator::of_this_installation",
            ),
            ("crates/crawler/src/bad.rs", "use domain::testing::SetClock;", "domain::testing"),
        ] {
            let found = findings_in(word, &[(file, &format!("fn f() {{}}\n{line}\n"))]);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].starts_with(&format!("{file}:2 has {word}: ")), "{found:?}");
        }
        let allowed = "const OPERATOR: Operator = Operator::of_this_installation();";
        assert_eq!(findings_in("allowed", &[("crates/server/src/operator.rs", allowed)]), [""; 0]);
    }

    #[test]
    fn a_module_from_another_package_is_found() {
        let found = findings_in(
            "modules",
            &[
                ("crates/archive/Cargo.toml", ""),
                ("crates/archive/src/own.rs", ""),
                ("crates/crawler/Cargo.toml", ""),
                (
                    "crates/crawler/src/lib.rs",
                    "#[path = \"lib.rs\"]\nmod own;\n#[path = \"../../archive/src/own.rs\"]\nmod other;\n",
                ),
            ],
        );
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("crates/crawler/src/lib.rs:3 "), "{found:?}");
    }
}
