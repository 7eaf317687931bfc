//! All services in one place: what an HTTP layer, a command line or an embedding service holds.

use std::sync::Arc;

use crate::access::AccessService;
use crate::audit::{AuditService, Audited};
use crate::blob;
use crate::bot::{self, BotService};
use crate::builder::BotyardBuilder;
use crate::changelog::ChangelogService;
use crate::clock::{Clock, Timestamp};
use crate::context::Context;
use crate::crawl::{self, CrawlService};
use crate::document::{self, DocumentService};
use crate::encryption::EncryptionService;
use crate::entropy::Entropy;
use crate::error::DomainError;
use crate::event::EventService;
use crate::feedback::FeedbackService;
use crate::fusion::FusionViewService;
use crate::history::SupervisorService;
use crate::idempotency::IdempotencyService;
use crate::import::ImportService;
use crate::input::InputSettings;
use crate::installation::InstallationService;
use crate::job::JobService;
use crate::job::registry::{JobRegistry, Registered};
use crate::keyval::KeyvalService;
use crate::limits::Limits;
use crate::max_age::{self, MaxAgeService};
use crate::organisation::OrganisationService;
use crate::ports::Ports;
use crate::project::ProjectService;
use crate::recorder::RecorderService;
use crate::skill::SkillService;
use crate::stage::StageService;
use crate::store::Store;
use crate::usage::UsageService;
use crate::user::{self, UserService};
use crate::visual_block::VisualBlockService;
use crate::webhook::{self, WebhookService};

/// The services of botyard. Cloning is cheap and shares everything.
#[derive(Clone)]
pub struct Botyard {
    /// Tokens and who bears them.
    pub access: AccessService,
    /// Organisations.
    pub organisations: OrganisationService,
    /// Projects.
    pub projects: ProjectService,
    /// Bots.
    pub bots: BotService,
    /// Skills.
    pub skills: SkillService,
    /// Stages.
    pub stages: StageService,
    /// Fusion-Views.
    pub fusion: FusionViewService,
    /// Website-crawls.
    pub crawls: CrawlService,
    /// Project documents.
    pub documents: DocumentService,
    /// Visual blocks.
    pub visual_blocks: VisualBlockService,
    /// Key-value entries.
    pub keyval: KeyvalService,
    /// MaxAge rules.
    pub max_age: MaxAgeService,
    /// Users.
    pub users: UserService,
    /// Supervisor chats.
    pub supervisor: SupervisorService,
    /// Usage statistics.
    pub usage: UsageService,
    /// Message feedback.
    pub feedback: FeedbackService,
    /// What a chat runtime writes.
    pub recorder: RecorderService,
    /// Files of what a chat runtime writes.
    pub imports: ImportService,
    /// Changelogs.
    pub changelog: ChangelogService,
    /// Events.
    pub events: EventService,
    /// Events sent to others.
    pub webhooks: WebhookService,
    /// Requests that take effect once.
    pub idempotency: IdempotencyService,
    /// Work that is done later.
    pub jobs: JobService,
    /// Who did what on the command line.
    pub audit: AuditService,
    /// Which blob store belongs to the database.
    pub installation: InstallationService,
    /// With which key secrets are encrypted.
    pub encryption: EncryptionService,
    context: Arc<Context>,
}

impl Botyard {
    /// Begins to put the services together: on a database, the time, and random bytes that are fit for secrets.
    pub fn builder(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> BotyardBuilder {
        BotyardBuilder::new(store, clock, entropy)
    }

    pub(crate) fn new(
        ports: Ports,
        limits: Limits,
        input_settings: InputSettings,
        audited: Option<Audited>,
    ) -> Self {
        let context = Arc::new(Context::new(ports, limits, Arc::new(input_settings), audited));
        Self {
            access: AccessService::new(context.clone()),
            organisations: OrganisationService::new(context.clone()),
            projects: ProjectService::new(context.clone()),
            bots: BotService::new(context.clone()),
            skills: SkillService::new(context.clone()),
            stages: StageService::new(context.clone()),
            fusion: FusionViewService::new(context.clone()),
            crawls: CrawlService::new(context.clone()),
            documents: DocumentService::new(context.clone()),
            visual_blocks: VisualBlockService::new(context.clone()),
            keyval: KeyvalService::new(context.clone()),
            max_age: MaxAgeService::new(context.clone()),
            users: UserService::new(context.clone()),
            supervisor: SupervisorService::new(context.clone()),
            usage: UsageService::new(context.clone()),
            feedback: FeedbackService::new(context.clone()),
            recorder: RecorderService::new(context.clone()),
            imports: ImportService::new(context.clone()),
            changelog: ChangelogService::new(context.clone()),
            events: EventService::new(context.clone()),
            webhooks: WebhookService::new(context.clone()),
            idempotency: IdempotencyService::new(context.clone()),
            jobs: JobService::new(context.clone(), job_registry()),
            audit: AuditService::new(context.clone()),
            installation: InstallationService::new(context.clone()),
            encryption: EncryptionService::new(context.clone()),
            context,
        }
    }

    /// The time now, by the clock that all services go by.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.context.clock.now()
    }

    /// The settings on which it depends what is accepted.
    #[must_use]
    pub fn input_settings(&self) -> &InputSettings {
        &self.context.input_settings
    }

    /// Whether the database and the blob store answer and have room for more.
    ///
    /// # Errors
    /// [`DomainError`] if one of them does not.
    pub async fn check(&self) -> Result<(), DomainError> {
        self.context.store.check().await?;
        Ok(self.context.blobs.check().await?)
    }
}

/// Every kind of job, a line each.
fn job_registry() -> JobRegistry {
    JobRegistry::new(vec![
        Registered::of::<bot::TeardownBot>(),
        Registered::of::<bot::RemoveConfig>(),
        Registered::of::<blob::RemoveBlob>(),
        Registered::of::<blob::SweepBlobs>(),
        Registered::of::<user::RemoveUsers>(),
        Registered::of::<max_age::CleanUp>(),
        Registered::of::<crawl::Crawl>(),
        Registered::of::<crawl::RemovePageSet>(),
        Registered::of::<document::Extract>(),
        Registered::of::<document::RemoveChunks>(),
        Registered::of::<document::RenameSkillOfCopies>(),
        Registered::of::<webhook::DeliverWebhook>(),
    ])
}
