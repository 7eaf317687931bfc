//! Webhooks as clients see them.

use std::borrow::Cow;

use domain::clock::Timestamp;
use domain::id::{BotId, ProjectId, WebhookId};
use domain::webhook::{DisabledReason, Webhook, WebhookFields, WebhookUrl, WebhookWithSecret};
use serde::Serialize;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::openapi::choice::DisabledReasonSchema;

/// A webhook.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Webhook)]
pub(crate) struct WebhookView {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: WebhookId,
    #[schema(value_type = String, format = Uuid)]
    project_id: ProjectId,
    /// Where it is sent.
    #[schema(value_type = String)]
    url: WebhookUrl,
    /// Which events it is sent: types, `document.*` for all that begin so, `*` for all.
    types: Vec<String>,
    /// Only events with these bots; `null` for all events.
    #[schema(value_type = Option<Vec<String>>)]
    bot_ids: Option<Vec<BotId>>,
    /// What people say about it.
    description: Option<String>,
    /// Whether it is sent anything.
    enabled: bool,
    /// Why the service disabled it; `null` if it did not.
    #[schema(value_type = Option<DisabledReasonSchema>)]
    disabled_reason: Option<DisabledReason>,
    /// Since when no delivery has succeeded; `null` if the last one did.
    #[schema(value_type = Option<String>, format = DateTime)]
    failing_since: Option<Timestamp>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

impl From<Webhook> for WebhookView {
    fn from(webhook: Webhook) -> Self {
        let WebhookFields { url, types, bot_ids, description, enabled } = webhook.fields;
        Self {
            id: webhook.id,
            project_id: webhook.project_id,
            url,
            types,
            bot_ids,
            description,
            enabled,
            disabled_reason: webhook.disabled_reason,
            failing_since: webhook.failing_since,
            created_at: webhook.created_at,
            updated_at: webhook.updated_at,
        }
    }
}

/// A webhook whose secret was made just now.
#[derive(Serialize)]
pub(crate) struct WebhookWithSecretView {
    #[serde(flatten)]
    webhook: WebhookView,
    secret: Option<String>,
}

/// A webhook whose secret was made just now.
#[derive(ToSchema)]
#[expect(dead_code, reason = "the field is read by the derived schema")]
struct SecretSchema {
    /// The secret with which messages are signed: `whsec_` and Base64. It is not shown again; an answer that is
    /// repeated for its Idempotency-Key has `null`.
    secret: Option<String>,
}

/// The members of a webhook and one more.
impl PartialSchema for WebhookWithSecretView {
    fn schema() -> RefOr<Schema> {
        let (mut schema, of_secret) = (WebhookView::schema(), SecretSchema::schema());
        if let (RefOr::T(Schema::Object(object)), RefOr::T(Schema::Object(of_secret))) =
            (&mut schema, of_secret)
        {
            object.description = of_secret.description;
            object.properties.extend(of_secret.properties);
            object.required.extend(of_secret.required);
        }
        schema
    }
}

impl ToSchema for WebhookWithSecretView {
    fn name() -> Cow<'static, str> {
        "WebhookWithSecret".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        WebhookView::schemas(schemas);
    }
}

impl From<WebhookWithSecret> for WebhookWithSecretView {
    fn from(WebhookWithSecret { webhook, secret }: WebhookWithSecret) -> Self {
        let secret = secret.map(|secret| secret.reveal().as_str().to_owned());
        Self { webhook: webhook.into(), secret }
    }
}
