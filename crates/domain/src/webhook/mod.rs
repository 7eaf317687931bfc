//! Webhooks: events sent to the servers of those who need to hear of them (`docs/events.md`).

mod port;
mod url;

pub use port::{NoSender, SendError, WebhookAnswer, WebhookMessage, WebhookSender};
pub use url::WebhookUrl;
