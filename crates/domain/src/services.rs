//! All services in one place: what an HTTP layer, a command line or an embedding service holds.

use std::sync::Arc;

use crate::access::AccessService;
use crate::body::{ModelSources, Rules};
use crate::bot::BotService;
use crate::changelog::ChangelogService;
use crate::clock::Clock;
use crate::context::{Context, Limits};
use crate::entropy::Entropy;
use crate::error::StorageError;
use crate::organisation::OrganisationService;
use crate::project::ProjectService;
use crate::store::Store;

/// What the services need from outside.
#[derive(Clone)]
pub struct Ports {
    /// The database.
    pub store: Arc<dyn Store>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Random bytes fit for secrets.
    pub entropy: Arc<dyn Entropy>,
}

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
    /// Changelogs.
    pub changelog: ChangelogService,
    store: Arc<dyn Store>,
    rules: Arc<Rules>,
}

impl Botyard {
    /// The services on these ports.
    #[must_use]
    pub fn new(ports: Ports, limits: Limits, model_sources: ModelSources) -> Self {
        let rules = Arc::new(Rules { model_sources });
        let store = ports.store.clone();
        let context = Arc::new(Context::new(ports.store, ports.clock, ports.entropy, limits));
        Self {
            access: AccessService::new(context.clone()),
            organisations: OrganisationService::new(context.clone()),
            projects: ProjectService::new(context.clone()),
            bots: BotService::new(context.clone()),
            changelog: ChangelogService::new(context),
            store,
            rules,
        }
    }

    /// The settings on which the form of bodies depends.
    #[must_use]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether the database answers.
    ///
    /// # Errors
    /// [`StorageError`] if it does not.
    pub async fn check(&self) -> Result<(), StorageError> {
        self.store.check().await
    }
}
