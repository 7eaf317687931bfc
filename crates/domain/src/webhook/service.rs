//! What can be done with webhooks.

use std::sync::Arc;
use std::time::Duration;

use super::filter::job_of;
use super::job::{DeliverWebhook, FAIL_BATCH};
use super::next;
use super::secret::{bound_to, previous_bound_to};
use super::{
    CreateWebhook, DeliveryState, SigningSecret, StoredWebhook, UpdateWebhook, Webhook,
    WebhookFields, WebhookSecrets,
};
use crate::access::ProjectClaim;
use crate::context::Context;
use crate::encryption::EncryptedSecret;
use crate::error::{DomainError, Quota, Resource};
use crate::event::{EventData, EventType};
use crate::id::{BotId, EventId, WebhookId};
use crate::input::Valid;
use crate::job::handler::JobHandler as _;
use crate::lock::Lock;
use crate::unit::ProjectUnit;
use crate::violation::{ViolationCode, Violations};

/// For how long messages are signed with the secret before a rotation as well.
const OVERLAP: Duration = Duration::from_secs(24 * 60 * 60);

/// Webhooks.
#[derive(Clone)]
pub struct WebhookService {
    pub(super) context: Arc<Context>,
}

/// A webhook, and its secret if that was made just now: it can't be shown again.
#[derive(Debug, Clone)]
pub struct WebhookWithSecret {
    /// The webhook.
    pub webhook: Webhook,
    /// The secret; `None` where an answer is repeated.
    pub secret: Option<SigningSecret>,
}

impl WebhookService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// Webhooks of the project, oldest first, at most `limit`, after `after` if that is given.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project is not there.
    pub async fn page(
        &self,
        claim: &ProjectClaim,
        after: Option<WebhookId>,
        limit: u32,
    ) -> Result<Vec<Webhook>, DomainError> {
        let read =
            move |unit: &mut ProjectUnit<'_>| Ok(unit.tx.webhooks(&unit.scope, after, limit)?);
        self.context.read_claimed(claim, read).await
    }

    /// The webhook with this `_id`.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the webhook is not there.
    pub async fn get(&self, claim: &ProjectClaim, id: WebhookId) -> Result<Webhook, DomainError> {
        self.context.read_claimed(claim, move |unit| Ok(find(unit, id, Lock::None)?.webhook)).await
    }

    /// Creates a webhook, which is sent what happens from now on.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project is not there, [`DomainError::Invalid`] if one of the bots is not the
    /// project's, [`DomainError::QuotaExceeded`] if the project has as many webhooks as it may,
    /// [`DomainError::Cipher`] if the secret can't be encrypted.
    pub async fn create(
        &self,
        claim: &ProjectClaim,
        request: Valid<CreateWebhook>,
    ) -> Result<WebhookWithSecret, DomainError> {
        let fields = request.fields().ok_or_else(|| {
            DomainError::invalid("/url", ViolationCode::MissingField, "`url` is required.")
        })?;
        // Held exclusively, because two webhooks created at once must not both be the last that fits.
        let create = || {
            let fields = fields.clone();
            self.context.write_claimed(claim, Lock::Exclusive, move |unit| create(unit, &fields))
        };
        self.context.with_encryption_keys(create).await
    }

    /// Changes the fields that the update names. An update that changes nothing leaves no trace. A webhook that is
    /// enabled is sent what happens from then on.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the webhook is not there, [`DomainError::Invalid`] if one of the
    /// bots is not the project's.
    pub async fn update(
        &self,
        claim: &ProjectClaim,
        id: WebhookId,
        request: Valid<UpdateWebhook>,
    ) -> Result<Webhook, DomainError> {
        let request = Arc::new(request);
        loop {
            let request = request.clone();
            let update = move |unit: &mut ProjectUnit<'_>| {
                let mut stored = lock_with_job(unit, id)?;
                unit.check_precondition(&stored.webhook)?;
                let before = stored.clone();
                request.apply(&mut stored.webhook.fields);
                if stored.webhook.fields.enabled && !ends_waiting(unit, &before)? {
                    unit.answer_later();
                    return Ok(None);
                }
                if stored.webhook.fields != before.webhook.fields {
                    change(unit, &mut stored, &before)?;
                    unit.tx.update_webhook(&unit.scope, &stored)?;
                    unit.emit(EventType::WebhookUpdated, id, &EventData::NONE)?;
                }
                unit.answer_with(|_| Ok(stored.webhook.clone()))?;
                Ok(Some(stored.webhook))
            };
            let updated = self.context.write_claimed(claim, Lock::None, update).await?;
            if let Some(webhook) = updated {
                return Ok(webhook);
            }
        }
    }

    /// Deletes a webhook. What is on its way may still arrive.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the webhook is not there.
    pub async fn delete(
        &self,
        claim: &ProjectClaim,
        id: WebhookId,
    ) -> Result<WebhookId, DomainError> {
        self.context
            .delete_claimed(claim, Lock::None, move |unit| {
                // Its job removes the deliveries.
                let stored = lock_with_job(unit, id)?;
                unit.check_precondition(&stored.webhook)?;
                unit.tx.delete_webhook(&unit.scope, id)?;
                unit.emit(EventType::WebhookDeleted, id, &EventData::NONE)?;
                Ok(id)
            })
            .await
    }

    /// Gives a webhook another secret. For 24 hours messages are signed with both.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the webhook is not there, [`DomainError::Cipher`] if the secret
    /// can't be encrypted.
    pub async fn rotate_secret(
        &self,
        claim: &ProjectClaim,
        id: WebhookId,
    ) -> Result<WebhookWithSecret, DomainError> {
        let rotate = || self.context.write_claimed(claim, Lock::None, move |unit| rotate(unit, id));
        self.context.with_encryption_keys(rotate).await
    }

    /// Sends the webhook the event `webhook.test`, in its turn; returns the identifier of the event.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project or the webhook is not there, [`DomainError::WebhookDisabled`] if it is
    /// sent nothing.
    pub async fn test(&self, claim: &ProjectClaim, id: WebhookId) -> Result<EventId, DomainError> {
        self.context
            .write_claimed(claim, Lock::None, move |unit| {
                let stored = find(unit, id, Lock::Shared)?;
                check_enabled(&stored)?;
                let event = unit.next_id();
                unit.emit_as(event, EventType::WebhookTest, id, &EventData::NONE)?;
                Ok(event)
            })
            .await
    }
}

