//! What a handler answers: one value, or a list that is streamed page by page.

use std::future::Future;
use std::pin::Pin;

use actix_web::HttpResponse;
use actix_web::http::header::{CONTENT_TYPE, HeaderValue, LINK};
use bytes::Bytes;
use domain::error::DomainError;
use domain::id::{BotId, ChangelogEntryId, FusionViewId, SkillId, StageId};
use futures_util::stream::{self, Stream};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{RefOr, Schema};

use crate::call::Location;
use crate::problem::Problem;
use crate::query::{Query, QueryParams};
use crate::schema::View;

const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// How many items the first unit of work reads, when nobody knows yet how large they are.
const FIRST_READ: u32 = 16;
/// How many items one unit of work reads at most.
const READ_MAX: u32 = 500;
/// How many bytes of JSON the items of one unit of work should come to.
const READ_BYTES: usize = 1 << 20;
/// How many bytes of a list go out at once.
const BLOCK: usize = 60 << 10;
/// The largest page that a client can ask for.
const PAGE_MAX: u32 = 1_000;
/// A page ends early once it has so many bytes, because it is held in memory until its last item, and
/// with it the header `Link`, is known.
const PAGE_BYTES: usize = 16 << 20;

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

id_cursors! { BotId ChangelogEntryId FusionViewId SkillId StageId }

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
    /// What the first fetch says, for a page any fetch; a later one that fails cuts a whole list off,
    /// so that nobody takes a part for the whole.
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
        let mut walk = Walk::new(cursor, fetch, key, view);
        let body = match limit {
            Some(limit) => page(walk, limit).await?,
            None => {
                // What is wrong from the start is still answered with a problem.
                walk.has_next(READ_MAX).await?;
                ListBody::Whole(Box::pin(blocks(walk)))
            }
        };
        Ok(Self { body, items: std::marker::PhantomData })
    }
}

/// A walk along a list, which reads few large items or many small ones at once. No unit of work
/// stays open while the client reads.
struct Walk<T, K, V, Fetch> {
    fetch: Fetch,
    key: fn(&T) -> K,
    view: fn(T) -> V,
    /// The key of the last item that was written.
    after: Option<K>,
    /// What was read and not written yet.
    items: std::vec::IntoIter<T>,
    /// Whether there is nothing beyond `items`.
    is_end: bool,
    next_read: NextRead,
}

impl<T, K, V, F, Fetch> Walk<T, K, V, Fetch>
where
    K: Cursor,
    V: Serialize,
    F: Future<Output = Result<Vec<T>, DomainError>>,
    Fetch: Fn(Option<K>, u32) -> F,
{
    fn new(after: Option<K>, fetch: Fetch, key: fn(&T) -> K, view: fn(T) -> V) -> Self {
        let (items, next_read) = (Vec::new().into_iter(), NextRead::default());
        Self { fetch, key, view, after, items, is_end: false, next_read }
    }

    /// Whether there is another item. At most `wanted` are read to find out.
    async fn has_next(&mut self, wanted: u32) -> Result<bool, Problem> {
        if self.items.len() == 0 && !self.is_end {
            let count = self.next_read.count().min(wanted);
            let items = (self.fetch)(self.after.clone(), count).await?;
            self.is_end = items.len() < count as usize;
            self.next_read = NextRead { last: count, written: 0, bytes: 0 };
            self.items = items.into_iter();
        }
        Ok(self.items.len() > 0)
    }

    /// Writes the item that [`Self::has_next`] has found.
    fn write(&mut self, json: &mut Vec<u8>) -> Result<(), Problem> {
        let Some(item) = self.items.next() else {
            return Ok(());
        };
        let before = json.len();
        self.after = Some((self.key)(&item));
        let written = serde_json::to_writer(&mut *json, &(self.view)(item));
        written.map_err(|error| Problem::internal(error.to_string()))?;
        self.next_read.written += 1;
        self.next_read.bytes += json.len() - before;
        Ok(())
    }
}

/// How many items to read next, judged by those of the last read.
#[derive(Debug, Clone, Copy, Default)]
struct NextRead {
    /// How many were asked for; 0 before the first read.
    last: u32,
    written: usize,
    bytes: usize,
}

impl NextRead {
    /// As many as come to about [`READ_BYTES`], but not more than twice as many as before, because
    /// small items may be followed by large ones.
    fn count(self) -> u32 {
        if self.last == 0 {
            return FIRST_READ;
        }
        let fitting = READ_BYTES * self.written / self.bytes.max(1);
        let fitting = u32::try_from(fitting).unwrap_or(READ_MAX);
        fitting.min(self.last * 2).clamp(1, READ_MAX)
    }
}

/// One page of a list. The item after it is read as well, to know whether there is a next page.
async fn page<T, K, V, F, Fetch>(
    mut walk: Walk<T, K, V, Fetch>,
    limit: u32,
) -> Result<ListBody, Problem>
where
    K: Cursor,
    V: Serialize,
    F: Future<Output = Result<Vec<T>, DomainError>>,
    Fetch: Fn(Option<K>, u32) -> F,
{
    let (mut json, mut left, mut next) = (vec![b'['], limit, None);
    while walk.has_next(left + 1).await? {
        if left == 0 || json.len() > PAGE_BYTES {
            next = walk.after.as_ref().map(Cursor::encode);
            break;
        }
        if json.len() > 1 {
            json.push(b',');
        }
        walk.write(&mut json)?;
        left -= 1;
    }
    json.push(b']');
    Ok(ListBody::Page { json, next })
}

