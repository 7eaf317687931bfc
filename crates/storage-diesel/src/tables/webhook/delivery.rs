//! The row of a delivery.

use diesel::prelude::*;
use domain::StorageError;
use domain::clock::Timestamp;
use domain::event::EventType;
use domain::webhook::{Delivery, DeliveryAttempt, DeliveryOutcome, DeliveryStatus, SendError};
use serde::{Deserialize, Serialize};

use crate::engine::tx::{broken, decode, number};
use crate::sql::columns::{IdColumn, Stored};
use crate::sql::schema::webhook_deliveries;

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = webhook_deliveries, treat_none_as_default_value = false)]
pub(super) struct DeliveryRow {
    webhook_id: IdColumn,
    id: IdColumn,
    project_id: IdColumn,
    event_number: i64,
    event_id: IdColumn,
    event_type: String,
    pub(super) status: String,
    pub(super) attempts: String,
    pub(super) failures: i64,
    pub(super) next_attempt_at: Option<i64>,
}

/// An attempt as an item of a list in JSON: a status or the word of an error.
#[derive(Serialize, Deserialize)]
struct AttemptItem {
    at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<SendError>,
    milliseconds: u64,
}

impl From<&DeliveryAttempt> for AttemptItem {
    fn from(attempt: &DeliveryAttempt) -> Self {
        let (status, error) = match attempt.outcome {
            DeliveryOutcome::Status(status) => (Some(status), None),
            DeliveryOutcome::Error(error) => (None, Some(error)),
        };
        Self { at: attempt.at.millis(), status, error, milliseconds: attempt.milliseconds }
    }
}

impl AttemptItem {
    fn attempt(self) -> Option<DeliveryAttempt> {
        let outcome = match (self.status, self.error) {
            (Some(status), None) => DeliveryOutcome::Status(status),
            (None, Some(error)) => DeliveryOutcome::Error(error),
            (None, None) | (Some(_), Some(_)) => return None,
        };
        let at = Timestamp::from_millis(self.at);
        Some(DeliveryAttempt { at, outcome, milliseconds: self.milliseconds })
    }
}

impl DeliveryRow {
    pub(super) fn of(delivery: &Delivery) -> Result<Self, StorageError> {
        let attempts: Vec<_> = delivery.attempts.iter().map(AttemptItem::from).collect();
        let attempts = serde_json::to_string(&attempts);
        Ok(Self {
            webhook_id: delivery.webhook_id.to_column(),
            id: delivery.id.to_column(),
            project_id: delivery.project_id.to_column(),
            event_number: number(delivery.event_number)?,
            event_id: delivery.event_id.to_column(),
            event_type: delivery.event_type.as_str().to_owned(),
            status: delivery.status.as_str().to_owned(),
            attempts: attempts.map_err(|error| broken(error.to_string()))?,
            failures: delivery.failures.into(),
            next_attempt_at: delivery.next_attempt_at.map(Timestamp::millis),
        })
    }
}

impl TryFrom<DeliveryRow> for Delivery {
    type Error = StorageError;

    fn try_from(row: DeliveryRow) -> Result<Self, StorageError> {
        let id = row.id;
        let items: Option<Vec<AttemptItem>> = serde_json::from_str(&row.attempts).ok();
        let attempts =
            items.and_then(|items| items.into_iter().map(AttemptItem::attempt).collect());
        let event_number = u64::try_from(row.event_number).ok();
        let event_type = EventType::parse(&row.event_type);
        Ok(Self {
            id: Stored::from_column(id),
            webhook_id: Stored::from_column(row.webhook_id),
            project_id: Stored::from_column(row.project_id),
            event_number: decode("webhook_deliveries.event_number", id, event_number)?,
            event_id: Stored::from_column(row.event_id),
            event_type: decode("webhook_deliveries.event_type", id, event_type)?,
            status: decode("webhook_deliveries.status", id, DeliveryStatus::parse(&row.status))?,
            attempts: decode("webhook_deliveries.attempts", id, attempts)?,
            failures: decode("webhook_deliveries.failures", id, row.failures.try_into().ok())?,
            next_attempt_at: row.next_attempt_at.map(Timestamp::from_millis),
        })
    }
}
