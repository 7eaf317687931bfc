//! Listing backups, and removing old ones.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;

use super::folder::{BackupEntry, BackupFolder};
use super::manifest::{MANIFEST, Manifest};

/// A backup in a list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Listed {
    pub name: String,
    /// What is wrong with it: it has no manifest, because it is being made or could not be finished, or a damaged one.
    pub fault: Option<String>,
    pub source: Option<String>,
    pub database_bytes: u64,
    pub files: u64,
    pub file_bytes: u64,
}

/// What went.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pruned {
    /// The backups.
    pub removed: Vec<String>,
    /// Files that no other backup has.
    pub files: u64,
    pub file_bytes: u64,
}

/// The backups in a folder, oldest first.
///
/// # Errors
/// If the folder can't be read.
pub fn list(folder: &Path) -> Result<Vec<Listed>> {
    let entries = BackupFolder::find(folder)?.entries()?;
    Ok(entries.into_iter().map(listed).collect())
}

fn listed(entry: BackupEntry) -> Listed {
    let unknown = |fault: String| Listed {
        name: entry.name.clone(),
        fault: Some(fault),
        source: None,
        database_bytes: 0,
        files: 0,
        file_bytes: 0,
    };
    if !entry.is_complete {
        return unknown("not finished".to_owned());
    }
    match Manifest::open(&entry.path) {
        Err(error) => unknown(format!("{error:#}")),
        Ok(Manifest { header, database, end, .. }) => Listed {
            name: entry.name,
            fault: None,
            source: Some(header.source),
            database_bytes: database.bytes,
            files: end.files,
            file_bytes: end.file_bytes,
        },
    }
}

/// Removes all backups but the last `keep`, those that were never finished, and the files that none is left to have.
///
/// # Errors
/// If there is no complete backup, or a manifest of one that stays can't be read, so that its files are not known; then
/// nothing goes. If something can't be removed.
pub fn prune(folder: &Path, keep: usize) -> Result<Pruned> {
    let backups = BackupFolder::find(folder)?;
    let _lock = backups.lock()?;
    let (complete, unfinished): (Vec<_>, Vec<_>) =
        backups.entries()?.into_iter().partition(|entry| entry.is_complete);
    ensure!(!complete.is_empty(), "there is no complete backup in {}", folder.display());
    let surplus = complete.len().saturating_sub(keep);
    let (old, kept) = complete.split_at_checked(surplus).unwrap_or((&[], complete.as_slice()));
    let mut contents = HashSet::new();
    for entry in kept {
        for line in Manifest::open(&entry.path)?.files()? {
            contents.insert(line?.sha256);
        }
    }
    let mut removed = Vec::new();
    for entry in old.iter().chain(&unfinished) {
        let named = || entry.path.display().to_string();
        // First what makes it a backup, so that no part of one is taken for a whole one.
        if entry.is_complete {
            fs::remove_file(entry.path.join(MANIFEST)).with_context(named)?;
        }
        fs::remove_dir_all(&entry.path).with_context(named)?;
        removed.push(entry.name.clone());
    }
    let (files, file_bytes) = backups.files().retain(|sha256| contents.contains(&sha256))?;
    Ok(Pruned { removed, files, file_bytes })
}
