//! The sender of webhooks: messages posted to the servers that tenants name, and to nothing of the network that this
//! server runs in.
//!
//! Start at [`Sender`], which implements the port [`WebhookSender`](domain::webhook::WebhookSender): one message, one
//! request, one answer. Which addresses may be reached is for [`egress`] to say. What is signed, when a message is sent
//! again and what a status means is not decided here.
//!
//! `answer.rs` reads what of an answer is left after its head, `retry_after.rs` how long a receiver wants to be left
//! alone.

mod answer;
mod retry_after;
mod sender;
mod settings;

pub use egress::SetupError;
pub use sender::Sender;
pub use settings::Settings;
