//! The list of everything in a backup.
//!
//! It is a file of JSON lines, because there may be millions of files: the first line is the [`Header`], then comes a
//! [`FileLine`] for each file, then the [`DatabaseLine`], and the last line, [`Footer`], has the hash of all lines
//! before it, so that a manifest that is cut off or changed is found.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use domain::blob::{Blob, BlobKey, Sha256};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256 as Hasher};

use super::durable::{Content, Draft, sync};

/// The name of the manifest in a backup.
pub const MANIFEST: &str = "manifest.jsonl";
/// The form of backups that this binary makes and reads.
const FORMAT: u32 = 1;
/// No line is as long as this, unless it is none of ours.
const LINE_MAX: u64 = 4096;

/// What a backup says of itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Header {
    pub format: u32,
    /// The version of botyard that made it.
    pub version: String,
    /// When the state was read that is in it.
    pub made_at: String,
    /// What the database was: `sqlite` or `postgres`. In the backup it is always a file of SQLite.
    pub source: String,
}

/// A file of the installation.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct FileLine {
    pub key: String,
    pub bytes: u64,
    pub sha256: Sha256,
}

/// The database of the backup.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DatabaseLine {
    database_bytes: u64,
    database_sha256: Sha256,
}

/// The last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Footer {
    pub files: u64,
    pub file_bytes: u64,
    pub manifest_sha256: Sha256,
}

impl Header {
    /// That of a backup which is being made now.
    pub fn new(made_at: String, source: &str) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            made_at,
            source: source.to_owned(),
        }
    }
}

impl FileLine {
    /// Where the file lies in an installation.
    ///
    /// # Errors
    /// If the key is none.
    pub fn key(&self) -> Result<BlobKey> {
        BlobKey::parse(&self.key).with_context(|| format!("{:?} is no key of a file", self.key))
    }
}

impl From<&Blob> for FileLine {
    fn from(blob: &Blob) -> Self {
        Self { key: blob.key().to_string(), bytes: blob.size, sha256: blob.sha256 }
    }
}

/// A manifest that is being written.
pub struct ManifestWriter {
    draft: Draft,
    folder: PathBuf,
    files: u64,
    file_bytes: u64,
}

impl ManifestWriter {
    /// # Errors
    /// If it can't be written.
    pub fn begin(folder: &Path, header: &Header) -> Result<Self> {
        let draft = Draft::begin(folder.join(MANIFEST))?;
        let mut writer = Self { draft, folder: folder.to_owned(), files: 0, file_bytes: 0 };
        writer.line(header)?;
        Ok(writer)
    }

    /// # Errors
    /// If it can't be written.
    pub fn file(&mut self, file: &FileLine) -> Result<()> {
        self.files += 1;
        self.file_bytes += file.bytes;
        self.line(file)
    }

    /// Writes the last line and puts the manifest in its place: from then on the folder is a backup.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn finish(mut self, database: Content) -> Result<Footer> {
        let Content { bytes: database_bytes, sha256: database_sha256 } = database;
        self.line(&DatabaseLine { database_bytes, database_sha256 })?;
        let end = Footer {
            files: self.files,
            file_bytes: self.file_bytes,
            manifest_sha256: self.draft.content().sha256,
        };
        self.line(&end)?;
        self.draft.finish()?;
        sync(&self.folder)?;
        Ok(end)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_string(value)?;
        line.push('\n');
        Ok(self.draft.write_all(line.as_bytes())?)
    }
}

/// A manifest as it was found whole.
pub struct Manifest {
    pub header: Header,
    /// What the database must have.
    pub database: Content,
    pub end: Footer,
    path: PathBuf,
}

impl Manifest {
    /// Reads the manifest of a backup to its end, and checks that nothing of it is missing or changed.
    ///
    /// # Errors
    /// If it is not there, or is damaged.
    pub fn open(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let (header, mut files) = FileLines::begin(&path)?;
        while files.next().transpose()?.is_some() {}
        let (database, end) =
            files.end.with_context(|| format!("{} is cut off", path.display()))?;
        Ok(Self { header, database, end, path })
    }

    /// The files, one after the other.
    ///
    /// # Errors
    /// If the manifest can't be read.
    pub fn files(&self) -> Result<FileLines> {
        FileLines::begin(&self.path).map(|(_, files)| files)
    }
}

/// The files of a manifest, one after the other; after them, its last line.
pub struct FileLines {
    path: PathBuf,
    file: BufReader<File>,
    hasher: Hasher,
    line: Vec<u8>,
    files: u64,
    file_bytes: u64,
    end: Option<(Content, Footer)>,
}

