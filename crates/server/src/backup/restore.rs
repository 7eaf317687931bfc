//! Making an installation of a backup: on an empty database and an empty blob store, whatever the databases are.
//!
//! The database comes last, so that no server starts on half of an installation. If something of the backup is missing
//! or changed, what was stored so far goes again.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, ensure};
use blob_store::BlobStore;
use domain::audit::AuditActor;
use domain::blob::Blobs as _;
use domain::installation::Installation;
use rustix::process::geteuid;
use serde::Serialize;
use storage_diesel::snapshot::{check_vacant, put_snapshot};
use storage_diesel::system::botyard_on;
use storage_diesel::{DatabaseUrl, DieselStore, Options};

use super::DATABASE;
use super::durable::{Draft, for_each_block, rename_to_new, sync};
use super::folder::BackupFolder;
use super::manifest::{FileLine, Manifest};
use super::progress::Progress;
use super::store::FileStore;
use crate::composition;
use crate::folder_lock::{FolderLock, claim_folders, folder_of, make_folder};
use crate::operator::OPERATOR;
use crate::settings::Settings;

/// How much is read at once.
const BLOCK: usize = 64 << 10;

/// What was restored.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    /// When the backup was made.
    pub made_at: String,
    /// Where the database is now, without a password.
    pub database: String,
    pub files: u64,
    pub file_bytes: u64,
}

/// Restores a backup into the database and the blob store that the settings name. The audit log of what was
/// restored names the actor.
///
/// # Errors
/// If one of them is not empty, a server is at work on them, or the backup is not whole. Then the files that were
/// stored go again, unless the database had been begun: it may be there although the answer was an error.
pub async fn restore(settings: &Settings, backup: &Path, actor: &AuditActor) -> Result<Restored> {
    let manifest = Manifest::open(backup)?;
    let files = BackupFolder::of_backup(backup)?.files();
    let url = settings.direct_url();
    check_vacant(url)?;
    let _locks = claim(settings)?;
    let blobs = composition::open_blobs(settings).await?;
    let is_empty = blobs.is_empty().await? && blobs.mark().await?.is_none();
    ensure!(is_empty, "setting blob_url: {} is not empty", settings.blob_url);

    let progress = Progress::begin();
    progress.files("restoring", manifest.database.bytes + manifest.end.file_bytes);
    let draft = DatabaseDraft::copy(backup, &manifest, settings)?;
    progress.file(manifest.database.bytes);
    draft.migrate()?;
    let installation = draft.recreate(actor, &manifest).await?;
    let stored = store_all(&manifest, &files, &blobs, &progress).await;
    let stored = match stored {
        Ok(()) => blobs.set_mark(&installation.id.to_string()).await.map_err(Into::into),
        failed => failed,
    };
    if let Err(error) = stored {
        drop(progress);
        return Err(match remove_stored_files(&manifest, &blobs).await {
            Ok(()) => error,
            Err(left) => error.context(left_behind(settings, &left)),
        });
    }
    progress.database();
    let put = draft.put(url, &progress);
    put.map_err(|error| {
        let reason = "the database could not be put in its place";
        error.context(left_behind(settings, &anyhow!(reason)))
    })?;
    Ok(Restored {
        made_at: manifest.header.made_at.clone(),
        database: url.to_string(),
        files: manifest.end.files,
        file_bytes: manifest.end.file_bytes,
    })
}

/// Keeps servers and other restores away, and makes the folder of the data.
fn claim(settings: &Settings) -> Result<Vec<FolderLock>> {
    let mut locks = claim_folders(settings)?;
    if locks.is_empty() {
        make_folder(&settings.data_dir)?;
        let taken = "another botyard restores with the folder";
        locks.push(FolderLock::claim_for(&settings.data_dir, taken)?);
    }
    let owner = fs::metadata(&settings.data_dir)?.uid();
    ensure!(
        owner == geteuid().as_raw(),
        "setting data_dir: {} belongs to another account; restore as that account, which has to read what is restored",
        settings.data_dir.display()
    );
    Ok(locks)
}

/// What to say of files that stay after a restore that failed.
fn left_behind(settings: &Settings, reason: &anyhow::Error) -> String {
    format!(
        "{reason:#}, so files that were restored are still in {}; unless the database is there, remove them before the \
         next restore",
        settings.blob_url
    )
}

async fn store_all(
    manifest: &Manifest,
    files: &FileStore,
    blobs: &BlobStore,
    progress: &Progress,
) -> Result<()> {
    for line in manifest.files()? {
        let line = line?;
        store(&line, files, blobs).await?;
        progress.file(line.bytes);
    }
    Ok(())
}

