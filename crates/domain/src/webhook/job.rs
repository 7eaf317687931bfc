//! The job that delivers events to a webhook, one after the other. It is there as long as the webhook is, and waits
//! while there is nothing to deliver.

use std::time::Duration;

use serde::Serialize;

use super::attempt::EndedAttempt;
use super::filter::job_of;
use super::next::{Due, Next, next};
use super::secret::{bound_to, previous_bound_to};
use super::signature::sign;
use super::{
    Delivery, DeliveryStatus, DisabledReason, SigningSecret, StoredWebhook, WebhookMessage,
};
use crate::access::Operator;
use crate::clock::Timestamp;
use crate::context::Context;
use crate::error::DomainError;
use crate::event::{EventData, EventType, NumberedEvent};
use crate::id::WebhookId;
use crate::job::handler::JobHandler;
use crate::job::run::JobRun;
use crate::job::{DEFERRED, Job, JobKind, Queue, StepOutcome};
use crate::json::Json;
use crate::lock::Lock;
use crate::unit::Unit;

/// Delivers events to a webhook.
pub const DELIVER_WEBHOOK: JobKind = JobKind::new("deliver_webhook");

/// By how much of it a pause between two attempts is longer at most, of 1 000.
const JITTER_MAX: u32 = 100;
/// How many deliveries of a deleted webhook one unit removes.
const REMOVE_BATCH: u32 = 500;
/// How many deliveries one unit ends that wait when their webhook is disabled.
pub(super) const FAIL_BATCH: u32 = 1_000;

pub(crate) struct DeliverWebhook;

impl JobHandler for DeliverWebhook {
    type Subject = WebhookId;

    const KIND: JobKind = DELIVER_WEBHOOK;
    const QUEUE: Queue = Queue::Webhooks;
    /// It fails if the database does, or a key is missing, and then events wait.
    const RETRY_DELAY: Option<Duration> = Some(Duration::from_secs(10));

    fn new_job<S>(unit: &Unit<'_, S>, id: &WebhookId) -> Job {
        Self::job_with_id(job_of(*id).uuid(), id, unit.now())
    }

    /// Delivers one event, if one is due and the project has a slot for it. If another webhook of the project waits for
    /// the slot, that comes next.
    async fn step(run: JobRun, id: WebhookId) -> Result<StepOutcome, DomainError> {
        let Some(project) = run.job.project_id else { return step(run, id).await };
        let context = run.context.clone();
        let limit = context.limits.deliveries_per_project;
        let Some(slot) = context.deliveries.begin(project, limit, run.job.id) else {
            // And not `NoFreeSlot`: these slots are those of this process, and the next one that is free wakes the job.
            return Ok(StepOutcome::Waiting);
        };
        let outcome = step(run, id).await;
        drop(slot);
        let Some(waiting) = context.deliveries.next_waiting(project) else { return outcome };
        let wake = move |unit: &mut Unit<'_>| unit.wake_deferred_jobs(&[waiting]);
        context.write(Some(project), wake).await?;
        match outcome {
            Ok(StepOutcome::Continue) => Ok(StepOutcome::Waiting),
            outcome => outcome,
        }
    }

    fn next_due(
        unit: &mut Unit<'_>,
        operator: Operator,
        job: &Job,
        id: &WebhookId,
    ) -> Result<Timestamp, DomainError> {
        let now = unit.now();
        let limit = unit.limits().deliveries_per_project;
        let has_slot = |project| unit.context.deliveries.is_free_or_wait(project, limit, job.id);
        if !job.project_id.is_none_or(has_slot) {
            return Ok(now.plus(DEFERRED));
        }
        Ok(match next(unit, operator, *id)? {
            Next::Nothing(until) => until.unwrap_or(Timestamp::LAST),
            Next::Deleted
            | Next::Disabled
            | Next::NoneUpTo(_)
            | Next::EventGone(_)
            | Next::Deliver(_) => now,
        })
    }
}

async fn step(run: JobRun, id: WebhookId) -> Result<StepOutcome, DomainError> {
    let operator = run.operator;
    let next = run.context.read(run.job.project_id, move |unit| next(unit, operator, id)).await?;
    match next {
        Next::Deleted => {
            run.delete(move |unit| {
                let removed = unit.tx.remove_deliveries_of_webhook(operator, id, REMOVE_BATCH)?;
                let has_more = removed >= REMOVE_BATCH;
                Ok(if has_more { StepOutcome::Continue } else { StepOutcome::Done })
            })
            .await
        }
        Next::Nothing(_) => Ok(StepOutcome::Waiting),
        Next::Disabled => run.delete(move |unit| fail_some(unit, operator, id)).await,
        Next::NoneUpTo(number) => {
            run.write(move |unit| move_cursor(unit, operator, id, number)).await
        }
        Next::EventGone(delivery) => {
            run.write(move |unit| give_delivery_up(unit, operator, &delivery)).await
        }
        Next::Deliver(due) => deliver(run, *due).await,
    }
}

/// Delivers an event, and records the attempt.
async fn deliver(run: JobRun, due: Due) -> Result<StepOutcome, DomainError> {
    let (context, operator) = (run.context.clone(), run.operator);
    // Otherwise it could not be recorded that the event was delivered.
    context.check_free_space()?;
    let began = context.clock.now();
    let message = message(&context, &due, began).await?;
    let answer = context.webhook_sender.send(&message).await;
    let mut random = [0; 4];
    context.entropy.fill(&mut random);
    let jitter = u32::from_le_bytes(random) % (JITTER_MAX + 1);
    let attempt = EndedAttempt { began, ended: context.clock.now(), answer, jitter };
    run.write(move |unit| record_attempt(unit, operator, &due, &attempt)).await
}

