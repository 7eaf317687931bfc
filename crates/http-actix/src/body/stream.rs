//! The bytes of a request's body as they come in, and what becomes of those that are not read.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use actix_web::HttpRequest;
use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::poll_immediate;

use super::body_memory::BodyMemory;
use crate::connection::exchange::Exchange;
use crate::options::Pace;
use crate::problem::{Problem, ProblemKind};

/// The body of a request. Clones share it: the code that answers the request keeps one, and so knows in
/// the end whether all of it was read, however far the request came.
#[derive(Clone)]
pub struct BodyStream(Rc<RefCell<Source>>);

struct Source {
    payload: Payload,
    /// What the connection knows of the request, if there is one.
    exchange: Option<Exchange>,
    pace: Pace,
    is_at_end: bool,
    /// Whether the client is being waited for.
    is_awaited: bool,
    /// How long it was waited for, and how many bytes came.
    waited: Duration,
    received: u64,
    /// The memory that the body takes until the request is answered.
    memory: Vec<BodyMemory>,
}

impl Source {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, Problem>> {
        let chunk = ready!(self.payload.poll_next_unpin(context));
        self.is_at_end |= chunk.is_none();
        if let Some(Ok(chunk)) = &chunk {
            self.received += chunk.len() as u64;
        }
        Poll::Ready(chunk.transpose().map_err(|error| self.broken(&error)))
    }

    /// Why the body has ended early.
    fn broken(&self, error: &PayloadError) -> Problem {
        let fault = self.exchange.as_ref().and_then(Exchange::body_error);
        tracing::debug!(%error, fault, "a request body broke off");
        let detail = fault.map_or_else(
            || "The body ended early.".to_owned(),
            |fault| format!("The body is malformed: {fault}."),
        );
        Problem::new(ProblemKind::BrokenBody, detail)
    }
}

/// Whether this length, which is digits, is 0.
fn is_zero(length: &[u8]) -> bool {
    length.iter().all(|digit| *digit == b'0')
}

impl BodyStream {
    /// The body of a request.
    #[must_use]
    pub fn of(request: &HttpRequest, payload: Payload, pace: Pace) -> Self {
        let headers = request.headers();
        let exchange = request.conn_data::<Exchange>().cloned();
        let is_announced = headers.contains_key(TRANSFER_ENCODING)
            || headers.get(CONTENT_LENGTH).is_some_and(|length| !is_zero(length.as_bytes()));
        Self(Rc::new(RefCell::new(Source {
            payload,
            exchange,
            pace,
            is_at_end: !is_announced,
            is_awaited: false,
            waited: Duration::ZERO,
            received: 0,
            memory: Vec::new(),
        })))
    }

    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    /// 400 if the body breaks off or is malformed, 408 if it comes too slowly.
    pub async fn next(&self) -> Result<Option<Bytes>, Problem> {
        let mut next = poll_fn(|context| self.0.borrow_mut().poll_next(context));
        if let Some(chunk) = poll_immediate(&mut next).await {
            return chunk;
        }
        let timeout = {
            let source = &mut *self.0.borrow_mut();
            source.is_awaited = true;
            source.pace.timeout(source.received, source.waited)
        };
        let started = Instant::now();
        let chunk = tokio::time::timeout(timeout, next).await;
        let source = &mut *self.0.borrow_mut();
        source.is_awaited = false;
        source.waited += started.elapsed();
        chunk.unwrap_or_else(|_| Err(Problem::too_slow()))
    }

    /// Keeps memory for as long as the request is in progress.
    pub(super) fn keep(&self, memory: Option<BodyMemory>) {
        self.0.borrow_mut().memory.extend(memory);
    }

    /// Whether it is the client that is waited for.
    #[must_use]
    pub fn is_awaited(&self) -> bool {
        self.0.borrow().is_awaited
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
