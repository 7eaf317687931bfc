//! A sample webhook, for a receiver on this machine.

use anyhow::Result;
use domain::Botyard;
use domain::access::ProjectClaim;
use domain::error::DomainError;
use domain::id::WebhookId;
use domain::webhook::{CreateWebhook, SigningSecret};
use serde::{Serialize, Serializer};
use serde_json::json;

use super::content::body;

/// Where the receiver of `docs/events.md` listens.
pub const URL: &str = "http://127.0.0.1:9000/";

/// One that was created just now.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SeededWebhook {
    #[serde(rename = "_id")]
    pub id: WebhookId,
    #[serde(serialize_with = "revealed")]
    pub secret: SigningSecret,
}

/// Creates it, unless the project has webhooks. It is disabled as long as there is no receiver.
pub async fn fill(botyard: &Botyard, project: &ProjectClaim) -> Result<Option<SeededWebhook>> {
    if !botyard.webhooks.page(project, None, 1).await?.is_empty() {
        return Ok(None);
    }
    let sample = json!({
        "url": URL, "types": ["*"], "description": "Sample webhook", "enabled": false,
    });
    let request = body::<CreateWebhook>(&sample, botyard.input_settings())?;
    match botyard.webhooks.create(project, request).await {
        Ok(made) => Ok(made.secret.map(|secret| SeededWebhook { id: made.webhook.id, secret })),
        // The first `serve` makes the keys.
        Err(DomainError::Cipher(reason)) => {
            tracing::debug!(%reason, "there is no sample webhook");
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

fn revealed<S: Serializer>(secret: &SigningSecret, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&secret.reveal())
}
