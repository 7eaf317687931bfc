//! Webhooks: events sent to servers of clients (`docs/events.md`, "Webhooks").

mod attempt;
mod body;
mod delivery;
mod delivery_service;
mod dispatch;
mod filter;
mod job;
mod next;
mod port;
mod repository;
mod secret;
mod service;
mod signature;
mod slots;
mod url;

pub use body::{CreateWebhook, UpdateWebhook};
pub use delivery::{Delivery, DeliveryAttempt, DeliveryOutcome, DeliveryStatus};
pub use dispatch::WebhookDispatcher;
pub use filter::WebhookFilter;
pub use job::DELIVER_WEBHOOK;
pub(crate) use job::DeliverWebhook;
pub use port::{NoSender, SendError, WebhookAnswer, WebhookMessage, WebhookSender};
pub use repository::{
    DeliveryState, StoredWebhook, WaitingWebhook, WebhookRepository, WebhookSecrets,
};
pub use secret::{SigningSecret, bound_to, previous_bound_to};
pub use service::{WebhookService, WebhookWithSecret};
pub(crate) use slots::DeliverySlots;
pub use url::WebhookUrl;

use serde::Serialize;

use crate::choice;
use crate::clock::Timestamp;
use crate::entity_tag::{EntityTag, Tagged};
use crate::id::{BotId, ProjectId, WebhookId};

/// How many items `types` and `botIds` have at most.
const ITEMS_MAX: usize = 100;

choice! {
    /// Why a webhook was disabled by the service.
    DisabledReason {
        Gone "gone",
        Failing "failing",
    }
}

/// What clients set on a webhook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookFields {
    /// Where it is sent.
    pub url: WebhookUrl,
    /// Which events it is sent: words of [`EventTypes::parse`], at least one.
    pub types: Vec<String>,
    /// Only events with these bots; `None` for all events.
    pub bot_ids: Option<Vec<BotId>>,
    /// What people say about it.
    pub description: Option<String>,
    /// Whether it is sent anything.
    pub enabled: bool,
}

/// A webhook of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: WebhookId,
    /// Its project.
    pub project_id: ProjectId,
    /// What clients set.
    #[serde(flatten)]
    pub fields: WebhookFields,
    /// Why the service disabled it, if it did.
    pub disabled_reason: Option<DisabledReason>,
    /// Since when no delivery has succeeded, if the last one failed.
    pub failing_since: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When clients or the service changed it last, other than by deliveries.
    pub updated_at: Timestamp,
}

impl Tagged for Webhook {
    fn entity_tag(&self) -> EntityTag {
        EntityTag::of(self)
    }
}

impl Webhook {
    /// Which events it is sent.
    #[must_use]
    pub fn filter(&self) -> WebhookFilter {
        WebhookFilter::new(self.id, &self.fields.types, self.fields.bot_ids.clone())
    }

    /// The webhook after the service has disabled it.
    fn disabled(self, reason: DisabledReason, now: Timestamp) -> Self {
        let fields = WebhookFields { enabled: false, ..self.fields };
        Self { fields, disabled_reason: Some(reason), updated_at: now, ..self }
    }
}
