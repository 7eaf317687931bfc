//! What every service works with.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use futures_util::lock::Mutex;

use crate::access::{ScopeCache, TokenCache};
use crate::archive::ArchiveCheck;
use crate::audit::Audited;
use crate::blob::Blobs;
use crate::bot::Unfinished;
use crate::clock::Clock;
use crate::crawl::WebCrawler;
use crate::dirty_set::DirtySet;
use crate::document::{ExtractionWaiters, TextExtractor};
use crate::encryption::SecretCipher;
use crate::entropy::Entropy;
use crate::error::{Busy, DomainError};
use crate::event::Tails;
use crate::id::{BotId, Ids, ProjectId};
use crate::input::InputSettings;
use crate::job::JobNotify;
use crate::keyval::AccessTimes;
use crate::limits::Limits;
use crate::per_key::{PerKey, PerProject};
use crate::ports::Ports;
use crate::slots::{ProjectSlot, ProjectSlots};
use crate::store::Store;
use crate::webhook::{DeliverySlots, WebhookSender};

/// The ports and rules that the services share.
pub(crate) struct Context {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) ids: Ids,
    pub(crate) blobs: Arc<dyn Blobs>,
    pub(crate) archives: Arc<dyn ArchiveCheck>,
    pub(crate) crawler: Arc<dyn WebCrawler>,
    pub(crate) webhook_sender: Arc<dyn WebhookSender>,
    pub(crate) extractor: Arc<dyn TextExtractor>,
    pub(crate) cipher: Arc<dyn SecretCipher>,
    pub(crate) limits: Limits,
    pub(crate) input_settings: Arc<InputSettings>,
    /// For whom the operator's methods act, if that is a person.
    pub(crate) audited: Option<Audited>,
    pub(crate) job_notify: JobNotify,
    pub(crate) extraction_waiters: ExtractionWaiters,
    /// When key-value entries were read last.
    pub(crate) accesses: AccessTimes,
    /// How many key-value entries went by MaxAge rules.
    pub(crate) cleaned_up: AtomicU64,
    /// Bots whose changelog grew since it was last trimmed.
    pub(crate) grown_changelogs: DirtySet<BotId>,
    /// Projects of which answers to requests with keys were stored since the oldest were last removed.
    pub(crate) projects_with_idempotency_keys: DirtySet<ProjectId>,
    /// Projects that had events since the oldest were last removed.
    pub(crate) projects_with_events: DirtySet<ProjectId>,
    /// What happened last in projects that are followed.
    pub(crate) event_tails: Tails,
    uploads: ProjectSlots,
    /// Deliveries to webhooks that are under way.
    pub(crate) deliveries: DeliverySlots,
    pub(crate) unfinished: Unfinished,
    /// For changes of a bot with a large configuration, which are made one after the other.
    pub(crate) bot_changes: PerKey<BotId, Mutex<()>>,
    /// For the text of a large configuration that is being stored: a project has one in memory.
    pub(crate) config_mutexes: PerProject<Mutex<()>>,
    /// Bots and projects that are there.
    pub(crate) scope_cache: ScopeCache,
    /// Tokens of bots.
    pub(crate) token_cache: TokenCache,
}

impl Context {
    pub(crate) fn new(
        ports: Ports,
        limits: Limits,
        input_settings: Arc<InputSettings>,
        audited: Option<Audited>,
    ) -> Self {
        let Ports {
            store,
            clock,
            entropy,
            blobs,
            archives,
            crawler,
            webhook_sender,
            extractor,
            cipher,
        } = ports;
        let ids = Ids::new(clock.clone(), entropy.clone());
        Self {
            store,
            clock,
            entropy,
            ids,
            blobs,
            archives,
            crawler,
            webhook_sender,
            extractor,
            cipher,
            limits,
            input_settings,
            audited,
            job_notify: JobNotify::default(),
            extraction_waiters: ExtractionWaiters::default(),
            accesses: AccessTimes::default(),
            cleaned_up: AtomicU64::default(),
            grown_changelogs: DirtySet::default(),
            projects_with_idempotency_keys: DirtySet::default(),
            projects_with_events: DirtySet::default(),
            event_tails: Tails::default(),
            uploads: ProjectSlots::default(),
            deliveries: DeliverySlots::default(),
            unfinished: Unfinished::default(),
            bot_changes: PerKey::new(|| Mutex::new(())),
            config_mutexes: PerProject::new(|| Mutex::new(())),
            scope_cache: ScopeCache::default(),
            token_cache: TokenCache::default(),
        }
    }

    /// Counts an upload of the project in, for as long as the slot lives.
    pub(crate) fn begin_upload(&self, project: ProjectId) -> Result<ProjectSlot, DomainError> {
        let limit = self.limits.uploads_per_project;
        self.uploads.begin(project, limit).ok_or(DomainError::Busy(Busy::Uploads(limit)))
    }
}
