//! What a handler answers: one value, a list that is streamed page by page, a list in an object
//! ([`nested`]), or a file ([`file`]).

mod batch;
mod file;
mod nested;
mod paging;
mod walk;

pub use file::{File, FileHead};
pub use nested::Nested;
pub use paging::{Cursor, Paging, join_texts, split_texts};

use std::future::Future;
use std::marker::PhantomData;

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue, LINK};
use domain::error::DomainError;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{RefOr, Schema};

use crate::call::Location;
use crate::problem::Problem;
use crate::schema::View;
use batch::Batch;
use paging::next_link;
use walk::{Blocks, READ_MAX, Walk};

const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// What the API document says of a 200.
#[derive(Clone, Copy)]
pub struct ReplySchema {
    /// The schema of the body.
    pub body: fn() -> RefOr<Schema>,
    /// Collects the schemas to which the body refers.
    pub components: fn(&mut Vec<(String, RefOr<Schema>)>),
    /// What kind of body it is.
    pub kind: ReplyKind,
}

/// What kind of body an answer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyKind {
    /// JSON.
    Value,
    /// A JSON array that can be read page by page.
    List,
    /// The bytes of a file, of which a part can be asked for.
    File,
}

/// An answer of status 200.
pub trait Reply {
    /// What the API document says of it.
    fn schema() -> ReplySchema;

    /// Makes the response.
    ///
    /// # Errors
    /// A value that can't be written as JSON, which is a defect.
    fn respond(self, at: &Location) -> Result<HttpResponse, Problem>;
}

/// One JSON value.
pub struct Answer<V>(pub V);

impl<V: View> Reply for Answer<V> {
    fn schema() -> ReplySchema {
        ReplySchema { body: V::reference, components: V::components, kind: ReplyKind::Value }
    }

    fn respond(self, _: &Location) -> Result<HttpResponse, Problem> {
        written(&self.0)
    }
}

/// A JSON array that has no pages.
pub struct Items<V>(pub Vec<V>);

impl<V: View> Reply for Items<V> {
    fn schema() -> ReplySchema {
        let body = || ArrayBuilder::new().items(V::reference()).build().into();
        ReplySchema { body, components: V::components, kind: ReplyKind::Value }
    }

    fn respond(self, _: &Location) -> Result<HttpResponse, Problem> {
        written(&self.0)
    }
}

fn written(value: &impl Serialize) -> Result<HttpResponse, Problem> {
    let body = serde_json::to_vec(value).map_err(|error| Problem::internal(error.to_string()))?;
    Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, JSON)).body(body))
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
    pub fn of(id: impl ToString) -> Self {
        Self { deleted: true, id: id.to_string() }
    }
}

/// How many things were deleted.
#[derive(Serialize, ToSchema)]
pub struct DeletedCount {
    deleted: u64,
}

impl DeletedCount {
    /// The confirmation for so many.
    pub const fn of(count: u64) -> Self {
        Self { deleted: count }
    }
}

/// A JSON array: one page of a list, or all of it, streamed so that memory does not grow with its
/// length.
pub struct List<V> {
    body: ListBody,
    /// The cursor of the next page, if there is one.
    next: Option<String>,
    items: PhantomData<V>,
}

enum ListBody {
    Page(Vec<u8>),
    Streamed(Blocks),
}

impl<V: View + 'static> List<V> {
    /// Answers a list as asked. `fetch` reads at most so many items after a key, `key` is an item's
    /// own key, and `view` is what the client sees of it.
    ///
    /// # Errors
    /// What the first fetch says, for a page any fetch; a later one that fails cuts a whole list off,
    /// so that nobody takes a part for the whole.
    pub async fn by<T, K, B, F>(
        paging: Paging<K>,
        fetch: impl Fn(Option<K>, u32) -> F + 'static,
        key: fn(&T) -> K,
        view: fn(T) -> V,
    ) -> Result<Self, Problem>
    where
        T: 'static,
        K: Cursor,
        B: Batch<K, Item = T> + 'static,
        F: Future<Output = Result<B, DomainError>> + 'static,
    {
        let Paging { limit, cursor } = paging;
        let mut walk = Walk::new(cursor, fetch, key);
        if let Some(limit) = limit {
            let (json, next) = walk::page(walk, limit, view).await?;
            return Ok(Self { body: ListBody::Page(json), next, items: PhantomData });
        }
        // What is wrong from the start is still answered with a problem.
        walk.has_next(READ_MAX).await?;
        let body = ListBody::Streamed(Box::pin(walk::blocks(walk, view)));
        Ok(Self { body, next: None, items: PhantomData })
    }
}

impl<V: View> Reply for List<V> {
    fn schema() -> ReplySchema {
        let body = || ArrayBuilder::new().items(V::reference()).build().into();
        ReplySchema { body, components: V::components, kind: ReplyKind::List }
    }

    fn respond(self, at: &Location) -> Result<HttpResponse, Problem> {
        let mut response = HttpResponse::Ok();
        response.insert_header((CONTENT_TYPE, JSON));
        if let Some(next) = self.next {
            response.insert_header((LINK, next_link(at, &next)));
        }
        Ok(match self.body {
            ListBody::Page(json) => response.body(json),
            ListBody::Streamed(blocks) => response.streaming(blocks),
        })
    }
}
