//! The port on either backend.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::blob::{BlobError, BlobKey, BlobLister, BlobReader, Blobs, Staged, Staging};
use domain::id::ProjectId;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt as _};

use crate::blocks;
use crate::bucket::Bucket;
use crate::errors::{failed, is_missing};
use crate::folder::{Folder, check_folder, make_folder};
use crate::mark;
use crate::open::{BlobUrl, OpenError};
use crate::reserve::Reserve;
use crate::staging::FileStaging;
use crate::upload::upload;

/// How long a blob store may take to show that it works.
const CHECK: Duration = Duration::from_secs(5);

/// A folder or a bucket full of blobs. All clones are the same one.
#[derive(Clone)]
pub struct BlobStore {
    backend: Arc<Backend>,
    staging: PathBuf,
    reserve: Reserve,
}

enum Backend {
    Folder(Folder),
    Bucket(Bucket),
}

impl BlobStore {
    /// Opens a blob store with the variables of this process's environment. A folder is made if it is not
    /// there, and so is the one in which bytes wait that come in; a bucket is not asked yet.
    ///
    /// # Errors
    /// [`OpenError`] says what is wrong.
    pub fn open(url: &BlobUrl, staging: PathBuf) -> Result<Self, OpenError> {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Self::open_with(url, staging, variables)
    }

    /// Opens a blob store with these variables, and none of this process's environment.
    ///
    /// # Errors
    /// [`OpenError`] says what is wrong.
    pub fn open_with(
        url: &BlobUrl,
        staging: PathBuf,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, OpenError> {
        let backend = match url {
            BlobUrl::Folder(path) => Backend::Folder(Folder::open(path)?),
            BlobUrl::Bucket { name, prefix } => {
                Backend::Bucket(Bucket::open(name, prefix, variables)?)
            }
        };
        make_folder(&staging).map_err(|error| OpenError::Folder {
            path: staging.clone(),
            reason: error.to_string(),
        })?;
        Ok(Self { backend: Arc::new(backend), staging, reserve: Reserve::default() })
    }

    /// The same place, but nothing is taken in any more once less than so many bytes are free on the disk of
    /// the folder, or of that in which bytes wait.
    #[must_use]
    pub fn with_reserve(self, bytes: u64) -> Self {
        Self { reserve: Reserve::new(bytes), ..self }
    }
}

impl BlobStore {
    /// Whether no blob is there, of no project.
    ///
    /// # Errors
    /// [`BlobError`] if the blob store can't be listed.
    pub async fn is_empty(&self) -> Result<bool, BlobError> {
        match &*self.backend {
            Backend::Folder(folder) => folder.is_empty().await,
            Backend::Bucket(bucket) => bucket.is_empty().await,
        }
    }

    /// The name of the file that has the mark of a blob store.
    pub const MARK: &str = mark::MARK;

    /// The text with which the blob store is marked, if it is.
    ///
    /// # Errors
    /// [`BlobError`] if it can't be read.
    pub async fn mark(&self) -> Result<Option<String>, BlobError> {
        mark::read(self.backend.store(), &self.backend.mark()).await
    }

    /// Marks the blob store with a short text, in place of the one before. It is durable when this returns.
    ///
    /// # Errors
    /// [`BlobError`] if it can't be written.
    pub async fn set_mark(&self, text: &str) -> Result<(), BlobError> {
        match &*self.backend {
            Backend::Folder(folder) => folder.set_mark(text.to_owned()).await,
            Backend::Bucket(bucket) => mark::put(bucket.store(), &bucket.mark(), text).await,
        }
    }

    /// Takes the mark away, if there is one.
    ///
    /// # Errors
    /// [`BlobError`] if it can't be removed.
    pub async fn remove_mark(&self) -> Result<(), BlobError> {
        self.backend.delete(&self.backend.mark()).await
    }
}

impl Backend {
    fn store(&self) -> &dyn ObjectStore {
        match self {
            Self::Folder(folder) => folder.store(),
            Self::Bucket(bucket) => bucket.store(),
        }
    }

    async fn delete(&self, path: &Path) -> Result<(), BlobError> {
        match self.store().delete(path).await {
            Err(error) if !is_missing(&error) => Err(failed(&error)),
            _ => Ok(()),
        }
    }

    fn mark(&self) -> Path {
        match self {
            Self::Folder(_) => mark::MARK.into(),
            Self::Bucket(bucket) => bucket.mark(),
        }
    }

    fn path(&self, key: &BlobKey) -> Path {
        match self {
            Self::Folder(_) => key.as_str().into(),
            Self::Bucket(bucket) => bucket.path(key),
        }
    }
}

#[async_trait]
impl Blobs for BlobStore {
    async fn stage(&self) -> Result<Box<dyn Staging>, BlobError> {
        Ok(Box::new(FileStaging::begin(&self.staging, self.reserve).await?))
    }

    async fn put(&self, key: &BlobKey, staged: &Arc<dyn Staged>) -> Result<(), BlobError> {
        let (backend, key, staged) = (self.backend.clone(), key.clone(), staged.clone());
        let reserve = self.reserve;
        // An upload that is given up half-way would leave parts in the bucket that no list of objects
        // shows. So it goes on to its end, even if the caller stops waiting.
        let put = tokio::spawn(async move {
            match &*backend {
                Backend::Folder(folder) => folder.put(&key, staged, reserve).await,
                Backend::Bucket(bucket) => upload(bucket.store(), &bucket.path(&key), staged).await,
            }
        });
        put.await.unwrap_or_else(|error| Err(BlobError::Failed(error.to_string())))
    }

    async fn read(
        &self,
        key: &BlobKey,
        range: Range<u64>,
    ) -> Result<Box<dyn BlobReader>, BlobError> {
        blocks::read(self.backend.store(), &self.backend.path(key), key, range).await
    }

    async fn delete(&self, key: &BlobKey) -> Result<(), BlobError> {
        self.backend.delete(&self.backend.path(key)).await
    }

    async fn list(&self, project: ProjectId) -> Result<Box<dyn BlobLister>, BlobError> {
        match &*self.backend {
            Backend::Folder(folder) => folder.list(project).await,
            Backend::Bucket(bucket) => Ok(bucket.list(project)),
        }
    }

    /// In a bucket there is nothing to do: half-written blobs are not seen there, and a rule of the
    /// bucket removes them.
    async fn tidy(&self) -> Result<(), BlobError> {
        match &*self.backend {
            Backend::Folder(folder) => folder.tidy().await,
            Backend::Bucket(_) => Ok(()),
        }
    }

    async fn check(&self) -> Result<(), BlobError> {
        let checked = async {
            check_folder(&self.staging, self.reserve).await?;
            match &*self.backend {
                Backend::Folder(folder) => folder.check(self.reserve).await,
                Backend::Bucket(bucket) => bucket.check().await,
            }
        };
        let too_late = |_| Err(BlobError::Failed(format!("no answer in {CHECK:?}")));
        tokio::time::timeout(CHECK, checked).await.unwrap_or_else(too_late)
    }
}
