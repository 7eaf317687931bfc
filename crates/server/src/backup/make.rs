//! Making a backup, beside a running server or without one.
//!
//! Files are copied twice: first those of the database as it is, which takes long the first time, then one state of the
//! database is written into the backup, and last come the files that this state names and that are new since. A file
//! that loses its last reference stays for `blobs.grace`. So the state and the last files must not take longer than
//! that together; a backup for which they did finds that a file is missing, and fails.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use blob_store::BlobStore;
use domain::blob::Blob;
use domain::clock::{Clock as _, Timestamp};
use domain::id::{BlobId, ProjectId};
use serde::Serialize;
use storage_diesel::DatabaseUrl;
use storage_diesel::check::{Checker, Findings};
use storage_diesel::snapshot::take_snapshot;
use storage_diesel::system::SystemClock;

use super::DATABASE;
use super::durable::{Content, for_each_block, sync};
use super::folder::BackupFolder;
use super::manifest::{FileLine, Footer, Header, ManifestWriter};
use super::progress::Progress;
use super::store::{FileStore, StoredFile};
use crate::composition;
use crate::operator::OPERATOR;
use crate::settings::Settings;

/// How many rows are read at once.
const PAGE: u32 = 500;

/// A backup that was made.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BackupSummary {
    /// Its folder.
    pub path: PathBuf,
    pub database_bytes: u64,
    /// The files that belong to it.
    pub files: u64,
    pub file_bytes: u64,
    /// How many of them no earlier backup had.
    pub new_files: u64,
    pub new_bytes: u64,
}

/// What is copied to where.
struct Backup {
    url: DatabaseUrl,
    /// The setting.
    blob_url: String,
    /// None if the folder of files is not there.
    blobs: Option<Arc<BlobStore>>,
    files: FileStore,
    progress: Progress,
    new_files: u64,
    new_bytes: u64,
}

/// Makes a backup of the installation in the folder `to`.
///
/// # Errors
/// If anything could not be read or written; then there is no new backup, but files that were copied stay for the next.
pub async fn make(settings: &Settings, to: &Path) -> Result<BackupSummary> {
    let backups = BackupFolder::make(to)?;
    let _lock = backups.lock()?;
    let mut backup = Backup {
        url: settings.direct_url().clone(),
        blob_url: settings.blob_url.to_string(),
        blobs: composition::find_blobs(settings)?,
        files: backups.files(),
        progress: Progress::begin(),
        new_files: 0,
        new_bytes: 0,
    };
    backup.copy_ahead().await?;
    let now = SystemClock.now();
    let path = backups.begin(now)?;
    let made = backup.copy_state(&path, now).await;
    match made {
        Ok((database, end)) => Ok(BackupSummary {
            path,
            database_bytes: database.bytes,
            files: end.files,
            file_bytes: end.file_bytes,
            new_files: backup.new_files,
            new_bytes: backup.new_bytes,
        }),
        Err(error) => {
            // Without a manifest it is no backup, whatever of it stays.
            drop(fs::remove_dir_all(&path));
            Err(error)
        }
    }
}

impl Backup {
    /// Copies the files of the database as it is.
    async fn copy_ahead(&mut self) -> Result<()> {
        let mut rows = open(&self.url)?;
        self.progress.files("files", rows.blob_totals()?);
        let mut position = Position::default();
        while let Some(page) = position.next(&mut rows)? {
            for blob in page {
                // One that is missing may just have gone.
                self.keep(&blob).await?;
            }
        }
        self.files.sync()
    }

    /// Writes one state of the database into the backup, copies the files that it names, and makes the manifest.
    async fn copy_state(&mut self, folder: &Path, now: Timestamp) -> Result<(Content, Footer)> {
        let path = folder.join(DATABASE);
        self.progress.database();
        let progress = &self.progress;
        take_snapshot(&self.url, &path, &mut |done, total| progress.rows(done, total))?;
        let source = match self.url {
            DatabaseUrl::Sqlite(_) => "sqlite",
            DatabaseUrl::Postgres(_) => "postgres",
        };
        let header = Header::new(now.to_string(), source);
        let mut manifest = ManifestWriter::begin(folder, &header)?;
        let mut rows = open(&DatabaseUrl::Sqlite(path.clone()))?;
        self.progress.files("the last files", rows.blob_totals()?);
        let mut position = Position::default();
        while let Some(page) = position.next(&mut rows)? {
            for blob in page {
                if self.blobs.is_none() {
                    bail!("setting blob_url: {} is not there", self.blob_url);
                }
                if self.keep(&blob).await? == StoredFile::Missing {
                    bail!(
                        "the file {} is not there. If `botyard check` finds nothing, it was removed while the backup \
                         was made, which took longer than `blobs.grace`: make another one, which has less to copy, or \
                         make that setting longer",
                        blob.key()
                    );
                }
                manifest.file(&FileLine::from(&blob))?;
            }
        }
        self.files.sync()?;
        // Only when SQLite has closed the file it is as it stays.
        drop(rows);
        let file = File::open(&path)?;
        let database = for_each_block(&file, |_| anyhow::Ok(()))?;
        file.sync_all()?;
        sync(folder)?;
        Ok((database, manifest.finish(database)?))
    }

    async fn keep(&mut self, blob: &Blob) -> Result<StoredFile> {
        let Some(blobs) = &self.blobs else {
            return Ok(StoredFile::Missing);
        };
        let kept = self.files.keep(&**blobs, blob).await?;
        if kept == StoredFile::Copied {
            self.new_files += 1;
            self.new_bytes += blob.size;
        }
        self.progress.file(blob.size);
        Ok(kept)
    }
}

fn open(url: &DatabaseUrl) -> Result<Checker> {
    let mut findings = Findings::default();
    let opened = Checker::open(url, OPERATOR, &mut findings).with_context(|| url.to_string())?;
    opened.context("the database is not up to date: run `botyard migrate`")
}

/// How far the scan of all blobs has come.
#[derive(Default)]
struct Position {
    project: Option<ProjectId>,
    last: Option<BlobId>,
}

impl Position {
    /// The next blobs; `None` at the end.
    fn next(&mut self, rows: &mut Checker) -> Result<Option<Vec<Blob>>> {
        loop {
            if let Some(project) = self.project {
                let page = rows.blobs(project, self.last, PAGE)?;
                if let Some(blob) = page.last() {
                    self.last = Some(blob.id);
                    return Ok(Some(page));
                }
            }
            self.last = None;
            self.project = rows.project_after(self.project)?;
            if self.project.is_none() {
                return Ok(None);
            }
        }
    }
}
