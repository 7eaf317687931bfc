//! Lists that stand in objects: the answer grows with both, memory with neither. An object is written
//! up to its list, and then the list like any other, page by page.

use std::future::ready;
use std::marker::PhantomData;

use actix_web::HttpResponse;
use actix_web::http::header::CONTENT_TYPE;
use bytes::{Bytes, BytesMut};
use domain::error::DomainError;
use futures_util::stream::{self, Stream, StreamExt, TryStreamExt};
use serde::Serialize;

use super::fetched::Fetched;
use super::kind::{JSON, Reply, ReplyKind, ReplySchema};
use super::list::{List, ListBody};
use super::pager::{BLOCK, Blocks, NESTED_READ, Pager, blocks};
use super::paging::Paging;
use super::request_head::RequestHead;
use super::source::{ListItem, Source};
use super::writing::JsonArray;
use crate::openapi::schema::View;
use crate::problem::Problem;

/// An object whose last member is a list that need not fit into memory. `V` is the schema of the
/// whole; no value of it is ever made.
pub struct Nested<V> {
    blocks: Blocks,
    whole: PhantomData<V>,
}

impl<V: View> Nested<V> {
    /// The object with the members of `head`, and after them the list `member`, `view` being what
    /// clients see of its items. Nothing is read yet.
    pub fn new<I, S, W, P, T, B>(
        head: &impl Serialize,
        member: &'static str,
        source: Source<S, W, P>,
        view: fn(T) -> I,
    ) -> Self
    where
        I: Serialize + 'static,
        S: Clone + 'static,
        W: Clone + 'static,
        P: AsyncFn(&S, &W, Option<T::Cursor>, u32) -> Result<B, DomainError> + Copy + 'static,
        T: ListItem,
        B: Fetched<T::Cursor, Item = T> + 'static,
    {
        let opening = opening(head, member).map_err(|error| Problem::internal(error.to_string()));
        let list = blocks(Pager::new(None, source.fetch(), T::cursor), JsonArray(view));
        let pieces = stream::once(ready(opening)).chain(list).chain(piece(b"}"));
        Self { blocks: Box::pin(pieces), whole: PhantomData }
    }

    /// Reads the beginning of an object that is an answer of its own: what is wrong from the start is
    /// still answered with a problem.
    ///
    /// # Errors
    /// What the first fetch says; a later one that fails cuts the object off.
    pub async fn start(self) -> Result<Self, Problem> {
        Ok(Self { blocks: started(gathered(self.blocks)).await?, whole: PhantomData })
    }
}

impl<V: View> Reply for Nested<V> {
    fn schema() -> ReplySchema {
        ReplySchema { body: V::reference, components: V::components, kind: ReplyKind::Value }
    }

    fn respond(self, _: &RequestHead) -> Result<HttpResponse, Problem> {
        Ok(HttpResponse::Ok().insert_header((CONTENT_TYPE, JSON)).streaming(self.blocks))
    }
}

impl<V: View + 'static> List<V> {
    /// Answers a list of such objects as asked; `object` begins the one of an item. Those of a page are
    /// read before its first byte goes out, without their lists.
    ///
    /// # Errors
    /// What the first pages say; a later one that fails cuts the answer off.
    pub async fn of_nested<S, W, P, T, B>(
        paging: Paging<T::Cursor>,
        source: Source<S, W, P>,
        object: fn(&S, &W, T) -> Nested<V>,
    ) -> Result<Self, Problem>
    where
        S: Clone + 'static,
        W: Clone + 'static,
        P: AsyncFn(&S, &W, Option<T::Cursor>, u32) -> Result<B, DomainError> + Copy + 'static,
        T: ListItem,
        B: Fetched<T::Cursor, Item = T> + 'static,
    {
        let Paging { limit, cursor } = paging;
        let (service, of) = (source.service.clone(), source.of.clone());
        let mut pager = Pager::new(cursor, source.fetch(), T::cursor);
        let next = match limit {
            Some(limit) => pager.end_after(limit).await?,
            None => None,
        };
        let items = stream::try_unfold(pager, |mut pager| async move {
            pager.has_next(NESTED_READ).await?;
            Ok::<_, Problem>(pager.take().map(|item| (item, pager)))
        });
        let objects = items.enumerate().map(move |(at, item)| {
            let comma = if at == 0 { b"".as_slice() } else { b"," };
            item.map(|item| piece(comma).chain(object(&service, &of, item).blocks))
        });
        let pieces = piece(b"[").chain(objects.try_flatten()).chain(piece(b"]"));
        let body = ListBody::Streamed(started(gathered(Box::pin(pieces))).await?);
        Ok(Self::new(body, next))
    }
}

