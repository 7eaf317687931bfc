//! Blobs in a folder.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use domain::blob::{BlobError, BlobKey, BlobLister, Staged};
use domain::id::ProjectId;
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;

use crate::blocking::blocking;
use crate::checked::Checked;
use crate::errors::text;
use crate::listing::{FolderLister, ListedEntry, Listing};
use crate::mark;
use crate::open::OpenError;
use crate::reserve::Reserve;

/// A leftover that was not changed for so long is not being written any more. A newer one may be:
/// another node may be at work in the same folder.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// What is added to the name of a file that is not whole yet, before something random.
const HALF_WRITTEN: &str = "#";
/// How many bytes are copied at once.
const BLOCK: usize = 64 << 10;

pub(crate) struct Folder {
    root: PathBuf,
    store: LocalFileSystem,
}

impl Folder {
    pub(crate) fn open(path: &Path) -> Result<Self, OpenError> {
        let refuse = |reason: String| OpenError::Folder { path: path.to_owned(), reason };
        make_folder(path).map_err(|error| refuse(error.to_string()))?;
        let root = fs::canonicalize(path).map_err(|error| refuse(error.to_string()))?;
        let store =
            LocalFileSystem::new_with_prefix(&root).map_err(|error| refuse(text(&error)))?;
        Ok(Self { root, store })
    }

    /// What reads and removes blobs. Empty folders stay until `tidy`: if they went with their last
    /// blob, another that is about to be put into them could find them gone half-way.
    pub(crate) fn store(&self) -> &dyn ObjectStore {
        &self.store
    }

    /// Stores the bytes. The store of object_store could do it, but would take folders for synced
    /// that another put has just made, and leave its file behind if the disk fails at the end.
    pub(crate) async fn put(
        &self,
        key: &BlobKey,
        staged: Arc<dyn Staged>,
        reserve: Reserve,
    ) -> Result<(), BlobError> {
        let (root, file) = (self.root.clone(), self.root.join(key.as_str()));
        blocking(move || write(&root, &file, &*staged, reserve)).await
    }

    pub(crate) async fn list(&self, project: ProjectId) -> Result<Box<dyn BlobLister>, BlobError> {
        Ok(Box::new(FolderLister::begin(self.root.clone(), project).await?))
    }

    pub(crate) async fn is_empty(&self) -> Result<bool, BlobError> {
        let root = self.root.clone();
        blocking(move || {
            let mut listing = Listing::begin(&root)?;
            while let Some(found) = listing.step()? {
                if matches!(found, ListedEntry::File { .. }) {
                    return Ok(false);
                }
            }
            Ok(true)
        })
        .await
    }

    pub(crate) async fn set_mark(&self, text: String) -> Result<(), BlobError> {
        let root = self.root.clone();
        blocking(move || mark::write(&root, &text)).await
    }

    /// Removes files that were begun and never finished, and empty folders.
    pub(crate) async fn tidy(&self) -> Result<(), BlobError> {
        let root = self.root.clone();
        blocking(move || Ok(remove_leftovers(&root)?)).await
    }

    pub(crate) async fn check(&self, reserve: Reserve) -> Result<(), BlobError> {
        check_folder(&self.root, reserve).await
    }
}

/// Whether a file can be made there, and may be written.
pub(crate) async fn check_folder(folder: &Path, reserve: Reserve) -> Result<(), BlobError> {
    let folder = folder.to_owned();
    blocking(move || {
        let named = |reason: String| format!("{}: {reason}", folder.display());
        let made = tempfile::tempfile_in(&folder).map_err(BlobError::from);
        made.and_then(|file| reserve.check(&file)).map_err(|error| match error {
            BlobError::Full(reason) => BlobError::Full(named(reason)),
            BlobError::Failed(reason) | BlobError::Missing(reason) => {
                BlobError::Failed(named(reason))
            }
        })
    })
    .await
}

/// Makes a folder and those above it, for this account only, so that they outlast a crash.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(Path::new("."));
    make_folder(parent)?;
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists || !path.is_dir() => Err(error),
        _ => sync(parent),
    }
}

fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Writes a blob beside its place and moves it there when it is whole and on the disk. The folders
/// above it are synced every time: another put may have made them without having synced them yet.
fn write(root: &Path, file: &Path, staged: &dyn Staged, reserve: Reserve) -> Result<(), BlobError> {
    // A root that is gone was taken away, or its disk is not mounted any more: what was written into
    // another in its place would be lost.
    if !root.is_dir() {
        return Err(BlobError::Failed(format!("{} is no folder", root.display())));
    }
    let folders: Vec<&Path> = file.ancestors().skip(1).take(3).collect();
    let (Some(folder), Some(name)) = (folders.first(), file.file_name()) else {
        return Err(BlobError::Failed(format!("{} is no file", file.display())));
    };
    make_folder(folder)?;
    let name = [&*name.to_string_lossy(), HALF_WRITTEN].concat();
    let make = || tempfile::Builder::new().prefix(&name).tempfile_in(folder);
    // It is removed if this function does not get to the end.
    let mut half_written = match make() {
        // The folder was empty, and was tidied away this very moment.
        Err(error) if error.kind() == ErrorKind::NotFound => {
            make_folder(folder)?;
            make()?
        }
        made => made?,
    };
    let mut bytes = Checked::open(staged)?;
    let mut buffer = vec![0; BLOCK];
    loop {
        let block = bytes.fill(&mut buffer)?;
        if block.is_empty() {
            break;
        }
        reserve.check(half_written.as_file())?;
        half_written.write_all(block)?;
    }
    bytes.check()?;
    half_written.as_file().sync_all()?;
    half_written.persist(file).map_err(|error| error.error)?;
    Ok(folders.into_iter().try_for_each(sync)?)
}

fn remove_leftovers(root: &Path) -> io::Result<()> {
    // By the clock of the blob store, which may be another machine's.
    let now = tempfile::tempfile_in(root)?.metadata()?.modified()?;
    let remove = |path: &Path, remove: fn(&Path) -> io::Result<()>| {
        let untouched = now.duration_since(fs::metadata(path)?.modified()?);
        if untouched.is_ok_and(|untouched| untouched > ABANDONED) { remove(path) } else { Ok(()) }
    };
    let mut listing = Listing::begin(root)?;
    while let Some(found) = listing.step()? {
        let done = match &found {
            ListedEntry::File { key, entry } if is_half_written(key) => {
                remove(&entry.path(), |path| fs::remove_file(path))
            }
            ListedEntry::File { .. } => Ok(()),
            ListedEntry::Folder(path) => remove(path, |path| fs::remove_dir(path)),
        };
        if let Err(error) = done
            && ![ErrorKind::NotFound, ErrorKind::DirectoryNotEmpty].contains(&error.kind())
        {
            return Err(error);
        }
    }
    Ok(())
}

/// Whether a file has the name under which [`write`] begins a blob: its key, the mark and more.
fn is_half_written(key: &str) -> bool {
    key.split_once(HALF_WRITTEN).is_some_and(|(key, _)| BlobKey::parse(key).is_some())
}
