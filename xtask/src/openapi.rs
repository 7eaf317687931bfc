//! `cargo xtask openapi`

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::client;
use crate::examples;
use crate::workspace::{Workspace, check, without_variables};

/// The documents that come from the code, and what `botyard docs` calls each.
const DOCUMENTS: [(&str, &str); 2] =
    [("docs/openapi.json", "openapi"), ("docs/settings.md", "settings")];

/// Where the client is.
const CLIENT: &str = "crates/client/src";

/// Writes what is made from the code: docs/openapi.json, docs/settings.md, and of the former most of crates/client.
///
/// Run it after a change to routes, bodies or settings, and commit what it wrote.
#[derive(Args)]
pub struct Openapi {
    /// Write nothing; fail and name the files that differ from what the code says.
    #[arg(long)]
    check: bool,
    /// Record the answers that docs/openapi.json shows anew, from a server with samples.
    #[arg(long, conflicts_with = "check")]
    examples: bool,
}

impl Openapi {
    pub fn run(&self, workspace: &Workspace) -> Result<()> {
        let binary = workspace.build_server()?;
        if self.check {
            let stale = stale(workspace, &binary)?;
            if !stale.is_empty() {
                bail!("{}", stale.join("; "));
            }
            println!("the generated files are up to date");
            return Ok(());
        }
        let binary = if self.examples {
            let recorded = examples::record(workspace, &binary)?;
            fs::write(workspace.root.join(examples::FILE), recorded).context(examples::FILE)?;
            println!("wrote {}", examples::FILE);
            workspace.build_server()?
        } else {
            binary
        };
        let made = made(workspace, &binary)?;
        for path in left_over(workspace, &made)? {
            fs::remove_file(workspace.root.join(&path)).with_context(|| path.clone())?;
            println!("removed {path}");
        }
        for (path, text) in made {
            let file = workspace.root.join(&path);
            if let Some(folder) = file.parent() {
                fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
            }
            fs::write(&file, text).with_context(|| format!("{path} can't be written"))?;
            println!("wrote {path}");
        }
        Ok(())
    }
}

/// One finding for each file that is not what the code says.
pub fn stale(workspace: &Workspace, binary: &Path) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    let made = made(workspace, binary)?;
    for path in left_over(workspace, &made)? {
        findings.push(format!("{path} is not made any more: remove it with `cargo xtask openapi`"));
    }
    for (path, expected) in made {
        let current = read(&workspace.root.join(&path)).with_context(|| path.clone())?;
        findings.extend(finding(&path, current.as_deref(), &expected));
    }
    Ok(findings)
}

/// Every file that is made from the code: its path from the root, and what is to be in it.
fn made(workspace: &Workspace, binary: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for (path, document) in DOCUMENTS {
        let text = print(workspace, binary, document)?;
        if document == "openapi" {
            let of_client = client::files(&text, &workspace.root)?;
            files.extend(of_client.into_iter().map(|(path, text)| (path, text.into_bytes())));
        }
        files.push((path.to_owned(), text));
    }
    Ok(files)
}

/// Files that were made once and are not any more.
fn left_over(workspace: &Workspace, made: &[(String, Vec<u8>)]) -> Result<Vec<String>> {
    let (mut folders, mut left) = (vec![CLIENT.to_owned()], Vec::new());
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(workspace.root.join(&folder));
        for entry in entries.with_context(|| folder.clone())? {
            let entry = entry?;
            let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if fs::read(entry.path())?.starts_with(client::HEAD.as_bytes())
                && !made.iter().any(|(known, _)| *known == path)
            {
                left.push(path);
            }
        }
    }
    Ok(left)
}

fn finding(path: &str, current: Option<&[u8]>, expected: &[u8]) -> Option<String> {
    let state = match current {
        None => "is missing",
        Some(current) if current != expected => "is stale",
        Some(_) => return None,
    };
    Some(format!("{path} {state}: refresh it with `cargo xtask openapi`"))
}

fn read(file: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(file) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// What `botyard docs …` prints. The documents show the defaults, so neither the variables nor
/// the botyard.toml of the user who runs this may play a part.
fn print(workspace: &Workspace, binary: &Path, document: &str) -> Result<Vec<u8>> {
    let name = format!("botyard docs {document}");
    let output = without_variables(&mut Command::new(binary), "BOTYARD_")
        .args(["docs", document])
        .current_dir(&workspace.target)
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{name} can't be started"))?;
    check(&name, output.status)?;
    if output.stdout.is_empty() {
        bail!("`{name}` printed nothing");
    }
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_and_a_changed_document_are_named() {
        assert_eq!(finding("docs/a.md", Some(b"same"), b"same"), None);
        let stale = finding("docs/a.md", Some(b"old"), b"new").unwrap();
        assert!(stale.starts_with("docs/a.md is stale"), "{stale}");
        let missing = finding("docs/a.md", None, b"new").unwrap();
        assert!(missing.starts_with("docs/a.md is missing"), "{missing}");
    }
}
