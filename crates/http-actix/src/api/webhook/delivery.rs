//! The deliveries of a webhook: `/api/external/projectapi/webhooks/{webhookId}/deliveries[/{deliveryId}/retry]`.

use actix_web::http::Method;
use domain::access::{ProjectClaim, Scheme};
use domain::clock::Timestamp;
use domain::error::DomainError;
use domain::event::EventType;
use domain::id::{DeliveryId, EventId, WebhookId};
use domain::webhook::{
    Delivery, DeliveryAttempt, DeliveryOutcome, DeliveryStatus, SendError, WebhookService,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{OnWebhook, WebhookParam};
use crate::openapi::choice::{DeliveryStatusSchema, EventTypeSchema, SendErrorSchema};
use crate::pipeline::call::Call;
use crate::pipeline::handler::{changes, reads};
use crate::pipeline::operation::{Operation, operation};
use crate::pipeline::path_param::PathParam;
use crate::pipeline::scopes::{WebhooksRead, WebhooksWrite};
use crate::pipeline::target::OnProjectSubresource;
use crate::problem::Problem;
use crate::reply::{Answer, List, Paging, Source};

/// A delivery, by its `_id`.
struct DeliveryParam;

impl PathParam for DeliveryParam {
    const NAME: &'static str = "deliveryId";
    const DESCRIPTION: &'static str = "The `_id` of a delivery of the webhook.";

    type Value = DeliveryId;
}

/// The operations on deliveries.
pub(super) fn operations() -> [Operation; 2] {
    let scheme = Scheme::Project;
    let listed = ("listWebhookDeliveries", "Lists what was sent to the webhook, latest first");
    let retried = ("retryWebhookDelivery", "Sends an event to the webhook again, or sooner");
    let all = "/api/external/projectapi/webhooks/{webhookId}/deliveries";
    let retry_path = "/api/external/projectapi/webhooks/{webhookId}/deliveries/{deliveryId}/retry";
    [
        operation(scheme, Method::GET, all, listed, reads(list)),
        operation(
            scheme,
            Method::POST,
            retry_path,
            retried,
            changes(retry, Answer::<DeliveryView>::of),
        ),
    ]
}

/// A delivery of a webhook of the token's project.
type OnDelivery = OnProjectSubresource<WebhooksWrite, (WebhookParam, DeliveryParam)>;

async fn list(
    call: Call<OnWebhook<WebhooksRead>, Paging<DeliveryId>>,
) -> Result<List<DeliveryView>, Problem> {
    let of = (call.target.claim, call.target.id);
    List::of(call.query, Source::new(&call.botyard.webhooks, of, page)).await
}

async fn page(
    webhooks: &WebhookService,
    (claim, id): &(ProjectClaim, WebhookId),
    before: Option<DeliveryId>,
    limit: u32,
) -> Result<Vec<Delivery>, DomainError> {
    webhooks.deliveries(claim, *id, before, limit).await
}

async fn retry(call: Call<OnDelivery>) -> Result<Delivery, Problem> {
    Ok(call.botyard.webhooks.retry(&call.target.claim, call.target.id).await?)
}

/// An event that was sent to a webhook at least once.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookDelivery)]
pub(crate) struct DeliveryView {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: DeliveryId,
    /// The webhook.
    #[schema(value_type = String, format = Uuid)]
    webhook_id: WebhookId,
    /// The `_id` of the event, which is also that of the message, `webhook-id`.
    #[schema(value_type = String, format = Uuid)]
    event_id: EventId,
    /// What has happened.
    #[serde(rename = "type")]
    #[schema(value_type = EventTypeSchema)]
    event_type: EventType,
    /// Where it is.
    #[schema(value_type = DeliveryStatusSchema)]
    status: DeliveryStatus,
    /// The latest 20 attempts, oldest first.
    attempts: Vec<AttemptView>,
    /// When it is sent again; `null` unless it waits.
    #[schema(value_type = Option<String>, format = DateTime)]
    next_attempt_at: Option<Timestamp>,
}

/// An attempt to deliver an event.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookAttempt)]
struct AttemptView {
    /// When it began.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    /// The status of the answer; `null` if there was none.
    status_code: Option<u16>,
    /// Why there was no answer; `null` if there was one.
    #[schema(value_type = Option<SendErrorSchema>)]
    error: Option<SendError>,
    /// How many milliseconds it took.
    milliseconds: u64,
}

impl From<DeliveryAttempt> for AttemptView {
    fn from(DeliveryAttempt { at, outcome, milliseconds }: DeliveryAttempt) -> Self {
        let (status_code, error) = match outcome {
            DeliveryOutcome::Status(status) => (Some(status), None),
            DeliveryOutcome::Error(error) => (None, Some(error)),
        };
        Self { at, status_code, error, milliseconds }
    }
}

impl From<Delivery> for DeliveryView {
    fn from(delivery: Delivery) -> Self {
        Self {
            id: delivery.id,
            webhook_id: delivery.webhook_id,
            event_id: delivery.event_id,
            event_type: delivery.event_type,
            status: delivery.status,
            attempts: delivery.attempts.into_iter().map(AttemptView::from).collect(),
            next_attempt_at: delivery.next_attempt_at,
        }
    }
}