/// A whole list as blocks of bytes, read as they are needed.
fn blocks<T, K, V, F, Fetch>(
    walk: Walk<T, K, V, Fetch>,
) -> impl Stream<Item = Result<Bytes, Problem>>
where
    K: Cursor,
    V: Serialize,
    F: Future<Output = Result<Vec<T>, DomainError>>,
    Fetch: Fn(Option<K>, u32) -> F,
{
    // `None` once the closing bracket was written; with the walk goes what comes before its next item.
    stream::try_unfold(Some((walk, b'[')), |state| async move {
        let Some((mut walk, mut mark)) = state else {
            return Ok(None);
        };
        let mut block = Vec::with_capacity(BLOCK + 4096);
        while walk.has_next(READ_MAX).await? {
            if block.len() >= BLOCK {
                return Ok(Some((Bytes::from(block), Some((walk, mark)))));
            }
            block.push(mark);
            walk.write(&mut block)?;
            mark = b',';
        }
        if mark == b'[' {
            block.push(mark);
        }
        block.push(b']');
        Ok::<_, Problem>(Some((Bytes::from(block), None)))
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
    let cursor = format!("cursor={}", percent_encoding::utf8_percent_encode(cursor, CURSOR_SET));
    let others = at.query().split('&').filter(|pair| !pair.is_empty() && !is_cursor(pair));
    let query: Vec<&str> = others.chain([cursor.as_str()]).collect();
    format!("<{}?{}>; rel=\"next\"", at.path(), query.join("&"))
}

/// Whether this is the parameter `cursor`, however its name is escaped.
fn is_cursor(pair: &str) -> bool {
    let name = pair.split_once('=').map_or(pair, |(name, _)| name);
    percent_encoding::percent_decode_str(name).eq(*b"cursor")
}

/// All that is not unreserved (RFC 3986, section 2.3) is escaped in a cursor.
const CURSOR_SET: &percent_encoding::AsciiSet =
    &percent_encoding::NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use actix_web::test::TestRequest;
    use futures_util::TryStreamExt;
    use serde_json::Value;

    use super::*;

    /// The place of an item in its list.
    #[derive(Clone, Copy)]
    struct Number(usize);

    impl Cursor for Number {
        fn encode(&self) -> String {
            self.0.to_string()
        }

        fn decode(text: &str) -> Option<Self> {
            text.parse().ok().map(Self)
        }
    }

    type Items = std::future::Ready<Result<Vec<(Number, usize)>, DomainError>>;
    type ItemFetch = Box<dyn Fn(Option<Number>, u32) -> Items>;

    type NumberWalk = Walk<(Number, usize), Number, String, ItemFetch>;

    /// A walk along so many items, and how many were asked for each time.
    fn walk_of(total: usize, size: fn(usize) -> usize) -> (NumberWalk, Rc<RefCell<Vec<u32>>>) {
        let asked = Rc::new(RefCell::new(Vec::new()));
        let noted = asked.clone();
        let fetch: ItemFetch = Box::new(move |after, count| {
            noted.borrow_mut().push(count);
            let from = after.map_or(0, |last| last.0 + 1);
            let to = total.min(from + count as usize);
            std::future::ready(Ok((from..to).map(|at| (Number(at), size(at))).collect()))
        });
        (Walk::new(None, fetch, |item| item.0, |item| "x".repeat(item.1)), asked)
    }

    fn count(json: &[u8]) -> usize {
        serde_json::from_slice::<Vec<Value>>(json).unwrap().len()
    }

    #[actix_web::test]
    async fn whole_lists_read_as_much_as_their_items_allow() {
        for (total, size, expected) in [
            (0, (|_| 0) as fn(usize) -> usize, vec![16]),
            (16, |_| 0, vec![16, 32]),
            (1_000, |_| 10, vec![16, 32, 64, 128, 256, 500, 500]),
            (20, |_| 1 << 20, vec![16, 1, 1, 1, 1, 1]),
            (60, |at| if at < 20 { 10 } else { 200 << 10 }, vec![16, 32, 5, 5, 5]),
        ] {
            let (walk, asked) = walk_of(total, size);
            let blocks: Vec<Bytes> = blocks(walk).try_collect().await.unwrap();
            assert_eq!(count(&blocks.concat()), total);
            assert_eq!(*asked.borrow(), expected, "{total}");
        }
    }

    #[actix_web::test]
    async fn pages_end_at_their_limit_or_when_they_are_large() {
        for (total, size, limit, expected, next) in [
            (0, (|_| 0) as fn(usize) -> usize, 5, 0, None),
            (5, |_| 10, 5, 5, None),
            (6, |_| 10, 5, 5, Some("4")),
            (1_000, |_| 10, 1_000, 1_000, None),
            (1_001, |_| 10, 1_000, 1_000, Some("999")),
            (30, |_| 1 << 20, 1_000, 16, Some("15")),
            (3, |_| 20 << 20, 2, 1, Some("0")),
        ] {
            let (walk, _) = walk_of(total, size);
            let ListBody::Page { json, next: found } = page(walk, limit).await.unwrap() else {
                panic!("a page");
            };
            assert_eq!((count(&json), found.as_deref()), (expected, next), "{total} {limit}");
        }
    }

    #[test]
    fn the_link_replaces_the_cursor_however_it_is_written() {
        for (query, expected) in [
            ("limit=1", "limit=1&cursor=a%2Fb"),
            ("limit=1&cursor=x", "limit=1&cursor=a%2Fb"),
            ("cur%73or=x&limit=1", "limit=1&cursor=a%2Fb"),
            ("%63ursor&&l%69mit=1&cursors=2", "l%69mit=1&cursors=2&cursor=a%2Fb"),
        ] {
            let request = TestRequest::with_uri(&format!("/list?{query}")).to_http_request();
            let link = next_link(&Location::of(request), "a/b");
            assert_eq!(link, format!("</list?{expected}>; rel=\"next\""));
        }
    }
}
