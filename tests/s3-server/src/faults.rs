//! The faults that the server can be set to have.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use hyper::body::Incoming;
use hyper::{Method, Request, Response, StatusCode};
use s3s::service::S3Service;
use s3s::{Body, HttpError};

const FAILURE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
    <Error><Code>InternalError</Code><Message>told to fail</Message></Error>";

pub(crate) struct Faults {
    /// How many requests that write may still succeed.
    writes_left: AtomicU64,
    hangs: AtomicBool,
    /// How many requests were left without an answer.
    unanswered: AtomicU64,
}

impl Default for Faults {
    fn default() -> Self {
        Self {
            writes_left: AtomicU64::new(u64::MAX),
            hangs: AtomicBool::new(false),
            unanswered: AtomicU64::new(0),
        }
    }
}

impl Faults {
    pub(crate) fn fail_writes_after(&self, count: u64) {
        self.writes_left.store(count, Ordering::SeqCst);
    }

    pub(crate) fn hang(&self, hang: bool) {
        self.hangs.store(hang, Ordering::SeqCst);
    }

    pub(crate) fn unanswered(&self) -> u64 {
        self.unanswered.load(Ordering::SeqCst)
    }

    /// The answer of the service, or none, or a wrong one.
    pub(crate) async fn answer(
        &self,
        service: &S3Service,
        request: Request<Incoming>,
    ) -> Result<Response<Body>, HttpError> {
        if self.hangs.load(Ordering::SeqCst) {
            self.unanswered.fetch_add(1, Ordering::SeqCst);
            std::future::pending::<()>().await;
        }
        if [Method::PUT, Method::POST].contains(request.method()) && !self.may_write() {
            let mut response = Response::new(Body::from(FAILURE.to_owned()));
            *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
            return Ok(response);
        }
        service.call(request.map(Body::from)).await
    }

    fn may_write(&self) -> bool {
        let one_less = |left: u64| match left {
            u64::MAX => Some(left),
            _ => left.checked_sub(1),
        };
        self.writes_left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less).is_ok()
    }
}
