// Made of docs/openapi.json by `cargo xtask openapi`.

//! Webhook.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::shared::{Deleted, EventType};
use crate::{Page, PageQuery, ProjectClient, Result, Tagged, Timestamp, nullable};

impl ProjectClient {
    /// Lists the webhooks of the project, oldest first.
    ///
    /// Needs the scope webhooks:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_webhooks(&self, query: &PageQuery) -> Result<Page<Webhook>> {
        let path = ["api", "external", "projectapi", "webhooks"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Creates a webhook, and answers its secret, once.
    ///
    /// Needs the scope webhooks:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_webhook(&self, body: &CreateWebhook) -> Result<WebhookWithSecret> {
        let path = ["api", "external", "projectapi", "webhooks"];
        self.http.request(Method::POST, &path)?.json(body)?.one().await
    }

    /// Returns the webhook.
    ///
    /// Needs the scope webhooks:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_webhook(&self, webhook_id: Uuid) -> Result<Tagged<Webhook>> {
        let path = ["api", "external", "projectapi", "webhooks", &webhook_id.to_string()];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Changes the fields that the body names.
    ///
    /// Needs the scope webhooks:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn update_webhook(
        &self,
        webhook_id: Uuid,
        body: &UpdateWebhook,
    ) -> Result<Tagged<Webhook>> {
        let path = ["api", "external", "projectapi", "webhooks", &webhook_id.to_string()];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Deletes the webhook.
    ///
    /// Needs the scope webhooks:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_webhook(&self, webhook_id: Uuid) -> Result<Deleted> {
        let path = ["api", "external", "projectapi", "webhooks", &webhook_id.to_string()];
        self.http.request(Method::DELETE, &path)?.one().await
    }

    /// Lists what was sent to the webhook, latest first.
    ///
    /// Needs the scope webhooks:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_webhook_deliveries(
        &self,
        webhook_id: Uuid,
        query: &PageQuery,
    ) -> Result<Page<WebhookDelivery>> {
        let path =
            ["api", "external", "projectapi", "webhooks", &webhook_id.to_string(), "deliveries"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Sends an event to the webhook again, or sooner.
    ///
    /// Needs the scope webhooks:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn retry_webhook_delivery(
        &self,
        webhook_id: Uuid,
        delivery_id: Uuid,
    ) -> Result<WebhookDelivery> {
        let path = [
            "api",
            "external",
            "projectapi",
            "webhooks",
            &webhook_id.to_string(),
            "deliveries",
            &delivery_id.to_string(),
            "retry",
        ];
        self.http.request(Method::POST, &path)?.one().await
    }

    /// Gives the webhook another secret, and answers it, once.
    ///
    /// Needs the scope webhooks:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn rotate_webhook_secret(&self, webhook_id: Uuid) -> Result<WebhookWithSecret> {
        let path = ["api", "external", "projectapi", "webhooks", &webhook_id.to_string(), "rotate"];
        self.http.request(Method::POST, &path)?.one().await
    }

    /// Sends the webhook the event `webhook.test`.
    ///
    /// Needs the scope webhooks:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn test_webhook(&self, webhook_id: Uuid) -> Result<WebhookTest> {
        let path = ["api", "external", "projectapi", "webhooks", &webhook_id.to_string(), "test"];
        self.http.request(Method::POST, &path)?.one().await
    }
}

/// Creates a webhook, and answers its secret, once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateWebhook {
    /// Where it is sent: `http` or `https`, without user info. 1 byte to 2048 bytes in UTF-8.
    pub url: String,
    /// Which events it is sent: types, `document.*` for all that begin so, `*` for all. At most 1 MiB
    /// in UTF-8 each.
    pub types: Vec<String>,
    /// Only events with these bots of the project; `null` for all events. At most 1 MiB in UTF-8 each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot_ids: Option<Vec<String>>,
    /// What people say about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it is sent anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// Changes the fields that the body names.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateWebhook {
    /// Where it is sent: `http` or `https`, without user info. 1 byte to 2048 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Which events it is sent: types, `document.*` for all that begin so, `*` for all. At most 1 MiB
    /// in UTF-8 each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<Vec<String>>,
    /// Only events with these bots of the project; `null` for all events. At most 1 MiB in UTF-8 each.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub bot_ids: Option<Option<Vec<String>>>,
    /// What people say about it.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub description: Option<Option<String>>,
    /// Whether it is sent anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// Where a delivery is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum DeliveryStatus {
    /// `waiting`
    #[serde(rename = "waiting")]
    Waiting,
    /// `delivered`
    #[serde(rename = "delivered")]
    Delivered,
    /// `failed`
    #[serde(rename = "failed")]
    Failed,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl DeliveryStatus {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Other(word) => word,
        }
    }
}

