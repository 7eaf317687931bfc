//! Files that the pages for developers name: a page that leads to nothing is worse than none.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

/// The pages.
const PAGES: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];
/// Where the files may lie, beside those in the root itself.
const FOLDERS: [&str; 6] = ["crates", "docs", "migrations", "tests", "xtask", ".cargo"];
/// Files that the pages name and that are not in the project.
const FOREIGN: [&str; 2] = ["botyard.toml", "robots.txt"];

/// Names of files and folders that do not exist, a line each.
pub fn findings(root: &Path) -> Result<Vec<String>> {
    let mut known = BTreeSet::new();
    for entry in fs::read_dir(root).with_context(|| root.display().to_string())? {
        known.insert(entry?.file_name().to_string_lossy().into_owned());
    }
    for folder in FOLDERS.map(|folder| root.join(folder)) {
        if folder.exists() {
            collect(root, &folder, &mut known)?;
        }
    }
    let mut findings = Vec::new();
    for page in PAGES {
        let text = fs::read_to_string(root.join(page)).with_context(|| page.to_owned())?;
        for (number, line) in text.lines().enumerate() {
            for name in named(line).filter(|name| !is_known(name, &known)) {
                findings.push(format!("{page}:{}: there is no `{name}`", number + 1));
            }
        }
    }
    Ok(findings)
}

/// Adds the paths of all that is in a folder, from the root.
fn collect(root: &Path, folder: &Path, known: &mut BTreeSet<String>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        if path.is_dir() && !shown.ends_with("target") {
            collect(root, &path, known)?;
        }
        known.insert(shown);
    }
    Ok(())
}

/// What in a line stands between backticks and has the form of a path.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let quoted = line.split('`').skip(1).step_by(2);
    quoted.filter(|name| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let is_file = matches!(ending, Some("rs" | "md" | "toml" | "json" | "sql" | "txt"));
        let is_folder = name.len() > 1 && name.ends_with('/') && !name.starts_with('/');
        name.bytes().all(is_plain) && (is_file || is_folder) && !FOREIGN.contains(name)
    })
}

/// Whether a path ends so.
fn is_known(name: &str, known: &BTreeSet<String>) -> bool {
    let name = name.trim_end_matches('/');
    known.iter().any(|path| {
        path.strip_suffix(name).is_some_and(|above| above.is_empty() || above.ends_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_name_what_is_there() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert_eq!(findings(root).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn what_is_not_there_is_found() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("crates/a/src")).unwrap();
        fs::write(folder.path().join("crates/a/src/lib.rs"), "").unwrap();
        let page =
            "See `a/src/lib.rs`, `src/`, `lib.rs`, `f()` and `GET /a/`.\nNot `b.rs` or `ib.rs`.";
        fs::write(folder.path().join("ARCHITECTURE.md"), page).unwrap();
        fs::write(folder.path().join("CONTRIBUTING.md"), "`gone/`").unwrap();
        let expected = [
            "ARCHITECTURE.md:2: there is no `b.rs`",
            "ARCHITECTURE.md:2: there is no `ib.rs`",
            "CONTRIBUTING.md:1: there is no `gone/`",
        ];
        assert_eq!(findings(folder.path()).unwrap(), expected);
    }
}