fn create(
    unit: &mut ProjectUnit<'_>,
    fields: &WebhookFields,
) -> Result<WebhookWithSecret, DomainError> {
    let quota = unit.limits().webhooks_per_project;
    let there = unit.tx.webhooks(&unit.scope, None, quota)?;
    if quota > 0 && there.len() >= quota as usize {
        return Err(DomainError::QuotaExceeded(Quota::WebhooksPerProject(quota)));
    }
    check_bots(unit, fields.bot_ids.as_deref())?;
    let (id, now) = (unit.next_id(), unit.now());
    let (secret, current) = new_secret(unit, id)?;
    let webhook = Webhook {
        id,
        project_id: unit.scope.project_id(),
        fields: fields.clone(),
        disabled_reason: None,
        failing_since: None,
        created_at: now,
        updated_at: now,
    };
    let stored = StoredWebhook {
        organisation_id: unit.scope.organisation_id(),
        webhook: webhook.clone(),
        secrets: WebhookSecrets { current, previous: None },
        state: state_from_now_on(unit)?,
    };
    unit.tx.insert_webhook(&unit.scope, &stored)?;
    let job = DeliverWebhook::new_job(unit, &id);
    unit.enqueue(&job.of_project(webhook.project_id))?;
    unit.emit(EventType::WebhookCreated, id, &EventData::NONE)?;
    shown_once(unit, webhook, secret)
}

fn rotate(unit: &mut ProjectUnit<'_>, id: WebhookId) -> Result<WebhookWithSecret, DomainError> {
    // This takes the lock of the key, and the webhook is locked after it: replacing the key locks the two in this
    // order.
    let (secret, current) = new_secret(unit, id)?;
    let mut stored = find(unit, id, Lock::Exclusive)?;
    unit.check_precondition(&stored.webhook)?;
    let before = unit.context.cipher.decrypt(&stored.secrets.current, &bound_to(id))?;
    let before = unit.encrypt(&before, &previous_bound_to(id))?;
    let now = unit.now();
    let previous = Some((before, now.plus(OVERLAP)));
    stored.secrets = WebhookSecrets { current, previous };
    stored.webhook.updated_at = now;
    unit.tx.update_webhook(&unit.scope, &stored)?;
    unit.emit(EventType::WebhookUpdated, id, &EventData::NONE)?;
    shown_once(unit, stored.webhook, secret)
}

/// What is answered: if the request has a key, the answer that is stored for its repetition does not have the secret.
fn shown_once(
    unit: &mut ProjectUnit<'_>,
    webhook: Webhook,
    secret: SigningSecret,
) -> Result<WebhookWithSecret, DomainError> {
    let repeated = WebhookWithSecret { webhook, secret: None };
    unit.answer_repetitions_with(&repeated)?;
    Ok(WebhookWithSecret { secret: Some(secret), ..repeated })
}

