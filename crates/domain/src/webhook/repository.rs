//! The repository of webhooks.

use super::{Delivery, Webhook, WebhookFilter};
use crate::access::{Operator, ProjectScope};
use crate::clock::Timestamp;
use crate::encryption::EncryptedSecret;
use crate::error::StorageError;
use crate::id::{DeliveryId, OrganisationId, ProjectId, WebhookId};
use crate::lock::Lock;

/// The secrets of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookSecrets {
    /// With which messages are signed.
    pub current: EncryptedSecret,
    /// With which they are signed as well until then, after a rotation.
    pub previous: Option<(EncryptedSecret, Timestamp)>,
}

/// How far a webhook is with the events of its project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryState {
    /// Up to which number events were tried, or are not for it.
    pub cursor: u64,
    /// The delivery for whose success or third failure the events behind it wait.
    pub blocked_by: Option<DeliveryId>,
}

/// A webhook with what clients do not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredWebhook {
    /// The organisation of its project.
    pub organisation_id: OrganisationId,
    /// The webhook.
    pub webhook: Webhook,
    /// Its secrets.
    pub secrets: WebhookSecrets,
    /// How far it is.
    pub state: DeliveryState,
}

impl StoredWebhook {
    /// The right to what its project has.
    pub(super) const fn scope(&self) -> ProjectScope {
        ProjectScope::at(self.organisation_id, self.webhook.project_id, None)
    }
}

/// A webhook for which there may be something new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingWebhook {
    /// The webhook.
    pub id: WebhookId,
    /// The organisation of its project.
    pub organisation_id: OrganisationId,
    /// Its project.
    pub project_id: ProjectId,
    /// Which events it is sent.
    pub filter: WebhookFilter,
    /// Up to which number events were tried, or are not for it.
    pub cursor: u64,
}

impl WaitingWebhook {
    /// The right to what its project has.
    pub(super) const fn scope(&self) -> ProjectScope {
        ProjectScope::at(self.organisation_id, self.project_id, None)
    }
}

/// Webhooks and their deliveries in the database.
pub trait WebhookRepository {
    /// A webhook of the project.
    fn webhook(
        &mut self,
        scope: &ProjectScope,
        id: WebhookId,
        lock: Lock,
    ) -> Result<Option<StoredWebhook>, StorageError>;

    /// Webhooks of the project, oldest first, at most `limit`, after `after` if that is given.
    fn webhooks(
        &mut self,
        scope: &ProjectScope,
        after: Option<WebhookId>,
        limit: u32,
    ) -> Result<Vec<Webhook>, StorageError>;

    /// Stores a new webhook of the project.
    fn insert_webhook(
        &mut self,
        scope: &ProjectScope,
        stored: &StoredWebhook,
    ) -> Result<(), StorageError>;

    /// Stores how a webhook of the project is, and how far, but none of what clients set except whether it is enabled.
    fn update_delivery_state(
        &mut self,
        scope: &ProjectScope,
        stored: &StoredWebhook,
    ) -> Result<(), StorageError>;

    /// Stores all of a webhook of the project that is there.
    fn update_webhook(
        &mut self,
        scope: &ProjectScope,
        stored: &StoredWebhook,
    ) -> Result<(), StorageError>;

    /// Removes a webhook of the project; returns whether it was there. Its deliveries stay.
    fn delete_webhook(&mut self, scope: &ProjectScope, id: WebhookId)
    -> Result<bool, StorageError>;

    /// A webhook of any project.
    fn webhook_to_deliver(
        &mut self,
        operator: Operator,
        id: WebhookId,
        lock: Lock,
    ) -> Result<Option<StoredWebhook>, StorageError>;

    /// Webhooks of some projects, or of all, that are enabled, not held up, and behind the latest event of their
    /// project: in the order of their identifiers, at most `limit`, after `after` if that is given.
    fn webhooks_behind(
        &mut self,
        operator: Operator,
        projects: Option<&[ProjectId]>,
        after: Option<WebhookId>,
        limit: u32,
    ) -> Result<Vec<WaitingWebhook>, StorageError>;

    /// A delivery of a webhook of the project.
    fn delivery(
        &mut self,
        scope: &ProjectScope,
        of: (WebhookId, DeliveryId),
    ) -> Result<Option<Delivery>, StorageError>;

    /// Deliveries of a webhook of the project, latest `_id` first, at most `limit`, before `before` if that is given.
    fn deliveries(
        &mut self,
        scope: &ProjectScope,
        webhook: WebhookId,
        before: Option<DeliveryId>,
        limit: u32,
    ) -> Result<Vec<Delivery>, StorageError>;

    /// The delivery of a webhook of the project that waits and is due first.
    fn first_due_delivery(
        &mut self,
        scope: &ProjectScope,
        webhook: WebhookId,
    ) -> Result<Option<Delivery>, StorageError>;

    /// Stores a new delivery.
    fn insert_delivery(
        &mut self,
        scope: &ProjectScope,
        delivery: &Delivery,
    ) -> Result<(), StorageError>;

    /// Stores status, attempts, failures and next attempt of a delivery, unless it has gone with its event.
    fn update_delivery(
        &mut self,
        scope: &ProjectScope,
        delivery: &Delivery,
    ) -> Result<(), StorageError>;

    /// Ends at most `limit` deliveries of a webhook of the project that wait, those that are due first: they have failed.
    /// Returns their number.
    fn fail_waiting_deliveries(
        &mut self,
        scope: &ProjectScope,
        webhook: WebhookId,
        limit: u32,
    ) -> Result<u32, StorageError>;

    /// Removes at most `limit` deliveries of a webhook that is not there any more; returns their number.
    fn remove_deliveries_of_webhook(
        &mut self,
        operator: Operator,
        webhook: WebhookId,
        limit: u32,
    ) -> Result<u32, StorageError>;

    /// Removes at most `limit` deliveries of events of a project up to this number; returns their number.
    fn remove_deliveries(
        &mut self,
        operator: Operator,
        project: ProjectId,
        through: u64,
        limit: u32,
    ) -> Result<u32, StorageError>;
}
