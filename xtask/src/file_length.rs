//! No file of Rust has more than 400 lines: one that is longer mostly has two concepts.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

const FOLDERS: [&str; 3] = ["crates", "tests", "xtask"];
const LONGEST: usize = 400;
/// How generated files begin, which have the length of what they are made of.
const GENERATED: &str = "// Made of ";

/// Files that are too long, a line each.
pub fn findings(root: &Path) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for folder in FOLDERS {
        collect(root, &root.join(folder), &mut findings)?;
    }
    findings.sort();
    Ok(findings)
}

fn collect(root: &Path, folder: &Path, findings: &mut Vec<String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let path = entry.path();
        if entry.file_type()?.is_dir() && entry.file_name() != "target" {
            collect(root, &path, findings)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            let lines = text.lines().count();
            if lines > LONGEST && !text.starts_with(GENERATED) {
                let shown = path.strip_prefix(root).unwrap_or(&path).display();
                findings.push(format!("{shown} has {lines} lines, more than {LONGEST}"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_found_unless_they_are_generated() {
        let root = tempfile::tempdir().unwrap();
        let lines = |count: usize| "//\n".repeat(count);
        for folder in FOLDERS {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        fs::create_dir(root.path().join("crates/target")).unwrap();
        for (path, text) in [
            ("crates/short.rs", lines(400)),
            ("crates/target/built.rs", lines(500)),
            ("tests/long.rs", lines(401)),
            ("tests/long.json", lines(401)),
            ("xtask/made.rs", GENERATED.to_owned() + &lines(500)),
        ] {
            fs::write(root.path().join(path), text).unwrap();
        }
        let found = findings(root.path()).unwrap();
        assert_eq!(found, ["tests/long.rs has 401 lines, more than 400"]);
    }
}