/// The event as it is posted (Standard Webhooks 1.0).
async fn message(
    context: &Context,
    due: &Due,
    now: Timestamp,
) -> Result<WebhookMessage, DomainError> {
    let StoredWebhook { webhook, secrets, .. } = &due.stored;
    let current = context.decrypt(&secrets.current, &bound_to(webhook.id)).await?;
    let mut signing = vec![SigningSecret::of(current)];
    if let Some((secret, _)) = secrets.previous.as_ref().filter(|(_, until)| now < *until) {
        let previous = context.decrypt(secret, &previous_bound_to(webhook.id)).await?;
        signing.push(SigningSecret::of(previous));
    }
    let NumberedEvent { event, .. } = &due.event;
    let body = Body { event_type: event.event_type, timestamp: event.at, data: &due.event };
    let (id, body) = (event.id.to_string(), Json::of(&body).as_str().to_owned());
    let timestamp = now.millis() / 1_000;
    let signature = sign(&signing, &id, timestamp, &body);
    Ok(WebhookMessage { url: webhook.fields.url.clone(), id, timestamp, signature, body })
}

/// The body of a message.
#[derive(Serialize)]
struct Body<'a> {
    #[serde(rename = "type")]
    event_type: EventType,
    timestamp: Timestamp,
    data: &'a NumberedEvent,
}

fn record_attempt(
    unit: &mut Unit<'_>,
    operator: Operator,
    due: &Due,
    attempt: &EndedAttempt,
) -> Result<StepOutcome, DomainError> {
    let id = due.stored.webhook.id;
    // What was deleted meanwhile is tidied up by the next step.
    let Some(mut stored) = unit.tx.webhook_to_deliver(operator, id, Lock::Exclusive)? else {
        return Ok(StepOutcome::Continue);
    };
    let (scope, was_enabled) = (stored.scope(), stored.webhook.fields.enabled);
    let found = match &due.delivery {
        None => Some(new_delivery(unit, &stored, &due.event)),
        Some(delivery) => unit.tx.delivery(&scope, (id, delivery.id))?,
    };
    // It may have gone with its event meanwhile.
    let Some(mut delivery) = found else { return Ok(StepOutcome::Continue) };
    // Somebody has asked for another attempt meanwhile, or has disabled and enabled the webhook.
    let is_current = due.delivery.as_ref().is_none_or(|before| {
        (before.status, before.next_attempt_at) == (delivery.status, delivery.next_attempt_at)
    });
    attempt.record(&unit.limits().webhook_retries, is_current, &mut delivery, &mut stored);
    if due.delivery.is_some() {
        unit.tx.update_delivery(&scope, &delivery)?;
    } else {
        unit.tx.insert_delivery(&scope, &delivery)?;
    }
    if was_enabled && !stored.webhook.fields.enabled {
        stored.state.blocked_by = None;
        // The next steps end what is left.
        unit.tx.fail_waiting_deliveries(&scope, id, FAIL_BATCH)?;
        let error = stored.webhook.disabled_reason.map(DisabledReason::as_str);
        let data = EventData { error, ..EventData::NONE };
        unit.with_scope(scope.clone()).emit(EventType::WebhookDisabled, id, &data)?;
    }
    unit.tx.update_delivery_state(&scope, &stored)?;
    Ok(StepOutcome::Continue)
}

/// Ends some of the deliveries that wait although their webhook is disabled.
fn fail_some(
    unit: &mut Unit<'_>,
    operator: Operator,
    id: WebhookId,
) -> Result<StepOutcome, DomainError> {
    let stored = unit.tx.webhook_to_deliver(operator, id, Lock::Exclusive)?;
    // Before it is enabled, all of them are ended.
    if let Some(stored) = stored.filter(|stored| !stored.webhook.fields.enabled) {
        unit.tx.fail_waiting_deliveries(&stored.scope(), id, FAIL_BATCH)?;
    }
    Ok(StepOutcome::Continue)
}

/// Notes that there is no event for a webhook up to this number.
fn move_cursor(
    unit: &mut Unit<'_>,
    operator: Operator,
    id: WebhookId,
    number: u64,
) -> Result<StepOutcome, DomainError> {
    if let Some(mut stored) = unit.tx.webhook_to_deliver(operator, id, Lock::Exclusive)? {
        stored.state.cursor = stored.state.cursor.max(number);
        unit.tx.update_delivery_state(&stored.scope(), &stored)?;
    }
    Ok(StepOutcome::Continue)
}

/// Notes that a delivery can't be tried again.
fn give_delivery_up(
    unit: &mut Unit<'_>,
    operator: Operator,
    delivery: &Delivery,
) -> Result<StepOutcome, DomainError> {
    let id = delivery.webhook_id;
    if let Some(stored) = unit.tx.webhook_to_deliver(operator, id, Lock::Exclusive)? {
        let failed =
            Delivery { status: DeliveryStatus::Failed, next_attempt_at: None, ..delivery.clone() };
        unit.tx.update_delivery(&stored.scope(), &failed)?;
    }
    Ok(StepOutcome::Continue)
}

fn new_delivery(
    unit: &Unit<'_>,
    stored: &StoredWebhook,
    NumberedEvent { number, event }: &NumberedEvent,
) -> Delivery {
    Delivery {
        id: unit.next_id(),
        webhook_id: stored.webhook.id,
        project_id: stored.webhook.project_id,
        event_number: *number,
        event_id: event.id,
        event_type: event.event_type,
        status: DeliveryStatus::Waiting,
        attempts: Vec::new(),
        failures: 0,
        next_attempt_at: None,
    }
}
