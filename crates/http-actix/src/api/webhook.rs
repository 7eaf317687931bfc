//! The webhooks of a project: `/api/external/projectapi/webhooks[/{webhookId}[/rotate|/test]]`.

mod delivery;
mod view;

use actix_web::http::Method;
use domain::access::Scheme;
use domain::id::{EventId, WebhookId};
use domain::webhook::{CreateWebhook, UpdateWebhook, Webhook, WebhookService, WebhookWithSecret};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use self::view::{WebhookView, WebhookWithSecretView};
use crate::body::{BodySize, HttpBody, Json};
use crate::pipeline::call::Call;
use crate::pipeline::handler::{changes, reads};
use crate::pipeline::operation::{Operation, operation};
use crate::pipeline::path_param::PathParam;
use crate::pipeline::query::NoQuery;
use crate::pipeline::scopes::{WebhooksRead, WebhooksWrite};
use crate::pipeline::target::{OnProject, OnProjectSubresource};
use crate::problem::Problem;
use crate::reply::{Answer, Deleted, List, Paging, Source, TaggedAnswer};

/// Where webhooks are.
const ALL: &str = "/api/external/projectapi/webhooks";
/// One webhook.
const ONE: &str = "/api/external/projectapi/webhooks/{webhookId}";

/// A webhook, by its `_id`.
pub(crate) struct WebhookParam;

impl PathParam for WebhookParam {
    const NAME: &'static str = "webhookId";
    const DESCRIPTION: &'static str = "The `_id` of a webhook of the project.";

    type Value = WebhookId;
}

type OnWebhook<S> = OnProjectSubresource<S, WebhookParam>;

/// The operations on webhooks and their deliveries.
pub(crate) fn operations() -> Vec<Operation> {
    let scheme = Scheme::Project;
    let listed = ("listWebhooks", "Lists the webhooks of the project, oldest first");
    let created = ("createWebhook", "Creates a webhook, and answers its secret, once");
    let got = ("getWebhook", "Returns the webhook");
    let updated = ("updateWebhook", "Changes the fields that the body names");
    let deleted = ("deleteWebhook", "Deletes the webhook");
    let rotated = ("rotateWebhookSecret", "Gives the webhook another secret, and answers it, once");
    let tested = ("testWebhook", "Sends the webhook the event `webhook.test`");
    let rotate_path = "/api/external/projectapi/webhooks/{webhookId}/rotate";
    let test_path = "/api/external/projectapi/webhooks/{webhookId}/test";
    let with_secret = Answer::<WebhookWithSecretView>::of;
    let with_tag = TaggedAnswer::<WebhookView>::of;
    let mut operations = Vec::from([
        operation(scheme, Method::GET, ALL, listed, reads(list)),
        operation(scheme, Method::POST, ALL, created, changes(create, with_secret)),
        operation(scheme, Method::GET, ONE, got, reads(get)),
        operation(scheme, Method::PUT, ONE, updated, changes(update, with_tag)).takes_if_match(),
        operation(scheme, Method::DELETE, ONE, deleted, changes(delete, Deleted::answer))
            .takes_if_match(),
        operation(scheme, Method::POST, rotate_path, rotated, changes(rotate, with_secret))
            .takes_if_match(),
        operation(scheme, Method::POST, test_path, tested, changes(test, Answer::<TestView>::of)),
    ]);
    operations.extend(delivery::operations());
    operations
}

async fn list(
    call: Call<OnProject<WebhooksRead>, Paging<WebhookId>>,
) -> Result<List<WebhookView>, Problem> {
    List::of(
        call.query,
        Source::new(&call.botyard.webhooks, call.target.claim, WebhookService::page),
    )
    .await
}

async fn create(
    call: Call<OnProject<WebhooksWrite>, NoQuery, Json<CreateWebhook>>,
) -> Result<WebhookWithSecret, Problem> {
    Ok(call.botyard.webhooks.create(&call.target.claim, call.body.0).await?)
}

async fn get(call: Call<OnWebhook<WebhooksRead>>) -> Result<TaggedAnswer<WebhookView>, Problem> {
    let webhook = call.botyard.webhooks.get(&call.target.claim, call.target.id).await?;
    Ok(TaggedAnswer::of(webhook))
}

async fn update(
    call: Call<OnWebhook<WebhooksWrite>, NoQuery, Json<UpdateWebhook>>,
) -> Result<Webhook, Problem> {
    Ok(call.botyard.webhooks.update(&call.target.claim, call.target.id, call.body.0).await?)
}

async fn delete(call: Call<OnWebhook<WebhooksWrite>>) -> Result<WebhookId, Problem> {
    Ok(call.botyard.webhooks.delete(&call.target.claim, call.target.id).await?)
}

async fn rotate(call: Call<OnWebhook<WebhooksWrite>>) -> Result<WebhookWithSecret, Problem> {
    Ok(call.botyard.webhooks.rotate_secret(&call.target.claim, call.target.id).await?)
}

async fn test(call: Call<OnWebhook<WebhooksWrite>>) -> Result<EventId, Problem> {
    Ok(call.botyard.webhooks.test(&call.target.claim, call.target.id).await?)
}

impl HttpBody for CreateWebhook {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"url": "https://receiver.example/botyard", "types": ["skill.*", "crawl.finished"]})
    }
}

impl HttpBody for UpdateWebhook {
    const SIZE: BodySize = BodySize::Json;

    fn example() -> Value {
        json!({"types": ["*"], "enabled": true})
    }
}

/// The event by which a webhook is tested.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WebhookTest)]
pub(crate) struct TestView {
    /// The `_id` of the event, which is also that of the message, `webhook-id`.
    #[schema(value_type = String, format = Uuid)]
    event_id: EventId,
}

impl From<EventId> for TestView {
    fn from(event_id: EventId) -> Self {
        Self { event_id }
    }
}