impl FileLines {
    fn begin(path: &Path) -> Result<(Header, Self)> {
        let file = File::open(path);
        let no_backup = || format!("{} (without it this is no backup)", path.display());
        let mut lines = Self {
            path: path.to_owned(),
            file: BufReader::new(file.with_context(no_backup)?),
            hasher: Hasher::new(),
            line: Vec::new(),
            files: 0,
            file_bytes: 0,
            end: None,
        };
        lines.read_line()?;
        let header: Header =
            serde_json::from_slice(&lines.line).with_context(|| lines.damaged())?;
        ensure!(
            header.format == FORMAT,
            "{} is of form {}, which this version of botyard does not know",
            path.display(),
            header.format
        );
        Ok((header, lines))
    }

    /// Reads the next line, which ends with a line feed; it is empty at the end of the file.
    fn read_line(&mut self) -> Result<()> {
        self.line.clear();
        let mut limited = self.file.by_ref().take(LINE_MAX);
        limited
            .read_until(b'\n', &mut self.line)
            .with_context(|| self.path.display().to_string())?;
        Ok(())
    }

    fn damaged(&self) -> String {
        format!("{} is damaged", self.path.display())
    }

    /// The next file; `None` behind the last line.
    fn read(&mut self) -> Result<Option<FileLine>> {
        if self.end.is_some() {
            return Ok(None);
        }
        self.next_line()?;
        if let Ok(file) = serde_json::from_slice::<FileLine>(&self.line) {
            self.files += 1;
            self.file_bytes += file.bytes;
            return Ok(Some(file));
        }
        let line: DatabaseLine =
            serde_json::from_slice(&self.line).with_context(|| self.damaged())?;
        let database = Content { bytes: line.database_bytes, sha256: line.database_sha256 };
        self.next_line()?;
        let end: Footer = serde_json::from_slice(&self.line).with_context(|| self.damaged())?;
        let before = Sha256::from_bytes(self.hasher.clone().finalize().into());
        let found = (self.files, self.file_bytes, before);
        let is_whole = (end.files, end.file_bytes, end.manifest_sha256) == found;
        self.read_line()?;
        if !is_whole || !self.line.is_empty() {
            bail!(self.damaged());
        }
        self.end = Some((database, end));
        Ok(None)
    }

    /// Goes on to the line after this one, which must be there.
    fn next_line(&mut self) -> Result<()> {
        self.hasher.update(&self.line);
        self.read_line()?;
        ensure!(self.line.ends_with(b"\n"), "{} is cut off", self.path.display());
        Ok(())
    }
}

impl Iterator for FileLines {
    type Item = Result<FileLine>;

    fn next(&mut self) -> Option<Result<FileLine>> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u8) -> FileLine {
        FileLine {
            key: format!("key {number}"),
            bytes: number.into(),
            sha256: Sha256::from_bytes([number; 32]),
        }
    }

    fn written(folder: &Path, files: u8) -> Footer {
        let header = Header::new("2026-11-25T10:15:00.000Z".to_owned(), "sqlite");
        let mut manifest = ManifestWriter::begin(folder, &header).unwrap();
        (0..files).for_each(|number| manifest.file(&line(number)).unwrap());
        manifest.finish(Content { bytes: 7, sha256: Sha256::from_bytes([1; 32]) }).unwrap()
    }

    #[test]
    fn a_manifest_reads_back_as_it_was_written() {
        for files in [0, 1, 3] {
            let folder = tempfile::tempdir().unwrap();
            let end = written(folder.path(), files);
            let manifest = Manifest::open(folder.path()).unwrap();
            assert_eq!((manifest.end, manifest.database.bytes), (end, 7));
            let read: Vec<_> = manifest.files().unwrap().map(|file| file.unwrap().key).collect();
            assert_eq!(read, (0..files).map(|number| line(number).key).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_manifest_that_was_cut_or_changed_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(MANIFEST);
        assert!(Manifest::open(folder.path()).is_err());
        written(folder.path(), 3);
        let whole = std::fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert!(Manifest::open(folder.path()).is_err(), "{cut}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            std::fs::write(&path, changed).unwrap();
            assert!(Manifest::open(folder.path()).is_err(), "{at}");
        }
        std::fs::write(&path, [&whole[..], b"\n"].concat()).unwrap();
        assert!(Manifest::open(folder.path()).is_err());
    }
}
