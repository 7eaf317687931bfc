//! What the services need from outside.

use std::sync::Arc;

use crate::archive::ArchiveCheck;
use crate::blob::Blobs;
use crate::clock::Clock;
use crate::crawl::WebCrawler;
use crate::document::TextExtractor;
use crate::encryption::SecretCipher;
use crate::entropy::Entropy;
use crate::store::Store;
use crate::webhook::WebhookSender;

/// What the services need from outside.
#[derive(Clone)]
pub(crate) struct Ports {
    /// The database.
    pub(crate) store: Arc<dyn Store>,
    /// The time.
    pub(crate) clock: Arc<dyn Clock>,
    /// Random bytes fit for secrets.
    pub(crate) entropy: Arc<dyn Entropy>,
    /// The blob store.
    pub(crate) blobs: Arc<dyn Blobs>,
    /// The check of uploaded archives.
    pub(crate) archives: Arc<dyn ArchiveCheck>,
    /// The crawler of web pages.
    pub(crate) crawler: Arc<dyn WebCrawler>,
    /// The way to the receivers of webhooks.
    pub(crate) webhook_sender: Arc<dyn WebhookSender>,
    /// The extractor of text from files.
    pub(crate) extractor: Arc<dyn TextExtractor>,
    /// What encrypts secrets for the database.
    pub(crate) cipher: Arc<dyn SecretCipher>,
}
