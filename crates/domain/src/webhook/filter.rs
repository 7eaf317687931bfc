//! Which events a webhook is sent.

use crate::event::{Event, EventType, EventTypes};
use crate::id::{BotId, JobId, WebhookId};

/// Which events a webhook is sent: those of its types and bots, and its own test in any case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookFilter {
    webhook: WebhookId,
    own: String,
    types: EventTypes,
    bot_ids: Option<Vec<BotId>>,
}

impl WebhookFilter {
    /// Of the words of a webhook's types and its bots. A word that only newer code knows stands for no type.
    #[must_use]
    pub fn new(webhook: WebhookId, types: &[String], bot_ids: Option<Vec<BotId>>) -> Self {
        let types = types.iter().filter_map(|word| EventTypes::parse(word).ok());
        let types = types.fold(EventTypes::of(&[]), EventTypes::with);
        Self { webhook, own: webhook.to_string(), types, bot_ids }
    }

    /// The job of the webhook.
    #[must_use]
    pub const fn job(&self) -> JobId {
        job_of(self.webhook)
    }

    /// The types that events which it is sent can have.
    #[must_use]
    pub const fn types(&self) -> EventTypes {
        self.types.with(EventTypes::of(&[EventType::WebhookTest]))
    }

    /// Whether events of these types need not be of these bots.
    #[must_use]
    pub const fn is_of_all_bots(&self) -> bool {
        self.bot_ids.is_none()
    }

    /// Whether the webhook is sent an event.
    #[must_use]
    pub fn wants(&self, event: &Event) -> bool {
        if event.event_type == EventType::WebhookTest && event.resource_id == self.own {
            return true;
        }
        let is_of_bots = match &self.bot_ids {
            None => true,
            Some(bots) => event.bot_id.is_some_and(|bot| bots.contains(&bot)),
        };
        is_of_bots && self.types.contains(event.event_type)
    }
}

/// The job of a webhook, which has its identifier: it can be woken without being looked for.
pub(super) const fn job_of(webhook: WebhookId) -> JobId {
    JobId::from_uuid(webhook.uuid())
}
