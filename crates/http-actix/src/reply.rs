//! What a handler answers: one value, or a list that is streamed page by page.

use std::future::Future;
use std::pin::Pin;

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue, LINK};
use bytes::Bytes;
use domain::error::DomainError;
use domain::id::{BotId, ChangelogEntryId};
use futures_util::stream::{self, Stream};
use serde::Serialize;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{RefOr, Schema};

use crate::call::Location;
use crate::problem::Problem;
use crate::query::{Query, QueryParams};
use crate::schema::View;

const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// How many items one unit of work reads while a whole list is streamed.
const STREAM_PAGE: u32 = 500;
/// How many bytes of a list go out at once.
const BLOCK: usize = 60 << 10;
/// The largest page that a client can ask for.
const PAGE_MAX: u32 = 1_000;

/// What the API document says of a 200.
#[derive(Clone, Copy)]
pub struct ReplySchema {
    /// The schema of the body.
    pub body: fn() -> RefOr<Schema>,
    /// Collects the schemas to which the body refers.
    pub components: fn(&mut Vec<(String, RefOr<Schema>)>),
    /// Whether it can be read page by page.
    pub is_list: bool,
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
        ReplySchema { body: V::reference, components: V::components, is_list: false }
    }

    fn respond(self, _: &Location) -> Result<HttpResponse, Problem> {
        let body = serde_json::to_vec(&self.0);
        let body = body.map_err(|error| Problem::internal(error.to_string()))?;
        Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, JSON)).body(body))
    }
}

/// The key by which a list goes on: what stands in `cursor`.
pub trait Cursor: Sized + Clone + 'static {
    /// The cursor that goes on after this key.
    fn encode(&self) -> String;

    /// Reads a cursor that [`Cursor::encode`] wrote.
    fn decode(text: &str) -> Option<Self>;
}

macro_rules! id_cursors {
    ($($id:ty)+) => {$(
        impl Cursor for $id {
            fn encode(&self) -> String {
                self.to_string()
            }

            fn decode(text: &str) -> Option<Self> {
                Self::parse(text)
            }
        }
    )+};
}

id_cursors! { BotId ChangelogEntryId }

/// The query parameters of a list.
#[derive(Debug, Clone)]
pub struct Paging<K> {
    limit: Option<u32>,
    cursor: Option<K>,
}

impl<K: Cursor> Query for Paging<K> {
    fn read(params: &mut QueryParams) -> Self {
        let limit = params.integer(
            "limit",
            (1, PAGE_MAX),
            "Answers one page of at most so many items; the next one stands in the header `Link`.",
        );
        let text = params.text("cursor", "Goes on where a page ended, as its `Link` says.");
        let cursor = text.as_deref().map(K::decode);
        if cursor.as_ref().is_some_and(Option::is_none) {
            params.fault("cursor", "is none that this list gave");
        }
        Self { limit, cursor: cursor.flatten() }
    }
}

type Blocks = Pin<Box<dyn Stream<Item = Result<Bytes, Problem>>>>;

/// A JSON array: one page of a list, or all of it, streamed so that memory does not grow with its
/// length.
pub struct List<V> {
    body: ListBody,
    items: std::marker::PhantomData<V>,
}

enum ListBody {
    Page { json: Vec<u8>, next: Option<String> },
    Whole(Blocks),
}

impl<V: View + 'static> List<V> {
    /// Answers a list as asked. `fetch` reads at most so many items after a key, `key` is an item's
    /// own key, and `view` is what the client sees of it.
    ///
    /// # Errors
    /// What the first fetch says; a later one that fails cuts the body off, so that nobody takes a
    /// part for the whole.
    pub async fn by<T, K, F>(
        paging: Paging<K>,
        fetch: impl Fn(Option<K>, u32) -> F + 'static,
        key: fn(&T) -> K,
        view: fn(T) -> V,
    ) -> Result<Self, Problem>
    where
        T: 'static,
        K: Cursor,
        F: Future<Output = Result<Vec<T>, DomainError>> + 'static,
    {
        let Paging { limit, cursor } = paging;
        let body = match limit {
            Some(limit) => {
                // One more than asked for tells whether there is a next page.
                let mut items = fetch(cursor, limit + 1).await?;
                let is_last = items.len() <= limit as usize;
                items.truncate(limit as usize);
                let next = items.last().filter(|_| !is_last).map(|last| key(last).encode());
                let views: Vec<V> = items.into_iter().map(view).collect();
                let json = serde_json::to_vec(&views);
                let json = json.map_err(|error| Problem::internal(error.to_string()))?;
                ListBody::Page { json, next }
            }
            None => {
                let first = fetch(cursor, STREAM_PAGE).await?;
                ListBody::Whole(Box::pin(blocks(first, fetch, key, view)))
            }
        };
        Ok(Self { body, items: std::marker::PhantomData })
    }
}