/// Stores a file, if it is as the manifest says.
async fn store(line: &FileLine, files: &FileStore, blobs: &BlobStore) -> Result<()> {
    let key = line.key()?;
    let file = files.open(line.sha256)?;
    let mut file = file.with_context(|| format!("the file {key} is missing in the backup"))?;
    let mut staging = blobs.stage().await?;
    let mut buffer = vec![0; BLOCK];
    loop {
        let read = file.read(&mut buffer).with_context(|| key.to_string())?;
        if read == 0 {
            break;
        }
        staging.write(buffer.get(..read).unwrap_or_default()).await?;
    }
    let staged = staging.finish().await?;
    ensure!(
        (staged.size(), staged.sha256()) == (line.bytes, line.sha256),
        "the file {key} is damaged in the backup"
    );
    Ok(blobs.put(&key, &staged).await?)
}

/// Removes what a restore that failed has stored. All of it was new.
async fn remove_stored_files(manifest: &Manifest, blobs: &BlobStore) -> Result<()> {
    blobs.remove_mark().await?;
    for line in manifest.files()? {
        blobs.delete(&line?.key()?).await?;
    }
    Ok(())
}

/// The database of the backup, copied to where it is brought up to date. It goes when this is dropped.
struct DatabaseDraft(PathBuf);

impl DatabaseDraft {
    /// Copies the database, if it is as the manifest says.
    fn copy(backup: &Path, manifest: &Manifest, settings: &Settings) -> Result<Self> {
        let folder = match settings.direct_url() {
            DatabaseUrl::Sqlite(path) => folder_of(path),
            DatabaseUrl::Postgres(_) => &settings.data_dir,
        };
        let from = backup.join(DATABASE);
        let named = || from.display().to_string();
        make_folder(folder)?;
        let draft = Self(folder.join("botyard.restoring"));
        draft.remove();
        let mut file = Draft::begin(draft.0.clone())?;
        let found = for_each_block(File::open(&from).with_context(named)?, |block| {
            file.write_all(block).map_err(anyhow::Error::from)
        })?;
        ensure!(found == manifest.database, "{} is damaged", named());
        file.finish()?;
        Ok(draft)
    }

    fn url(&self) -> DatabaseUrl {
        DatabaseUrl::Sqlite(self.0.clone())
    }

    /// Applies the migrations that came after the backup.
    fn migrate(&self) -> Result<()> {
        storage_diesel::migrate(&self.url()).context("the database in the backup")?;
        Ok(())
    }

    /// Makes it that of a new installation, and records in its audit log who restores it.
    async fn recreate(&self, actor: &AuditActor, manifest: &Manifest) -> Result<Installation> {
        let store = Arc::new(DieselStore::open(&self.url(), Options::default())?);
        let botyard = botyard_on(store.clone()).audit(OPERATOR, actor.clone()).build();
        let subject = format!("backup of {}", manifest.header.made_at);
        let begun = async {
            botyard.audit.record(vec![subject]).await?;
            botyard.installation.recreate(OPERATOR).await
        };
        let begun = begun.await;
        store.close();
        Ok(begun?)
    }

    /// Makes it the database at this address.
    fn put(&self, url: &DatabaseUrl, progress: &Progress) -> Result<()> {
        match url {
            DatabaseUrl::Sqlite(path) => {
                // A command may have made one meanwhile.
                check_vacant(url)?;
                let log = self.with_suffix("-wal");
                ensure!(!log.exists(), "{} was not written into its database", log.display());
                // An empty file may stand there, made to set its mode.
                if fs::metadata(path).is_ok_and(|file| file.len() == 0) {
                    fs::remove_file(path).with_context(|| path.display().to_string())?;
                }
                rename_to_new(&self.0, path).with_context(|| path.display().to_string())?;
                let folder = folder_of(path);
                sync(folder).with_context(|| folder.display().to_string())
            }
            DatabaseUrl::Postgres(_) => {
                let mut report = |done, total| progress.rows(done, total);
                put_snapshot(&self.0, url, &mut report).map_err(Into::into)
            }
        }
    }

    fn remove(&self) {
        for suffix in ["", "-wal", "-shm", "-journal", ".part"] {
            // What is left of it is written over by the next one.
            drop(fs::remove_file(self.with_suffix(suffix)));
        }
    }

    fn with_suffix(&self, suffix: &str) -> PathBuf {
        let mut path = self.0.clone().into_os_string();
        path.push(suffix);
        PathBuf::from(path)
    }
}

impl Drop for DatabaseDraft {
    fn drop(&mut self) {
        self.remove();
    }
}
