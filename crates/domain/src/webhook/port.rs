//! The port to the receivers of webhooks.

use std::time::Duration;

use async_trait::async_trait;

use super::WebhookUrl;
use crate::choice;

choice! {
    /// Why a message got no answer.
    SendError {
        BlockedAddress "blocked_address",
        BlockedPort "blocked_port",
        DnsFailed "dns_failed",
        Unreachable "unreachable",
        TlsFailed "tls_failed",
        Timeout "timeout",
        BrokenOff "broken_off",
        BadAnswer "bad_answer",
    }
}

/// A message as it is posted (Standard Webhooks 1.0).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookMessage {
    /// Where it goes.
    pub url: WebhookUrl,
    /// `webhook-id`.
    pub id: String,
    /// `webhook-timestamp`: seconds since 1970 in UTC.
    pub timestamp: i64,
    /// `webhook-signature`: one or more, with a blank between two.
    pub signature: String,
    /// The body: JSON.
    pub body: String,
}

/// What a receiver answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookAnswer {
    /// The status of its answer.
    pub status: u16,
    /// `Retry-After`: how long it wants to be left alone.
    pub retry_after: Option<Duration>,
}

impl WebhookAnswer {
    /// Whether the receiver has taken the message: any 2xx.
    #[must_use]
    pub fn is_delivered(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Sends webhooks.
///
/// # Contract
/// - Only addresses that the installation lets webhooks reach are connected to, whatever a name leads to. Redirects are
///   not followed.
/// - Time and memory of a call are bounded, whatever the receiver does. Dropping a call ends its work.
#[async_trait]
pub trait WebhookSender: Send + Sync {
    /// Posts a message, and waits for the status of the answer.
    async fn send(&self, message: &WebhookMessage) -> Result<WebhookAnswer, SendError>;
}

/// No sender: every receiver is unreachable.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSender;

#[async_trait]
impl WebhookSender for NoSender {
    async fn send(&self, _: &WebhookMessage) -> Result<WebhookAnswer, SendError> {
        Err(SendError::Unreachable)
    }
}
