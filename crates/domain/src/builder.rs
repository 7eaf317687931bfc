//! Puts the services on what they need from outside.

use std::sync::Arc;

use crate::access::Operator;
use crate::archive::ArchiveCheck;
use crate::audit::{AuditActor, Audited};
use crate::blob::{Blobs, NoArchives, NoBlobs};
use crate::clock::Clock;
use crate::crawl::{NoCrawler, WebCrawler};
use crate::document::{NoExtractor, TextExtractor};
use crate::encryption::{NoCipher, SecretCipher};
use crate::entropy::Entropy;
use crate::input::InputSettings;
use crate::limits::Limits;
use crate::ports::Ports;
use crate::services::Botyard;
use crate::store::Store;
use crate::webhook::{NoSender, WebhookSender};

/// The services in the making. What is not set is done without: no files are stored, no archives accepted,
/// no pages crawled, no texts extracted, no secrets kept; limits and settings of inputs are the server's defaults.
#[derive(Clone)]
#[must_use = "the services are made by `build`"]
pub struct BotyardBuilder {
    ports: Ports,
    limits: Limits,
    input_settings: InputSettings,
    audited: Option<Audited>,
}

impl BotyardBuilder {
    pub(crate) fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        let ports = Ports {
            store,
            clock,
            entropy,
            blobs: Arc::new(NoBlobs),
            archives: Arc::new(NoArchives),
            crawler: Arc::new(NoCrawler),
            webhook_sender: Arc::new(NoSender),
            extractor: Arc::new(NoExtractor),
            cipher: Arc::new(NoCipher),
        };
        Self {
            ports,
            limits: Limits::default(),
            input_settings: InputSettings::default(),
            audited: None,
        }
    }

    /// The blob store. Without it, every upload and download fails.
    pub fn blobs(mut self, blobs: Arc<dyn Blobs>) -> Self {
        self.ports.blobs = blobs;
        self
    }

    /// The check of uploaded archives. Without it, no archive is accepted.
    pub fn archives(mut self, archives: Arc<dyn ArchiveCheck>) -> Self {
        self.ports.archives = archives;
        self
    }

    /// The crawler of web pages. Without it, every page of a crawl is unreachable.
    pub fn crawler(mut self, crawler: Arc<dyn WebCrawler>) -> Self {
        self.ports.crawler = crawler;
        self
    }

    /// The sender of webhooks. Without it, every receiver is unreachable.
    pub fn webhook_sender(mut self, sender: Arc<dyn WebhookSender>) -> Self {
        self.ports.webhook_sender = sender;
        self
    }

    /// The extractor of text from files. Without it, every file is of an unsupported type.
    pub fn extractor(mut self, extractor: Arc<dyn TextExtractor>) -> Self {
        self.ports.extractor = extractor;
        self
    }

    /// What encrypts secrets for the database. Without it, whatever would store a secret fails.
    pub fn cipher(mut self, cipher: Arc<dyn SecretCipher>) -> Self {
        self.ports.cipher = cipher;
        self
    }

    /// How much there may be of what.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The settings on which it depends what is accepted.
    pub fn input_settings(mut self, input_settings: InputSettings) -> Self {
        self.input_settings = input_settings;
        self
    }

    /// For whom the services act. What the operator's methods change, and what is imported, is then recorded in the
    /// [audit log](crate::audit), in the same unit of work. Without it, nothing is.
    pub fn audit(mut self, operator: Operator, actor: AuditActor) -> Self {
        self.audited = Some(Audited { operator, actor });
        self
    }

    /// The services.
    #[must_use]
    pub fn build(self) -> Botyard {
        Botyard::new(self.ports, self.limits, self.input_settings, self.audited)
    }
}