/// An object up to its list.
fn opening(head: &impl Serialize, member: &str) -> serde_json::Result<Bytes> {
    let mut json = serde_json::to_vec(head)?;
    if json.pop() == Some(b'}') && json.len() > 1 {
        json.push(b',');
    }
    serde_json::to_writer(&mut json, member)?;
    json.push(b':');
    Ok(json.into())
}

/// Bytes that are always the same.
fn piece(bytes: &'static [u8]) -> impl Stream<Item = Result<Bytes, Problem>> {
    stream::once(ready(Ok(Bytes::from_static(bytes))))
}

/// Joins small pieces, of which most lists in objects consist, so that each block is worth sending.
fn gathered(pieces: Blocks) -> Blocks {
    let blocks = stream::try_unfold(pieces.fuse(), |mut pieces| async move {
        let mut block = BytesMut::new();
        while block.len() < BLOCK {
            let Some(piece) = pieces.try_next().await? else {
                break;
            };
            block.extend_from_slice(&piece);
        }
        let is_end = block.is_empty();
        Ok((!is_end).then(|| (block.freeze(), pieces)))
    });
    Box::pin(blocks)
}

/// Makes the first block, so that what fails until then is known.
async fn started(mut blocks: Blocks) -> Result<Blocks, Problem> {
    let first = blocks.try_next().await?;
    Ok(Box::pin(stream::iter(first.map(Ok)).chain(blocks)))
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::rc::Rc;

    use domain::error::StorageError;
    use serde_json::{Value, json};

    use super::super::Deleted;
    use super::super::pager::tests::Number;
    use super::*;

    /// What was read: of which object, or `None` for the objects themselves, from where on.
    type Reads = Rc<RefCell<Vec<(Option<usize>, usize)>>>;

    /// Makes lists of numbers.
    #[derive(Clone)]
    struct Numbers {
        /// How many items each object has.
        items: usize,
        /// From where on the items of an object can't be read.
        broken: usize,
        reads: Reads,
    }

    impl ListItem for Number {
        type Cursor = Self;

        fn cursor(&self) -> Self {
            *self
        }
    }

    /// Numbers up to `total`: those of an object, or the objects themselves.
    async fn numbers(
        numbers: &Numbers,
        (of, total): &(Option<usize>, usize),
        after: Option<Number>,
        count: u32,
    ) -> Result<Vec<Number>, DomainError> {
        let from = after.map_or(0, |last| last.0 + 1);
        numbers.reads.borrow_mut().push((*of, from));
        if of.is_some() && from >= numbers.broken {
            return Err(StorageError::Overloaded.into());
        }
        Ok((from..(*total).min(from + count as usize)).map(Number).collect())
    }

    /// An object with items of 1 KiB.
    fn object_of(of: &Numbers, _: &(Option<usize>, usize), at: Number) -> Nested<Deleted> {
        let items = Source::new(of, (Some(at.0), of.items), numbers);
        Nested::new(&json!({"at": at.0}), "items", items, |number| format!("{:01022}", number.0))
    }

    fn object(at: usize, items: usize, broken: usize, reads: &Reads) -> Nested<Deleted> {
        let numbers = Numbers { items, broken, reads: reads.clone() };
        object_of(&numbers, &(None, 0), Number(at))
    }

    /// A list of so many such objects.
    async fn list_of(
        objects: usize,
        items: usize,
        broken: usize,
        limit: Option<u32>,
        reads: &Reads,
    ) -> Result<(Blocks, Option<String>), Problem> {
        let paging = Paging { limit, cursor: None };
        let service = Numbers { items, broken, reads: reads.clone() };
        let source = Source::new(&service, (None, objects), numbers);
        let list = List::of_nested(paging, source, object_of);
        let List { body, next, .. } = list.await?;
        let ListBody::Streamed(blocks) = body else {
            panic!("it is streamed");
        };
        Ok((blocks, next))
    }

    async fn json(blocks: Blocks) -> Value {
        let blocks: Vec<Bytes> = blocks.try_collect().await.unwrap();
        assert!(blocks.iter().all(|block| !block.is_empty()));
        serde_json::from_slice(&blocks.concat()).unwrap()
    }

    /// How many items each object has; the order is checked on the way.
    fn counts(list: &Value) -> Vec<usize> {
        let objects = list.as_array().unwrap().iter().enumerate();
        let counts = objects.map(|(at, object)| {
            let object: BTreeMap<String, Value> = serde_json::from_value(object.clone()).unwrap();
            assert_eq!(object.keys().collect::<Vec<_>>(), ["at", "items"]);
            assert_eq!(object["at"], at);
            let items = object["items"].as_array().unwrap();
            let numbers = items.iter().map(|item| item.as_str().unwrap().parse::<usize>().unwrap());
            assert!(numbers.eq(0..items.len()));
            items.len()
        });
        counts.collect()
    }

    #[actix_web::test]
    async fn lists_in_objects_are_whole() {
        for (objects, items) in [(0, 0), (1, 0), (3, 0), (1, 1), (40, 1), (3, 16), (2, 700)] {
            let (blocks, next) =
                list_of(objects, items, usize::MAX, None, &Reads::default()).await.unwrap();
            assert_eq!(counts(&json(blocks).await), vec![items; objects], "{objects} {items}");
            assert_eq!(next, None);
        }
        let one = object(7, 2, usize::MAX, &Reads::default()).start().await.unwrap();
        let items = [format!("{:01022}", 0), format!("{:01022}", 1)];
        assert_eq!(json(one.blocks).await, json!({"at": 7, "items": items}));
    }

    #[test]
    fn an_object_may_have_nothing_but_its_list() {
        for (head, expected) in [
            (json!({}), r#"{"items":"#),
            (json!({"a": null}), r#"{"a":null,"items":"#),
            (json!({"a": {}}), r#"{"a":{},"items":"#),
        ] {
            assert_eq!(opening(&head, "items").unwrap(), expected);
        }
    }

    #[actix_web::test]
    async fn nothing_is_read_before_it_is_sent() {
        let reads = Reads::default();
        let (mut blocks, _) = list_of(100, 1_000, usize::MAX, None, &reads).await.unwrap();
        // 60 KiB are made, of the first items of the first object.
        assert_eq!(*reads.borrow(), [(None, 0), (Some(0), 0)]);
        while !reads.borrow().contains(&(Some(1), 0)) {
            let block = blocks.try_next().await.unwrap().unwrap();
            assert!(block.len() <= 2 * BLOCK + 4096, "{}", block.len());
        }
        assert!(reads.borrow().iter().all(|(of, _)| of.is_none_or(|of| of <= 1)));
    }

    #[actix_web::test]
    async fn few_objects_are_read_at_once() {
        for limit in [None, Some(100)] {
            let reads = Reads::default();
            let (blocks, _) = list_of(100, 0, usize::MAX, limit, &reads).await.unwrap();
            assert_eq!(counts(&json(blocks).await), vec![0; 100]);
            let reads = reads.borrow();
            let of_objects: Vec<_> = reads.iter().filter(|(of, _)| of.is_none()).collect();
            assert!(of_objects.windows(2).all(|reads| reads[1].1 - reads[0].1 <= 16));
            assert!(of_objects.len() >= 7);
        }
    }

    #[actix_web::test]
    async fn a_page_knows_its_next_before_its_first_byte() {
        for (objects, limit, expected, next) in [
            (0, 5, 0, None),
            (5, 5, 5, None),
            (6, 5, 5, Some("4")),
            (100, 50, 50, Some("49")),
            (1_001, 1_000, 1_000, Some("999")),
        ] {
            let reads = Reads::default();
            let (blocks, found) =
                list_of(objects, 1, usize::MAX, Some(limit), &reads).await.unwrap();
            assert_eq!(found.as_deref(), next, "{objects} {limit}");
            let of_objects = reads.borrow().iter().filter(|(of, _)| of.is_none()).count();
            assert_eq!(counts(&json(blocks).await), vec![1; expected]);
            let later = reads.borrow().iter().filter(|(of, _)| of.is_none()).count();
            assert_eq!(of_objects, later);
        }
    }

    #[actix_web::test]
    async fn what_fails_at_once_is_a_problem_and_what_fails_later_cuts_off() {
        let early = list_of(1, 10, 0, None, &Reads::default()).await;
        assert!(early.is_err());
        assert!(object(0, 10, 0, &Reads::default()).start().await.is_err());

        let (blocks, _) = list_of(2, 1_000, 200, None, &Reads::default()).await.unwrap();
        let sent: Vec<_> = blocks.collect().await;
        assert!(sent.len() > 1);
        let (last, others) = sent.split_last().unwrap();
        assert!(last.is_err() && others.iter().all(Result::is_ok));
    }
}
