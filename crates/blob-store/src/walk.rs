//! A way through the folder of all blobs that holds one entry at a time.

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
    /// The folders on the way from the root.
    levels: Vec<Level>,
}

struct Level {
    path: PathBuf,
    key: String,
    entries: ReadDir,
}

impl Listing {
    pub(crate) fn begin(root: &Path) -> io::Result<Self> {
        let entries = fs::read_dir(root)?;
        Ok(Self { levels: vec![Level { path: root.to_owned(), key: String::new(), entries }] })
    }

    /// The next find on the way, `None` at the end.
    pub(crate) fn step(&mut self) -> io::Result<Option<ListedEntry>> {
        loop {
            let depth = self.levels.len();
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
                let path = entry.path();
                match fs::read_dir(&path) {
                    Ok(entries) => self.levels.push(Level { path, key, entries }),
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }
}

/// The blobs on the way.
pub(crate) struct FolderLister {
    /// Taken while a thread walks.
    walk: Option<Listing>,
}

impl FolderLister {
    pub(crate) async fn begin(root: PathBuf) -> Result<Self, BlobError> {
        blocking(move || Ok(Self { walk: Some(Listing::begin(&root)?) })).await
    }
}

#[async_trait]
impl BlobLister for FolderLister {
    async fn next(&mut self) -> Result<Option<Vec<StoredBlob>>, BlobError> {
        let Some(mut walk) = self.walk.take() else {
            return Ok(None);
        };
        let (walk, page) = blocking(move || {
            let mut page = Vec::new();
            while page.len() < PAGE {
                match walk.step()? {
                    None => break,
                    Some(ListedEntry::Folder(_)) => {}
                    Some(ListedEntry::File { key, entry }) => page.extend(stored(&key, &entry)?),
                }
            }
            Ok((walk, page))
        })
        .await?;
        self.walk = Some(walk);
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
