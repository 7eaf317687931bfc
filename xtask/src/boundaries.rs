//! Names that a crate's sources must not contain, because having them at all would break a promise
//! that the compiler can't hold.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

/// A word that the sources below some folders must not contain.
struct Boundary {
    folders: &'static [&'static str],
    word: &'static str,
    /// Files that may have it all the same.
    except: &'static [&'static str],
    reason: &'static str,
}

const BOUNDARIES: [Boundary; 4] = [
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
            "crates/extractor/src",
            "crates/server/src",
            "crates/storage-diesel/src",
        ],
        word: "Operator::of_this_installation",
        // The command line, which is the operator; and queries whose plans tests look at.
        except: &[
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
            "crates/extractor/src",
            "crates/http-actix/src",
            "crates/server/src",
            "crates/storage-diesel/src",
        ],
        word: "domain::testing",
        // Modules of tests, which begin with `#[cfg(test)]` where they are declared.
        except: &[
            "crates/http-actix/src/samples.rs",
            "crates/http-actix/src/api/document/tests.rs",
        ],
        reason: "it forges rights, and its clock and generator are for tests",
    },
    Boundary {
        folders: &["crates", "tests", "xtask"],
        word: "#[path = \"../../../",
        except: &[],
        reason: "a module belongs to one package; what several need is a package of its own",
    },
];

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
    Ok(findings)
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

    #[test]
    fn a_crossed_boundary_is_found() {
        let root = std::env::temp_dir().join(format!("boundaries-{}", std::process::id()));
        let source = root.join("crates/http-actix/src");
        for folder in BOUNDARIES.iter().flat_map(|boundary| boundary.folders) {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::create_dir_all(&source).unwrap();
        fs::write(source.join("bad.rs"), "fn f() {}\nuse domain::access::Operator;\n").unwrap();
        let found = findings(&root).unwrap();
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(
            found,
            ["crates/http-actix/src/bad.rs:2 has Operator: no request may look across tenants"]
        );
    }
}