pub(super) fn find(
    unit: &mut ProjectUnit<'_>,
    id: WebhookId,
    lock: Lock,
) -> Result<StoredWebhook, DomainError> {
    unit.tx.webhook(&unit.scope, id, lock)?.ok_or(DomainError::NotFound(Resource::Webhook))
}

/// Locks a webhook whose job is to look once more for something to do. The job locks the two in the same order.
pub(super) fn lock_with_job(
    unit: &mut ProjectUnit<'_>,
    id: WebhookId,
) -> Result<StoredWebhook, DomainError> {
    // A webhook of another project is not there: its job must not be touched.
    find(unit, id, Lock::None)?;
    unit.wake_jobs(&[job_of(id)])?;
    find(unit, id, Lock::Exclusive)
}

pub(super) fn check_enabled(stored: &StoredWebhook) -> Result<(), DomainError> {
    if stored.webhook.fields.enabled { Ok(()) } else { Err(DomainError::WebhookDisabled) }
}

/// Ends some of the deliveries that still wait for a disabled webhook: once it is enabled, they would be sent. Returns
/// whether those were all.
fn ends_waiting(unit: &mut ProjectUnit<'_>, disabled: &StoredWebhook) -> Result<bool, DomainError> {
    if disabled.webhook.fields.enabled {
        return Ok(true);
    }
    let ended = unit.tx.fail_waiting_deliveries(&unit.scope, disabled.webhook.id, FAIL_BATCH)?;
    Ok(ended < FAIL_BATCH)
}

/// A secret, and the same encrypted.
fn new_secret(
    unit: &mut ProjectUnit<'_>,
    id: WebhookId,
) -> Result<(SigningSecret, EncryptedSecret), DomainError> {
    let secret = SigningSecret::generate(&*unit.context.entropy);
    let encrypted = unit.encrypt(secret.as_bytes(), &bound_to(id))?;
    Ok((secret, encrypted))
}

/// How far a webhook is that is sent what happens from now on.
fn state_from_now_on(unit: &mut ProjectUnit<'_>) -> Result<DeliveryState, DomainError> {
    let cursor = *unit.tx.event_numbers(&unit.scope)?.end();
    Ok(DeliveryState { cursor, blocked_by: None })
}

/// Does what follows from a change of what clients set.
fn change(
    unit: &mut ProjectUnit<'_>,
    stored: &mut StoredWebhook,
    before: &StoredWebhook,
) -> Result<(), DomainError> {
    let (old, new) = (&before.webhook.fields, &stored.webhook.fields);
    if new.bot_ids != old.bot_ids {
        check_bots(unit, new.bot_ids.as_deref())?;
    }
    let is_sent_others = new.types != old.types || new.bot_ids != old.bot_ids;
    let has_moved = new.url != old.url;
    match (old.enabled, new.enabled) {
        (true, false) => {
            stored.state.blocked_by = None;
            // The webhook's job ends what is left.
            unit.tx.fail_waiting_deliveries(&unit.scope, stored.webhook.id, FAIL_BATCH)?;
        }
        (false, true) => {
            stored.state = state_from_now_on(unit)?;
            stored.webhook.disabled_reason = None;
            stored.webhook.failing_since = None;
        }
        // A new filter does not apply to events of the past: if none was for the webhook by the old one, they are skipped.
        (true, true) if is_sent_others => {
            let passed = next::numbers_without_match(unit, before)?;
            stored.state.cursor = passed.unwrap_or(stored.state.cursor);
        }
        (true, true) | (false, false) => {}
    }
    if has_moved {
        stored.webhook.failing_since = None;
    }
    stored.webhook.updated_at = unit.now();
    Ok(())
}

/// Checks that the project has, or had, these bots.
fn check_bots(unit: &mut ProjectUnit<'_>, bots: Option<&[BotId]>) -> Result<(), DomainError> {
    let mut violations = Violations::none();
    for (index, bot) in bots.unwrap_or_default().iter().enumerate() {
        if !unit.tx.knows_bot(&unit.scope, *bot)? {
            let message = format!("`botIds[{index}]` must be the `_id` of a bot of the project.");
            let pointer = format!("/botIds/{index}");
            violations.body(&pointer, ViolationCode::NotAllowed, &message);
        }
    }
    if violations.is_empty() { Ok(()) } else { Err(violations.into()) }
}