/// Where the streaming of a list is.
struct Progress<T, K> {
    items: std::vec::IntoIter<T>,
    /// The key after which to go on; `None` if these are the last items.
    after: Option<K>,
    opened: bool,
    done: bool,
}

fn progress<T, K>(page: Vec<T>, key: fn(&T) -> K) -> Progress<T, K> {
    let is_full = page.len() == STREAM_PAGE as usize;
    let after = page.last().filter(|_| is_full).map(key);
    Progress { items: page.into_iter(), after, opened: false, done: false }
}

/// The array as blocks of bytes, fetching pages as they are needed. No unit of work stays open while
/// the client reads.
fn blocks<T, K, V, F>(
    first: Vec<T>,
    fetch: impl Fn(Option<K>, u32) -> F + 'static,
    key: fn(&T) -> K,
    view: fn(T) -> V,
) -> impl Stream<Item = Result<Bytes, Problem>>
where
    T: 'static,
    K: Cursor,
    V: Serialize,
    F: Future<Output = Result<Vec<T>, DomainError>>,
{
    let state = (progress(first, key), fetch);
    stream::try_unfold(state, move |(mut progress, fetch)| async move {
        if progress.done {
            return Ok(None);
        }
        let mut block = Vec::with_capacity(BLOCK + 4096);
        if !progress.opened {
            block.push(b'[');
        }
        while block.len() < BLOCK {
            match (progress.items.next(), progress.after.take()) {
                (Some(item), after) => {
                    if progress.opened {
                        block.push(b',');
                    }
                    progress.opened = true;
                    progress.after = after;
                    let written = serde_json::to_writer(&mut block, &view(item));
                    written.map_err(|error| Problem::internal(error.to_string()))?;
                }
                (None, Some(after)) => {
                    let opened = progress.opened;
                    progress = self::progress(fetch(Some(after), STREAM_PAGE).await?, key);
                    progress.opened = opened;
                }
                (None, None) => {
                    block.push(b']');
                    progress.done = true;
                    break;
                }
            }
        }
        Ok(Some((Bytes::from(block), (progress, fetch))))
    })
}

impl<V: View> Reply for List<V> {
    fn schema() -> ReplySchema {
        let body = || ArrayBuilder::new().items(V::reference()).build().into();
        ReplySchema { body, components: V::components, is_list: true }
    }

    fn respond(self, at: &Location) -> Result<HttpResponse, Problem> {
        let mut response = HttpResponse::Ok();
        response.insert_header((CONTENT_TYPE, JSON));
        Ok(match self.body {
            ListBody::Page { json, next } => {
                if let Some(next) = next {
                    response.insert_header((LINK, next_link(at, &next)));
                }
                response.body(json)
            }
            ListBody::Whole(blocks) => response.streaming(blocks),
        })
    }
}

/// The link to the next page: this request again, with another cursor.
fn next_link(at: &Location, cursor: &str) -> String {
    let kept = at
        .query()
        .split('&')
        .filter(|pair| !pair.is_empty() && *pair != "cursor" && !pair.starts_with("cursor="));
    let mut query: Vec<&str> = kept.collect();
    let cursor = format!("cursor={}", percent_encoding::utf8_percent_encode(cursor, CURSOR_SET));
    query.push(&cursor);
    format!("<{}?{}>; rel=\"next\"", at.path(), query.join("&"))
}

/// All that is not unreserved (RFC 3986, section 2.3) is escaped in a cursor.
const CURSOR_SET: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
