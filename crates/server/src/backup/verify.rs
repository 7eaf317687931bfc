//! Reading a backup again, every byte of it.

use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::DATABASE;
use super::durable::{Content, for_each_block};
use super::folder::BackupFolder;
use super::manifest::Manifest;
use super::progress::Progress;
use crate::output::{Reason, Reasons};

/// How many faults are listed.
const FAULTS: usize = 1_000;

/// A backup in which nothing is missing or changed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verified {
    pub made_at: String,
    pub database_bytes: u64,
    pub files: u64,
    pub file_bytes: u64,
}

/// Reads a backup and compares everything with its manifest.
///
/// # Errors
/// What is missing or changed.
pub fn verify(backup: &Path) -> Result<Verified> {
    let manifest = Manifest::open(backup)?;
    let files = BackupFolder::of_backup(backup)?.files();
    let end = &manifest.end;
    let progress = Progress::begin();
    progress.files("verifying", manifest.database.bytes + end.file_bytes);
    let mut faults = Vec::new();
    let mut fault = |message: String| {
        if faults.len() < FAULTS {
            faults.push(Reason { line: None, message });
        }
    };

    let path = backup.join(DATABASE);
    match File::open(&path) {
        Ok(file) => {
            let found = for_each_block(file, |_| anyhow::Ok(()));
            if found.with_context(|| path.display().to_string())? != manifest.database {
                fault(format!("{} is damaged", path.display()));
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fault(format!("{} is missing", path.display()));
        }
        Err(error) => return Err(error).with_context(|| path.display().to_string()),
    }
    progress.file(manifest.database.bytes);
    for line in manifest.files()? {
        let line = line?;
        let key = line.key()?;
        match files.open(line.sha256)? {
            None => fault(format!("the file {key} is missing (content {})", line.sha256)),
            Some(file) => match for_each_block(file, |_| anyhow::Ok(())) {
                Ok(found) if found == (Content { bytes: line.bytes, sha256: line.sha256 }) => {}
                Ok(_) => fault(format!("the file {key} is damaged (content {})", line.sha256)),
                Err(error) => {
                    fault(format!(
                        "the file {key} can't be read (content {}): {error:#}",
                        line.sha256
                    ));
                }
            },
        }
        progress.file(line.bytes);
    }
    drop(progress);
    if !faults.is_empty() {
        return Err(Reasons(faults).into());
    }
    Ok(Verified {
        made_at: manifest.header.made_at.clone(),
        database_bytes: manifest.database.bytes,
        files: end.files,
        file_bytes: end.file_bytes,
    })
}
