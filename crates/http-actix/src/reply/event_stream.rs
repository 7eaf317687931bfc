//! What happens, as it happens: server-sent events
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).

use std::convert::Infallible;
use std::pin::Pin;

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use utoipa::openapi::schema::{ObjectBuilder, Type};

use super::kind::{Reply, ReplyKind, ReplySchema};
use super::request_head::RequestHead;
use crate::connection::exchange::Exchange;
use crate::problem::Problem;

/// The media type of server-sent events.
pub const EVENT_STREAM: &str = "text/event-stream";
/// Has a proxy of the nginx family pass on what comes at once.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// An answer that goes on until one of both sides ends it.
pub struct EventStream(Pin<Box<dyn Stream<Item = Bytes>>>);

impl EventStream {
    /// One of these pieces.
    pub fn of(pieces: impl Stream<Item = Bytes> + 'static) -> Self {
        Self(Box::pin(pieces))
    }
}

impl Reply for EventStream {
    fn schema() -> ReplySchema {
        let body = || ObjectBuilder::new().schema_type(Type::String).build().into();
        ReplySchema { body, components: |_| {}, kind: ReplyKind::EventStream }
    }

    fn respond(self, at: &RequestHead) -> Result<HttpResponse, Problem> {
        // A client that has gone must not keep its slot.
        if let Some(exchange) = at.request().conn_data::<Exchange>() {
            exchange.end_with_client();
        }
        Ok(HttpResponse::Ok()
            .insert_header((CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM)))
            .insert_header((X_ACCEL_BUFFERING, HeaderValue::from_static("no")))
            .streaming(self.0.map(Ok::<_, Infallible>)))
    }
}
