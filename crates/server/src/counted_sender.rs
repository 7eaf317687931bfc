//! Counts what is sent to webhooks.

use std::time::Instant;

use async_trait::async_trait;
use domain::webhook::{SendError, WebhookAnswer, WebhookMessage, WebhookSender};
use metrics::{counter, describe_counter, describe_histogram, histogram};

const MESSAGES: &str = "botyard_webhook_messages_total";
const SECONDS: &str = "botyard_webhook_message_seconds";
const DELIVERED: &str = "delivered";
const REFUSED: &str = "refused";

/// A sender whose messages are counted.
pub struct CountedSender<S>(S);

impl<S: WebhookSender> CountedSender<S> {
    /// Describes the metrics, and shows each from the start: if a counter first appears with 1, its first increase is
    /// lost.
    pub fn new(sender: S) -> Self {
        describe_counter!(MESSAGES, "Messages that were sent to webhooks, by how that ended.");
        describe_histogram!(SECONDS, "Time until a webhook had answered, or nothing was to come.");
        for outcome in [DELIVERED, REFUSED].iter().chain(SendError::WORDS) {
            counter!(MESSAGES, "outcome" => *outcome).absolute(0);
        }
        Self(sender)
    }
}

#[async_trait]
impl<S: WebhookSender> WebhookSender for CountedSender<S> {
    async fn send(&self, message: &WebhookMessage) -> Result<WebhookAnswer, SendError> {
        let began = Instant::now();
        let sent = self.0.send(message).await;
        let outcome = match &sent {
            Ok(answer) if answer.is_delivered() => DELIVERED,
            Ok(_) => REFUSED,
            Err(error) => error.as_str(),
        };
        counter!(MESSAGES, "outcome" => outcome).increment(1);
        histogram!(SECONDS).record(began.elapsed().as_secs_f64());
        sent
    }
}
