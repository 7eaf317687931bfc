//! Blobs in a bucket.

use std::time::Duration;

use async_trait::async_trait;
use domain::blob::{BlobError, BlobKey, BlobLister, StoredBlob};
use domain::clock::Timestamp;
use domain::id::ProjectId;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::list::{PaginatedListOptions, PaginatedListStore as _};
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, ObjectMeta, ObjectStore, RetryConfig};

use crate::errors::{failed, text};
use crate::mark::MARK;
use crate::open::OpenError;
use crate::page::PAGE;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long the server may be silent: until an answer begins, a part of an upload included, and then
/// between two blocks of it. A bound for whole answers would cut off slow readers.
const SILENCE: Duration = Duration::from_secs(30);

pub(crate) struct Bucket {
    store: AmazonS3,
    prefix: Path,
}

impl Bucket {
    pub(crate) fn open(
        name: &str,
        prefix: &str,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, OpenError> {
        // object_store's HTTP client takes the process's provider. A second call changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = ClientOptions::new()
            .with_timeout_disabled()
            .with_connect_timeout(CONNECT)
            .with_read_timeout(SILENCE);
        let mut builder =
            AmazonS3Builder::new().with_client_options(client).with_retry(RetryConfig {
                backoff: BackoffConfig {
                    init_backoff: Duration::from_millis(100),
                    max_backoff: Duration::from_secs(2),
                    base: 2.0,
                },
                max_retries: 3,
                retry_timeout: Duration::from_secs(10),
            });
        for (variable, value) in variables {
            let key = variable.strip_prefix("AWS_").map(|_| variable.to_ascii_lowercase());
            if let Some(Ok(key)) = key.map(|key| key.parse::<AmazonS3ConfigKey>()) {
                builder = builder.with_config(key, value);
            }
        }
        // It would be shown in every error.
        for key in [AmazonS3ConfigKey::Endpoint, AmazonS3ConfigKey::S3Endpoint] {
            if builder.get_config_value(&key).is_some_and(|endpoint| endpoint.contains('@')) {
                let reason = "an endpoint can't hold a user or a password".to_owned();
                return Err(OpenError::Variables(reason));
            }
        }
        let store = builder
            .with_bucket_name(name)
            // Not every server knows how to delete several objects at once.
            .with_config(AmazonS3ConfigKey::DisableBulkDelete, "true")
            .build()
            .map_err(|error| OpenError::Variables(text(&error)))?;
        Ok(Self { store, prefix: prefix.into() })
    }

    pub(crate) fn store(&self) -> &dyn ObjectStore {
        &self.store
    }

    pub(crate) fn path(&self, key: &BlobKey) -> Path {
        self.below_prefix(key.as_str())
    }

    fn below_prefix(&self, path: &str) -> Path {
        self.prefix.parts().chain(Path::from(path).parts()).collect()
    }

    pub(crate) fn list(&self, project: ProjectId) -> Box<dyn BlobLister> {
        let of_project = self.below_prefix(&project.to_string());
        Box::new(BucketLister {
            found: self.store.list(Some(&of_project)).fuse().boxed(),
            prefix: self.prefix.clone(),
        })
    }

    pub(crate) fn mark(&self) -> Path {
        self.below_prefix(MARK)
    }

    pub(crate) async fn is_empty(&self) -> Result<bool, BlobError> {
        let mut found = self.store.list(Some(&self.prefix));
        while let Some(found) = found.try_next().await.map_err(|error| failed(&error))? {
            if stored(&self.prefix, &found).is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the bucket is there and lets this account in.
    pub(crate) async fn check(&self) -> Result<(), BlobError> {
        let one = PaginatedListOptions { max_keys: Some(1), ..PaginatedListOptions::default() };
        let listed = self.store.list_paginated(Some(self.prefix.as_ref()), one).await;
        listed.map(drop).map_err(|error| failed(&error))
    }
}

struct BucketLister {
    found: BoxStream<'static, object_store::Result<ObjectMeta>>,
    prefix: Path,
}

#[async_trait]
impl BlobLister for BucketLister {
    async fn next(&mut self) -> Result<Option<Vec<StoredBlob>>, BlobError> {
        let mut page = Vec::new();
        while page.len() < PAGE {
            let Some(found) = self.found.try_next().await.map_err(|error| failed(&error))? else {
                break;
            };
            page.extend(stored(&self.prefix, &found));
        }
        Ok(Some(page).filter(|page| !page.is_empty()))
    }
}

/// The blob that this object is, unless it is none.
fn stored(prefix: &Path, found: &ObjectMeta) -> Option<StoredBlob> {
    let key: Path = found.location.prefix_match(prefix)?.collect();
    Some(StoredBlob {
        key: BlobKey::parse(key.as_ref())?,
        size: found.size,
        stored_at: Timestamp::from_millis(found.last_modified.timestamp_millis()),
    })
}
