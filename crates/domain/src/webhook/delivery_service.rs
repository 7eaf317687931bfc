//! What can be done with the deliveries of a webhook.

use super::service::{check_enabled, find, lock_with_job};
use super::{Delivery, DeliveryStatus, WebhookService};
use crate::access::ProjectClaim;
use crate::error::{DomainError, Resource};
use crate::id::{DeliveryId, WebhookId};
use crate::lock::Lock;

impl WebhookService {
    /// Deliveries of a webhook, that which was begun last first, at most `limit`, before `before` if that is given.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the webhook is not there.
    pub async fn deliveries(
        &self,
        claim: &ProjectClaim,
        id: WebhookId,
        before: Option<DeliveryId>,
        limit: u32,
    ) -> Result<Vec<Delivery>, DomainError> {
        self.context
            .read_claimed(claim, move |unit| {
                find(unit, id, Lock::None)?;
                Ok(unit.tx.deliveries(&unit.scope, id, before, limit)?)
            })
            .await
    }

    /// Has an event delivered again, or sooner than it would be.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project, the webhook or the delivery is not there,
    /// [`DomainError::WebhookDisabled`] if the webhook is sent nothing.
    pub async fn retry(
        &self,
        claim: &ProjectClaim,
        (webhook, id): (WebhookId, DeliveryId),
    ) -> Result<Delivery, DomainError> {
        self.context
            .write_claimed(claim, Lock::None, move |unit| {
                let stored = lock_with_job(unit, webhook)?;
                let found = unit.tx.delivery(&unit.scope, (webhook, id))?;
                let mut delivery = found.ok_or(DomainError::NotFound(Resource::Delivery))?;
                check_enabled(&stored)?;
                delivery.status = DeliveryStatus::Waiting;
                delivery.next_attempt_at = Some(unit.now());
                unit.tx.update_delivery(&unit.scope, &delivery)?;
                Ok(delivery)
            })
            .await
    }
}
