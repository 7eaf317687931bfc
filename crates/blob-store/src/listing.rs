//! A way through the folder of all blobs, or of those of a project, that holds one entry at a time.

use std::fs::{self, DirEntry, ReadDir};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use async_trait::async_trait;
use domain::blob::{BlobError, BlobKey, BlobKind, BlobLister, StoredBlob};
use domain::clock::Timestamp;
use domain::id::ProjectId;

use crate::blocking::blocking;
use crate::page::PAGE;

/// What the way leads past.
pub(crate) enum ListedEntry {
    /// A file in the folder of a project and a kind, and its path from the root, with slashes.
    File { key: String, entry: DirEntry },
    /// A folder of a project or a kind, all of whose entries were passed.
    Folder(PathBuf),
}

/// Goes into the folders of projects and kinds, and into no others: they are not ours.
pub(crate) struct Listing {
    /// The folders on the way, from the one with which it begins.
    levels: Vec<Level>,
    /// How many levels lie above those: 0 for the root.
    above: usize,
}

struct Level {
    path: PathBuf,
    key: String,
    entries: ReadDir,
}

impl Listing {
    pub(crate) fn begin(root: &Path) -> io::Result<Self> {
        let entries = fs::read_dir(root)?;
        let levels = vec![Level { path: root.to_owned(), key: String::new(), entries }];
        Ok(Self { levels, above: 0 })
    }

    /// As [`Self::begin`], but only below the folder of a project, which need not be there.
    fn of_project(root: &Path, project: ProjectId) -> io::Result<Self> {
        let key = project.to_string();
        let path = root.join(&key);
        let mut levels = Vec::new();
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => {
                levels.extend(open_level(path, key)?);
            }
            Ok(_) => {}
            // A root that is gone has no projects, either, but that is a failure.
            Err(error) if error.kind() == io::ErrorKind::NotFound && root.is_dir() => {}
            Err(error) => return Err(error),
        }
        Ok(Self { levels, above: 1 })
    }

    /// The next find on the way, `None` at the end.
    pub(crate) fn step(&mut self) -> io::Result<Option<ListedEntry>> {
        loop {
            let depth = self.above + self.levels.len();
            let Some(level) = self.levels.last_mut() else {
                return Ok(None);
            };
            let Some(entry) = level.entries.next().transpose()? else {
                let left = self.levels.pop().filter(|_| depth > 1);
                match left {
                    Some(left) => return Ok(Some(ListedEntry::Folder(left.path))),
                    None => continue,
                }
            };
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let key = if depth == 1 { name.clone() } else { format!("{}/{name}", level.key) };
            let is_ours = match depth {
                1 => ProjectId::parse(&name).is_some(),
                2 => BlobKind::parse(&name).is_some(),
                _ if entry.file_type()?.is_file() => {
                    return Ok(Some(ListedEntry::File { key, entry }));
                }
                _ => false,
            };
            if is_ours && entry.file_type()?.is_dir() {
                self.levels.extend(open_level(entry.path(), key)?);
            }
        }
    }
}

/// A folder to go into; `None` if it has gone.
fn open_level(path: PathBuf, key: String) -> io::Result<Option<Level>> {
    match fs::read_dir(&path) {
        Ok(entries) => Ok(Some(Level { path, key, entries })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The blobs on the way.
pub(crate) struct FolderLister {
    /// Taken while a thread lists.
    listing: Option<Listing>,
}

impl FolderLister {
    pub(crate) async fn begin(root: PathBuf, project: ProjectId) -> Result<Self, BlobError> {
        blocking(move || Ok(Self { listing: Some(Listing::of_project(&root, project)?) })).await
    }
}

#[async_trait]
impl BlobLister for FolderLister {
    async fn next(&mut self) -> Result<Option<Vec<StoredBlob>>, BlobError> {
        let Some(mut listing) = self.listing.take() else {
            return Ok(None);
        };
        let (listing, page) = blocking(move || {
            let mut page = Vec::new();
            while page.len() < PAGE {
                match listing.step()? {
                    None => break,
                    Some(ListedEntry::Folder(_)) => {}
                    Some(ListedEntry::File { key, entry }) => page.extend(stored(&key, &entry)?),
                }
            }
            Ok((listing, page))
        })
        .await?;
        self.listing = Some(listing);
        Ok(Some(page).filter(|page| !page.is_empty()))
    }
}

/// The blob that this file is, unless it is none or has gone.
fn stored(key: &str, entry: &DirEntry) -> io::Result<Option<StoredBlob>> {
    let Some(key) = BlobKey::parse(key) else {
        return Ok(None);
    };
    let metadata = match entry.metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let since_epoch = metadata.modified()?.duration_since(SystemTime::UNIX_EPOCH);
    let stored_at = Timestamp::default().plus(since_epoch.unwrap_or_default());
    Ok(Some(StoredBlob { key, size: metadata.len(), stored_at }))
}
