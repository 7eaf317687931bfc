//! Whether each file has a row, and each row its file.
//!
//! Files and rows change while they are compared. The bytes of an upload are in their place before their row is,
//! and a row that goes is marked before its bytes are removed. So what seems to be missing is looked at once more:
//! a file is missing if it is not there and its row, read after that, still is as it was.

use std::time::Duration;

use anyhow::Result;
use domain::blob::{Blob, BlobError, BlobKey, BlobState, Blobs, Sha256, StoredBlob};
use domain::id::ProjectId;
use futures_util::future::join_all;
use sha2::{Digest as _, Sha256 as Hasher};
use storage_diesel::check::{Checker, Finding, Findings, Repair};

use super::botyard_now;

/// How many rows are read at once.
const PAGE: u32 = 500;
/// How many files are looked for at once; each is a request to a bucket.
const AT_ONCE: usize = 16;
/// A file without a row may be that of an upload whose row comes in a moment. The sweep leaves newer ones alone, too.
const UPLOAD: Duration = Duration::from_secs(60 * 60);

/// A comparison of rows and files.
pub struct FileCheck<'a> {
    pub checker: &'a mut Checker,
    pub blobs: &'a dyn Blobs,
    /// For how long a file stays that lost its last reference.
    pub grace: Duration,
    /// Whether the content of every file is read.
    pub content: bool,
}

impl FileCheck<'_> {
    /// Goes through all projects; returns how many files have a row.
    pub async fn run(&mut self, findings: &mut Findings) -> Result<u64> {
        let (mut project, mut files) = (None, 0);
        while let Some(next) = self.checker.project_after(project)? {
            self.check_files(next, findings).await?;
            files += self.check_rows(next, findings).await?;
            project = Some(next);
        }
        Ok(files)
    }

    /// Finds files that have no row, and files of another size than their row says.
    async fn check_files(&mut self, project: ProjectId, findings: &mut Findings) -> Result<()> {
        let before = botyard_now().minus(self.grace.max(UPLOAD));
        let mut lister = self.blobs.list(project).await?;
        while let Some(page) = lister.next().await? {
            let keys: Vec<_> = page.iter().map(|stored| stored.key.clone()).collect();
            let orphans = self.checker.without_row(&keys)?;
            for StoredBlob { key, size, stored_at } in page {
                if !orphans.contains(&key) {
                    self.compare_size(&key, size, findings)?;
                } else if stored_at < before && self.is_there(&key).await? {
                    let sentence = "no row refers to this file; the sweep removes it".to_owned();
                    findings.push(Finding {
                        project: Some(project),
                        repair: Some(Repair::Sweep),
                        ..Finding::new("file_without_row", key.to_string(), sentence)
                    });
                }
            }
        }
        Ok(())
    }

    fn compare_size(&mut self, key: &BlobKey, size: u64, findings: &mut Findings) -> Result<()> {
        let Some(id) = key.blob_id() else { return Ok(()) };
        let row = self.checker.blob(id)?;
        if let Some(blob) = row.filter(|blob| blob.size != size && blob.key() == *key) {
            let sentence = format!("the file has {size} bytes instead of {}", blob.size);
            findings.push(of_blob("file_size", &blob, sentence));
        }
        Ok(())
    }

    /// Finds rows whose file is not there; returns how many there are whose file is.
    async fn check_rows(&mut self, project: ProjectId, findings: &mut Findings) -> Result<u64> {
        let (mut last, mut files) = (None, 0);
        loop {
            let page = self.checker.blobs(project, last, PAGE)?;
            let Some(blob) = page.last() else {
                return Ok(files);
            };
            last = Some(blob.id);
            for some in page.chunks(AT_ONCE) {
                let keys: Vec<_> = some.iter().map(Blob::key).collect();
                let found = join_all(keys.iter().map(|key| self.is_there(key))).await;
                for (blob, is_there) in some.iter().zip(found) {
                    let is_there = is_there?;
                    files += u64::from(is_there);
                    let lacks = if is_there {
                        self.fault_of_content(blob).await.map(|it| ("file_content", it))
                    } else {
                        Some(("file_missing", "the file is not there".to_owned()))
                    };
                    if let Some((kind, sentence)) = lacks
                        && self.is_still_present(blob)?
                    {
                        findings.push(of_blob(kind, blob, sentence));
                    }
                }
            }
        }
    }

    fn is_still_present(&mut self, blob: &Blob) -> Result<bool> {
        let row = self.checker.blob(blob.id)?;
        Ok(row.is_some_and(|row| row.state == BlobState::Present))
    }

    async fn is_there(&self, key: &BlobKey) -> Result<bool, BlobError> {
        match self.blobs.read(key, 0..1).await {
            Ok(_) => Ok(true),
            Err(BlobError::Missing(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What is wrong with the content of a file, if it is to be looked at.
    async fn fault_of_content(&self, blob: &Blob) -> Option<String> {
        if !self.content {
            return None;
        }
        match self.has_other_content(blob).await {
            Ok(false) => None,
            Ok(true) => Some("the file has other content than was stored".to_owned()),
            Err(error) => Some(format!("the file can't be read: {error}")),
        }
    }

    async fn has_other_content(&self, blob: &Blob) -> Result<bool, BlobError> {
        let mut reader = match self.blobs.read(&blob.key(), 0..blob.size + 1).await {
            Ok(reader) => reader,
            // The row is read again, and says whether that is as it should be.
            Err(BlobError::Missing(_)) => return Ok(true),
            Err(error) => return Err(error),
        };
        let mut hasher = Hasher::new();
        while let Some(block) = reader.next().await? {
            hasher.update(&block);
        }
        Ok(Sha256::from_bytes(hasher.finalize().into()) != blob.sha256)
    }
}

fn of_blob(kind: &'static str, blob: &Blob, sentence: String) -> Finding {
    let project = Some(blob.project_id);
    Finding { project, ..Finding::new(kind, blob.key().to_string(), sentence) }
}
