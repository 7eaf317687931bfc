//! The folder that holds backups.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use domain::clock::Timestamp;

use super::durable::new_folder;
use super::manifest::MANIFEST;
use super::store::FileStore;
use crate::folder_lock::{FolderLock, make_folder};

/// How many backups can have the same second in their names.
const OF_ONE_SECOND: u32 = 100;

/// The folder that holds backups.
pub struct BackupFolder {
    root: PathBuf,
}

/// A folder in it that is a backup, or was to become one.
pub struct BackupEntry {
    /// Its name, which begins with its time.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Whether it has a manifest.
    pub is_complete: bool,
}

impl BackupFolder {
    /// The folder, which is made if it is missing; the one above it must be there.
    ///
    /// # Errors
    /// If it can't be made.
    pub fn make(root: &Path) -> Result<Self> {
        make_folder(root)?;
        Ok(Self { root: root.to_owned() })
    }

    /// The folder, which must be there.
    ///
    /// # Errors
    /// If it is not.
    pub fn find(root: &Path) -> Result<Self> {
        if !root.is_dir() {
            bail!("there is no folder {}", root.display());
        }
        Ok(Self { root: root.to_owned() })
    }

    /// The folder that holds this backup.
    ///
    /// # Errors
    /// If there is none.
    pub fn of_backup(backup: &Path) -> Result<Self> {
        let path = fs::canonicalize(backup).with_context(|| backup.display().to_string())?;
        let root = path.parent().with_context(|| format!("{} is no backup", path.display()))?;
        Ok(Self { root: root.to_owned() })
    }

    /// Keeps other backups and removals out for as long as it is held.
    ///
    /// # Errors
    /// If one of them is at work.
    pub fn lock(&self) -> Result<FolderLock> {
        FolderLock::claim_for(&self.root, "another botyard makes or removes backups in the folder")
    }

    /// The files of all backups.
    pub fn files(&self) -> FileStore {
        FileStore::new(self.root.join("files"))
    }

    /// A new folder for a backup that is made now.
    ///
    /// # Errors
    /// If it can't be made.
    pub fn begin(&self, now: Timestamp) -> Result<PathBuf> {
        let time = now.to_string();
        let (second, _) = time.split_once('.').unwrap_or((&time, ""));
        let second = format!("{}Z", second.replace(':', "-"));
        for number in 1..=OF_ONE_SECOND {
            let name = if number == 1 { second.clone() } else { format!("{second}-{number}") };
            let path = self.root.join(name);
            match new_folder(&path) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => {
                    return Err(error).with_context(|| path.display().to_string());
                }
            }
        }
        bail!("there are {OF_ONE_SECOND} backups of {second} already")
    }

    /// All backups, oldest first, and what was to become one.
    ///
    /// # Errors
    /// If the folder can't be read.
    pub fn entries(&self) -> Result<Vec<BackupEntry>> {
        let named = || self.root.display().to_string();
        let mut entries = Vec::new();
        for entry in fs::read_dir(&self.root).with_context(named)? {
            let path = entry.with_context(named)?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            if let Some(name) = name.filter(|name| is_name(name) && path.is_dir()) {
                let is_complete = path.join(MANIFEST).is_file();
                entries.push(BackupEntry { name, path, is_complete });
            }
        }
        entries.sort_by_key(|entry| order(&entry.name));
        Ok(entries)
    }
}

/// Whether a backup can have this name: `2026-11-25T10-15-00Z`, or with a number behind it.
fn is_name(name: &str) -> bool {
    let (time, number) = name.split_at_checked(20).unwrap_or((name, ""));
    let is_time = time.len() == 20
        && time.bytes().zip("dddd-dd-ddTdd-dd-ddZ".bytes()).all(|(found, form)| match form {
            b'd' => found.is_ascii_digit(),
            form => found == form,
        });
    let is_number =
        |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_time && (number.is_empty() || number.strip_prefix('-').is_some_and(is_number))
}

/// By time, then by number.
fn order(name: &str) -> (String, u32) {
    let (time, number) = name.split_at_checked(20).unwrap_or((name, ""));
    (time.to_owned(), number.trim_start_matches('-').parse().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backups_are_known_by_their_names_and_come_in_order() {
        for name in ["2026-11-25T10-15-00Z", "2026-11-25T10-15-00Z-2", "2026-11-25T10-15-00Z-11"] {
            assert!(is_name(name), "{name}");
        }
        for name in [
            "",
            "files",
            "2026-11-25T10:15:00Z",
            "2026-11-25T10-15-00",
            "2026-11-25T10-15-00Z-",
            "2026-11-25T10-15-00Z2",
        ] {
            assert!(!is_name(name), "{name}");
        }
        let mut names =
            ["2026-11-25T10-15-00Z-11", "2026-11-25T10-15-00Z-2", "2026-11-25T10-15-00Z"];
        names.sort_by_key(|name| order(name));
        assert_eq!(
            names,
            ["2026-11-25T10-15-00Z", "2026-11-25T10-15-00Z-2", "2026-11-25T10-15-00Z-11"]
        );
    }

    #[test]
    fn two_backups_of_a_second_are_two_folders() {
        let root = tempfile::tempdir().unwrap();
        let backups = BackupFolder::make(root.path()).unwrap();
        let now = Timestamp::from_millis(1_764_065_700_123);
        for _ in 0..2 {
            backups.begin(now).unwrap();
        }
        let names: Vec<_> =
            backups.entries().unwrap().into_iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["2025-11-25T10-15-00Z", "2025-11-25T10-15-00Z-2"]);
    }
}
