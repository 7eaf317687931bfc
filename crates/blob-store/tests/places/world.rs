//! The places of the tests, and what lies in them.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use blob_store::{BlobStore, BlobUrl, OpenError};
use domain::blob::{BlobKey, Blobs, Staged};
use s3_server::S3Server;
use tempfile::TempDir;

/// A store of a test's own.
pub struct Place {
    pub blobs: BlobStore,
    home: TempDir,
    server: Option<S3Server>,
}

impl Place {
    pub fn folder() -> Self {
        let home = tempfile::tempdir().unwrap();
        let url = BlobUrl::Folder(home.path().join("data/blobs"));
        let blobs = BlobStore::open(&url, home.path().join("data/staging")).unwrap();
        Self { blobs, home, server: None }
    }

    pub fn bucket() -> Self {
        Self::bucket_at("botyard/test")
    }

    pub fn bucket_at(prefix: &str) -> Self {
        let server = S3Server::start();
        let place = Self::with_variables(&url(&server, prefix), server.variables()).unwrap();
        Self { server: Some(server), ..place }
    }

    pub fn with_variables(
        url: &BlobUrl,
        variables: Vec<(String, String)>,
    ) -> Result<Self, OpenError> {
        let home = tempfile::tempdir().unwrap();
        let blobs = BlobStore::open_with(url, home.path().join("data/staging"), variables)?;
        Ok(Self { blobs, home, server: None })
    }

    /// The folder of the blobs.
    pub fn root(&self) -> PathBuf {
        self.home.path().join("data/blobs")
    }

    /// The folder of what comes in.
    pub fn staging(&self) -> PathBuf {
        self.home.path().join("data/staging")
    }

    pub fn server(&self) -> &S3Server {
        self.server.as_ref().unwrap()
    }

    pub async fn stage(&self, bytes: &[u8]) -> Arc<dyn Staged> {
        let mut staging = self.blobs.stage().await.unwrap();
        staging.write(bytes).await.unwrap();
        staging.finish().await.unwrap()
    }

    pub async fn read(&self, key: &BlobKey) -> Vec<u8> {
        let mut reader = self.blobs.read(key, 0..u64::MAX / 2).await.unwrap();
        let mut bytes = Vec::new();
        while let Some(block) = reader.next().await.unwrap() {
            bytes.extend(block);
        }
        bytes
    }

    /// The keys of all blobs of the first ten projects, sorted, and the size of the largest page.
    pub async fn listed(&self) -> (Vec<String>, usize) {
        let (mut keys, mut largest) = (Vec::new(), 0);
        for number in 0..10 {
            let project = key(number, 0).project_id().unwrap();
            let mut lister = self.blobs.list(project).await.unwrap();
            while let Some(page) = lister.next().await.unwrap() {
                largest = largest.max(page.len());
                keys.extend(page.iter().map(|blob| blob.key.to_string()));
            }
        }
        keys.sort();
        (keys, largest)
    }
}

pub fn url(server: &S3Server, prefix: &str) -> BlobUrl {
    BlobUrl::Bucket { name: server.bucket.to_owned(), prefix: prefix.to_owned() }
}

/// The key with this number in the project with that number.
pub fn key(project: u32, number: u32) -> BlobKey {
    let id = |number: u32| format!("0197d0c8-3c5e-7000-8000-{number:012x}");
    let text = format!("{}/fusion/{number:064x}-{}", id(project), id(number));
    BlobKey::parse(&text).unwrap()
}

/// Waits until something is so; the test runner ends a test for which it never is.
pub async fn until<F: Future<Output = bool>>(is_so: impl Fn() -> F) {
    while !is_so().await {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
