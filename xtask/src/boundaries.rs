//! Names that a crate's sources must not contain, because having them at all would break a promise
//! that the compiler can't hold.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

/// Why `domain::testing` must not be used: it forges rights, and its clock and generator are none.
const TESTING: &str = "what is for tests stays in tests";

/// A folder, a word that no Rust file below it may contain, and why.
const BOUNDARIES: [(&str, &str, &str); 8] = [
    ("crates/http-actix", "Operator", "no request may look across tenants"),
    ("crates/http-actix/src", "domain::testing", TESTING),
    ("crates/archive/src", "domain::testing", TESTING),
    ("crates/blob-store/src", "domain::testing", TESTING),
    ("crates/crawler/src", "domain::testing", TESTING),
    ("crates/extractor/src", "domain::testing", TESTING),
    ("crates/server/src", "domain::testing", TESTING),
    ("crates/storage-diesel/src", "domain::testing", TESTING),
];

/// Files of tests beside the code, which begin with `#[cfg(test)]` where they are declared.
const OF_TESTS: [&str; 2] =
    ["crates/http-actix/src/samples.rs", "crates/http-actix/src/api/document/tests.rs"];

/// Where a boundary is crossed, a line each.
pub fn findings(root: &Path) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for (folder, word, reason) in BOUNDARIES {
        let mut files = Vec::new();
        collect(&root.join(folder), &mut files)?;
        for file in files {
            let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            let shown = file.strip_prefix(root).unwrap_or(&file).display().to_string();
            if word == "domain::testing" && OF_TESTS.contains(&shown.as_str()) {
                continue;
            }
            let lines = text.lines().enumerate().filter(|(_, line)| line.contains(word));
            for (at, _) in lines {
                findings.push(format!("{shown}:{} names {word}: {reason}", at + 1));
            }
        }
    }
    Ok(findings)
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
        for (folder, ..) in BOUNDARIES {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::create_dir_all(&source).unwrap();
        fs::write(source.join("bad.rs"), "fn f() {}\nuse domain::access::Operator;\n").unwrap();
        let found = findings(&root).unwrap();
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(
            found,
            ["crates/http-actix/src/bad.rs:2 names Operator: no request may look across tenants"]
        );
    }
}
