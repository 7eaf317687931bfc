//! Deliveries: an event on its way to a webhook, and how that went.

use super::SendError;
use crate::choice;
use crate::clock::Timestamp;
use crate::event::EventType;
use crate::id::{DeliveryId, EventId, ProjectId, WebhookId};

choice! {
    /// Where a delivery is.
    DeliveryStatus {
        Waiting "waiting",
        Delivered "delivered",
        Failed "failed",
    }
}

/// What came of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// The receiver answered with this status.
    Status(u16),
    /// There was no answer.
    Error(SendError),
}

/// An attempt to deliver an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeliveryAttempt {
    /// When it began.
    pub at: Timestamp,
    /// What came of it.
    pub outcome: DeliveryOutcome,
    /// How many milliseconds it took.
    pub milliseconds: u64,
}

/// An event that was sent to a webhook at least once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its identifier. Those of a webhook are in the order of their events.
    pub id: DeliveryId,
    /// The webhook.
    pub webhook_id: WebhookId,
    /// The project of both.
    pub project_id: ProjectId,
    /// The number of the event in its project.
    pub event_number: u64,
    /// The event.
    pub event_id: EventId,
    /// What has happened.
    pub event_type: EventType,
    /// Where it is.
    pub status: DeliveryStatus,
    /// The latest attempts, oldest first.
    pub attempts: Vec<DeliveryAttempt>,
    /// How many attempts have failed.
    pub failures: u32,
    /// When the next attempt is due, while it waits.
    pub next_attempt_at: Option<Timestamp>,
}
