//! A receiver of webhooks in memory.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use domain::webhook::{SendError, WebhookAnswer, WebhookMessage, WebhookSender};

/// What a case does when a message arrives.
type Act = Arc<dyn Fn(&WebhookMessage) + Send + Sync>;

/// A receiver that answers as a case says, and remembers what it was sent.
#[derive(Clone)]
pub(crate) struct Receiver(Arc<Mutex<State>>);

struct State {
    answer: Result<WebhookAnswer, SendError>,
    messages: Vec<WebhookMessage>,
    act: Option<Act>,
}

/// An answer with this status.
pub(crate) const fn status(status: u16) -> Result<WebhookAnswer, SendError> {
    Ok(WebhookAnswer { status, retry_after: None })
}

impl Default for Receiver {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State { answer: status(204), messages: Vec::new(), act: None })))
    }
}

impl Receiver {
    /// Answers so from now on.
    pub fn answer(&self, answer: Result<WebhookAnswer, SendError>) {
        self.0.lock().unwrap().answer = answer;
    }

    /// What is done when a message arrives, from now on.
    pub fn act(&self, act: impl Fn(&WebhookMessage) + Send + Sync + 'static) {
        self.0.lock().unwrap().act = Some(Arc::new(act));
    }

    /// What it was sent since the last call.
    pub fn messages(&self) -> Vec<WebhookMessage> {
        std::mem::take(&mut self.0.lock().unwrap().messages)
    }
}

#[async_trait]
impl WebhookSender for Receiver {
    async fn send(&self, message: &WebhookMessage) -> Result<WebhookAnswer, SendError> {
        let (answer, act) = {
            let mut state = self.0.lock().unwrap();
            state.messages.push(message.clone());
            (state.answer, state.act.clone())
        };
        if let Some(act) = act {
            act(message);
        }
        answer
    }
}