/// Why a webhook was disabled by the service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum DisabledReason {
    /// `gone`
    #[serde(rename = "gone")]
    Gone,
    /// `failing`
    #[serde(rename = "failing")]
    Failing,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl DisabledReason {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Gone => "gone",
            Self::Failing => "failing",
            Self::Other(word) => word,
        }
    }
}

/// Why a message got no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum SendError {
    /// `blocked_address`
    #[serde(rename = "blocked_address")]
    BlockedAddress,
    /// `blocked_port`
    #[serde(rename = "blocked_port")]
    BlockedPort,
    /// `dns_failed`
    #[serde(rename = "dns_failed")]
    DnsFailed,
    /// `unreachable`
    #[serde(rename = "unreachable")]
    Unreachable,
    /// `tls_failed`
    #[serde(rename = "tls_failed")]
    TlsFailed,
    /// `timeout`
    #[serde(rename = "timeout")]
    Timeout,
    /// `broken_off`
    #[serde(rename = "broken_off")]
    BrokenOff,
    /// `bad_answer`
    #[serde(rename = "bad_answer")]
    BadAnswer,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl SendError {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::BlockedAddress => "blocked_address",
            Self::BlockedPort => "blocked_port",
            Self::DnsFailed => "dns_failed",
            Self::Unreachable => "unreachable",
            Self::TlsFailed => "tls_failed",
            Self::Timeout => "timeout",
            Self::BrokenOff => "broken_off",
            Self::BadAnswer => "bad_answer",
            Self::Other(word) => word,
        }
    }
}

/// A webhook.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its project.
    pub project_id: Uuid,
    /// Where it is sent.
    pub url: String,
    /// Which events it is sent: types, `document.*` for all that begin so, `*` for all.
    pub types: Vec<String>,
    /// Only events with these bots; `null` for all events.
    pub bot_ids: Option<Vec<String>>,
    /// What people say about it.
    pub description: Option<String>,
    /// Whether it is sent anything.
    pub enabled: bool,
    /// Why the service disabled it; `null` if it did not.
    pub disabled_reason: Option<DisabledReason>,
    /// Since when no delivery has succeeded; `null` if the last one did.
    pub failing_since: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
}

/// An attempt to deliver an event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct WebhookAttempt {
    /// When it began.
    pub at: Timestamp,
    /// The status of the answer; `null` if there was none.
    pub status_code: Option<u32>,
    /// Why there was no answer; `null` if there was one.
    pub error: Option<SendError>,
    /// How many milliseconds it took.
    pub milliseconds: u64,
}

/// An event that was sent to a webhook at least once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct WebhookDelivery {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// The webhook.
    pub webhook_id: Uuid,
    /// The `_id` of the event, which is also that of the message, `webhook-id`.
    pub event_id: Uuid,
    /// What has happened.
    pub r#type: EventType,
    /// Where it is.
    pub status: DeliveryStatus,
    /// The latest 20 attempts, oldest first.
    pub attempts: Vec<WebhookAttempt>,
    /// When it is sent again; `null` unless it waits.
    pub next_attempt_at: Option<Timestamp>,
}

/// The event by which a webhook is tested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct WebhookTest {
    /// The `_id` of the event, which is also that of the message, `webhook-id`.
    pub event_id: Uuid,
}

/// A webhook whose secret was made just now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct WebhookWithSecret {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its project.
    pub project_id: Uuid,
    /// Where it is sent.
    pub url: String,
    /// Which events it is sent: types, `document.*` for all that begin so, `*` for all.
    pub types: Vec<String>,
    /// Only events with these bots; `null` for all events.
    pub bot_ids: Option<Vec<String>>,
    /// What people say about it.
    pub description: Option<String>,
    /// Whether it is sent anything.
    pub enabled: bool,
    /// Why the service disabled it; `null` if it did not.
    pub disabled_reason: Option<DisabledReason>,
    /// Since when no delivery has succeeded; `null` if the last one did.
    pub failing_since: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// The secret with which messages are signed: `whsec_` and Base64. It is not shown again; an answer
    /// that is repeated for its Idempotency-Key has `null`.
    pub secret: Option<String>,
}
