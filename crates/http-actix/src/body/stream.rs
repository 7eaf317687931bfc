//! The bytes of a request's body as they come in, and what becomes of those that are not read.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, ready};
use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use bytes::Bytes;
use futures_util::StreamExt;

use crate::connection::exchange::Exchange;
use crate::problem::{Problem, ProblemKind};

/// The body of a request. Clones share it: the code that answers the request keeps one, and so knows in
/// the end whether all of it was read, however far the request came.
#[derive(Clone)]
pub struct BodyStream(Rc<RefCell<Source>>);

struct Source {
    payload: Payload,
    /// What the connection knows of the request, if there is one.
    exchange: Option<Exchange>,
    is_at_end: bool,
}

impl Source {
    /// Why the body has ended early.
    fn broken(&self, error: &PayloadError) -> Problem {
        let fault = self.exchange.as_ref().and_then(Exchange::body_fault);
        tracing::debug!(%error, fault, "a request body broke off");
        let detail = fault.map_or_else(
            || "The body ended early.".to_owned(),
            |fault| format!("The body is malformed: {fault}."),
        );
        Problem::new(ProblemKind::BrokenBody, detail)
    }
}

impl BodyStream {
    /// The body of a request.
    #[must_use]
    pub fn of(request: &HttpRequest, payload: Payload) -> Self {
        let headers = request.headers();
        let exchange = request.conn_data::<Exchange>().cloned();
        let is_announced = headers.contains_key(TRANSFER_ENCODING)
            || headers.get(CONTENT_LENGTH).is_some_and(|length| length.as_bytes() != b"0");
        Self(Rc::new(RefCell::new(Source { payload, exchange, is_at_end: !is_announced })))
    }

    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    /// 400 if the body breaks off or is malformed.
    pub async fn next(&self) -> Result<Option<Bytes>, Problem> {
        poll_fn(|context| {
            let source = &mut *self.0.borrow_mut();
            let chunk = ready!(source.payload.poll_next_unpin(context));
            source.is_at_end |= chunk.is_none();
            Poll::Ready(chunk.transpose().map_err(|error| source.broken(&error)))
        })
        .await
    }

    /// Whether there is nothing left to read.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.0.borrow().is_at_end
    }

    /// Gives up the rest of the body. It is read for a little while beside the answer, so that a
    /// client that is still sending reads that instead of a reset connection (RFC 9112, section 9.6).
    pub fn discard(&self) {
        const AT_MOST: usize = 1 << 20;
        const AT_LONGEST: Duration = Duration::from_secs(2);

        let mut payload = std::mem::replace(&mut self.0.borrow_mut().payload, Payload::None);
        if self.is_at_end() || matches!(payload, Payload::None) {
            return;
        }
        actix_web::rt::spawn(async move {
            let reading = async {
                let mut seen = 0;
                while let Some(Ok(chunk)) = payload.next().await {
                    seen += chunk.len();
                    if seen > AT_MOST {
                        break;
                    }
                }
            };
            // Nothing more is to be done if the time runs out before the body ends.
            let _ = tokio::time::timeout(AT_LONGEST, reading).await;
        });
    }
}
