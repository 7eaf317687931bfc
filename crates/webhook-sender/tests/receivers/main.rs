//! The sender against receivers on loopback, many of them hostile.
//!
//! `messages.rs` is about what arrives there, `answers.rs` about what comes back, `reach.rs` about what may be
//! connected to. `receiver.rs` answers.
#![expect(
    clippy::unwrap_used,
    reason = "these are tests, and so are the functions that they share"
)]

mod answers;
mod messages;
mod reach;
mod receiver;

use domain::webhook::{SendError, WebhookMessage, WebhookSender as _, WebhookUrl};
use webhook_sender::{Sender, Settings};

/// A sender that may reach 127.0.0.1, with such settings.
fn sender(change: impl FnOnce(&mut Settings)) -> Sender {
    let mut settings = Settings {
        user_agent: "botyard/1.0 (+https://botyard.example)".to_owned(),
        allow_networks: vec!["127.0.0.1/32".parse().unwrap()],
        ..Settings::default()
    };
    change(&mut settings);
    Sender::new(settings).unwrap()
}

/// A message to there.
fn message(url: &str) -> WebhookMessage {
    WebhookMessage {
        url: WebhookUrl::parse(url).unwrap(),
        id: "msg_1".to_owned(),
        timestamp: 1_761_998_400,
        signature: "v1,c2lnbmVk v1,d2l0aCB0d28=".to_owned(),
        body: r#"{"type":"bot.created","data":{"name":"Zoë"}}"#.to_owned(),
    }
}

/// The status of the answer to a message to there.
async fn status(sender: &Sender, url: &str) -> Result<u16, SendError> {
    Ok(sender.send(&message(url)).await?.status)
}
