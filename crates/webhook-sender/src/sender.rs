//! The sender: a message becomes a request, and what comes back a status or a word.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use domain::webhook::{SendError, WebhookAnswer, WebhookMessage, WebhookSender};
use egress::{EgressError, SetupError};
use http_body_util::Full;
use hyper::header::{CONTENT_TYPE, HeaderValue, InvalidHeaderValue};
use hyper::{Method, Request};
use tokio::time::{Instant, timeout};

use crate::answer::read_rest;
use crate::retry_after::retry_after;
use crate::settings::Settings;

/// How many names are looked up at once: those of many projects, so that a few whose name services do not answer leave
/// some for the others.
const LOOK_UPS: usize = 256;
/// How many connections to one receiver wait for its next message.
const IDLE_PER_HOST: usize = 2;
/// How many bytes the head of an answer has at most, and how many of a body wait to be read.
const BUFFER: usize = 16 << 10;

/// Posts messages. Needs a tokio runtime, and one that goes on running until it is dropped: connections live in the
/// runtime that began them, and later messages use them again.
#[derive(Debug)]
pub struct Sender {
    egress: egress::Client<Full<Bytes>>,
    time: Duration,
}

impl Sender {
    /// A sender with these settings.
    ///
    /// # Errors
    /// The settings can't be kept.
    pub fn new(settings: Settings) -> Result<Self, SetupError> {
        let egress = egress::Client::new(&egress::Settings {
            user_agent: settings.user_agent,
            allow_networks: settings.allow_networks,
            closed: settings.closed,
            connect_timeout: settings.connect_timeout,
            look_ups: LOOK_UPS,
            idle_per_host: IDLE_PER_HOST,
            buffer: BUFFER,
        })?;
        Ok(Self { egress, time: settings.timeout })
    }

    /// The request that carries a message.
    fn request(&self, message: &WebhookMessage) -> Result<Request<Full<Bytes>>, SendError> {
        let mut request = Request::new(Full::from(message.body.clone()));
        *request.method_mut() = Method::POST;
        // Some hosts that a URL can have are none that a name service knows.
        *request.uri_mut() = message.url.as_str().parse().map_err(|_| SendError::Unreachable)?;
        let sent = |text: &str| -> Result<_, SendError> {
            text.parse().map_err(|_: InvalidHeaderValue| SendError::Unreachable)
        };
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert("webhook-id", sent(&message.id)?);
        headers.insert("webhook-timestamp", message.timestamp.into());
        headers.insert("webhook-signature", sent(&message.signature)?);
        Ok(request)
    }
}

#[async_trait]
impl WebhookSender for Sender {
    async fn send(&self, message: &WebhookMessage) -> Result<WebhookAnswer, SendError> {
        let request = self.request(message)?;
        let begun = Instant::now();
        let answer = timeout(self.time, self.egress.request(request)).await;
        let (head, body) = answer.map_err(|_| SendError::Timeout)?.map_err(word)?.into_parts();
        read_rest(body, self.time.saturating_sub(begun.elapsed())).await;
        Ok(WebhookAnswer {
            status: head.status.as_u16(),
            retry_after: retry_after(&head.headers, message.timestamp),
        })
    }
}

/// What went wrong, in the words of webhooks.
fn word(error: EgressError) -> SendError {
    match error {
        EgressError::BlockedAddress => SendError::BlockedAddress,
        EgressError::BlockedPort => SendError::BlockedPort,
        EgressError::DnsFailed => SendError::DnsFailed,
        EgressError::Unreachable => SendError::Unreachable,
        EgressError::TlsFailed => SendError::TlsFailed,
        EgressError::BadAnswer => SendError::BadAnswer,
        EgressError::BrokenOff => SendError::BrokenOff,
    }
}
