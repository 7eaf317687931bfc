//! Answers that are one JSON value.

use std::marker::PhantomData;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use bytes::Bytes;
use domain::entity_tag::EntityTag;
use domain::idempotency::AnswerText;
use domain::memory::RequestMemory;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::ArrayBuilder;

use super::kind::{JSON, Reply, ReplyKind, ReplySchema, StorableReply};
use super::request_head::RequestHead;
use crate::openapi::schema::View;
use crate::problem::Problem;

/// Room for the JSON of most things.
const SMALL: usize = 1 << 10;

/// One JSON value.
pub struct Answer<V>(pub V);

impl<V> Answer<V> {
    /// What clients see of a thing.
    pub fn of<T>(thing: T) -> Self
    where
        V: From<T>,
    {
        Self(V::from(thing))
    }
}

impl<V: View> Reply for Answer<V> {
    fn schema() -> ReplySchema {
        ReplySchema { body: V::reference, components: V::components, kind: ReplyKind::Value }
    }

    fn respond(self, _: &RequestHead) -> Result<HttpResponse, Problem> {
        written(&self.0)
    }
}

impl<V: View> StorableReply for Answer<V> {
    fn into_text(self) -> Result<AnswerText, Problem> {
        text(&self.0, None)
    }
}

/// One JSON value as it goes out.
pub struct Written<V> {
    body: Bytes,
    value: PhantomData<V>,
}

impl<V: View> Written<V> {
    /// Writes a value.
    ///
    /// # Errors
    /// A value that can't be written as JSON, which is a defect.
    pub fn of(value: &V) -> Result<Self, Problem> {
        Ok(Self::again(to_json(value)?.into()))
    }

    /// A value that was written before.
    pub const fn again(body: Bytes) -> Self {
        Self { body, value: PhantomData }
    }

    /// What goes out.
    pub const fn body(&self) -> &Bytes {
        &self.body
    }
}

impl<V: View> Reply for Written<V> {
    fn schema() -> ReplySchema {
        Answer::<V>::schema()
    }

    fn respond(self, _: &RequestHead) -> Result<HttpResponse, Problem> {
        Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, JSON)).body(self.body))
    }
}

/// A JSON array that has no pages.
pub struct Items<V>(pub Vec<V>);

impl<V> Items<V> {
    /// What clients see of things.
    pub fn of<T>(things: Vec<T>) -> Self
    where
        V: From<T>,
    {
        Self(things.into_iter().map(V::from).collect())
    }
}

impl<V: View> Reply for Items<V> {
    fn schema() -> ReplySchema {
        let body = || ArrayBuilder::new().items(V::reference()).build().into();
        ReplySchema { body, components: V::components, kind: ReplyKind::Value }
    }

    fn respond(self, _: &RequestHead) -> Result<HttpResponse, Problem> {
        written(&self.0)
    }
}

impl<V: View> StorableReply for Items<V> {
    fn into_text(self) -> Result<AnswerText, Problem> {
        text(&self.0, None)
    }
}

/// A value as it goes out, with the entity tag of what it shows.
pub(super) fn text(
    value: &impl Serialize,
    entity_tag: Option<EntityTag>,
) -> Result<AnswerText, Problem> {
    let body = String::from_utf8(to_json(value)?);
    let body = body.map_err(|error| Problem::internal(error.to_string()))?;
    Ok(AnswerText { entity_tag, body })
}

fn written(value: &impl Serialize) -> Result<HttpResponse, Problem> {
    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, JSON)).body(to_json(value)?))
}

fn to_json(value: &impl Serialize) -> Result<Vec<u8>, Problem> {
    // What is answered mostly is what has been read. A buffer that grows has twice as many bytes.
    let read = usize::try_from(RequestMemory::bytes()).unwrap_or_default();
    let mut json = Vec::with_capacity(read + read / 16 + SMALL);
    let written = serde_json::to_writer(&mut json, value);
    written.map_err(|error| Problem::internal(error.to_string()))?;
    if json.len() < json.capacity() / 2 {
        json.shrink_to_fit();
    }
    Ok(json)
}

/// That one thing was deleted.
#[derive(Serialize, ToSchema)]
pub struct Deleted {
    /// Always true.
    deleted: bool,
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: String,
}

impl Deleted {
    /// The confirmation for the thing with this identifier.
    pub fn answer<I: ToString>(id: I) -> Answer<Self> {
        Answer(Self { deleted: true, id: id.to_string() })
    }
}

/// How many things were deleted.
#[derive(Serialize, ToSchema)]
pub struct DeletedCount {
    /// How many there were.
    deleted: u64,
}

impl DeletedCount {
    /// The confirmation for so many.
    pub const fn answer(count: u64) -> Answer<Self> {
        Answer(Self { deleted: count })
    }
}
