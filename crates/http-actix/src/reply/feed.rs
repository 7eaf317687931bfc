//! What has happened: a part of a list that goes on.

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_TYPE, LINK};
use domain::event::{EventPage, NumberedEvent};
use serde::Serialize;
use utoipa::openapi::schema::ArrayBuilder;

use super::kind::{JSON, Reply, ReplyKind, ReplySchema};
use super::list::FOLLOW_CURSOR;
use super::paging::next_link;
use super::request_head::RequestHead;
use crate::openapi::schema::View;
use crate::problem::Problem;

/// The parameter that goes on after an event.
pub const AFTER: &str = "after";

/// Events, seen as `V`.
pub struct Feed<V> {
    events: Vec<V>,
    /// Up to which number events were looked at.
    read_through: u64,
    /// Whether there are events after it already.
    has_more: bool,
}

impl<V: From<NumberedEvent>> From<EventPage> for Feed<V> {
    fn from(page: EventPage) -> Self {
        let EventPage { events, read_through, has_more } = page;
        Self { events: events.into_iter().map(V::from).collect(), read_through, has_more }
    }
}

impl<V: View + Serialize> Reply for Feed<V> {
    fn schema() -> ReplySchema {
        let body = || ArrayBuilder::new().items(V::reference()).build().into();
        ReplySchema { body, components: V::components, kind: ReplyKind::Feed }
    }

    fn respond(self, at: &RequestHead) -> Result<HttpResponse, Problem> {
        let body = serde_json::to_vec(&self.events)
            .map_err(|error| Problem::internal(format!("writing events: {error}")))?;
        let cursor = self.read_through.to_string();
        let mut response = HttpResponse::Ok();
        response.insert_header((CONTENT_TYPE, JSON));
        if self.has_more {
            response.insert_header((LINK, next_link(at, AFTER, &cursor)));
        }
        response.insert_header((FOLLOW_CURSOR, cursor));
        Ok(response.body(body))
    }
}
