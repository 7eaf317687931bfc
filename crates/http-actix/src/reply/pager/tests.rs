//! Pages and whole lists of items that are counted.

use std::cell::RefCell;
use std::future::ready;
use std::pin::pin;
use std::rc::Rc;
use std::thread;

use domain::id::ProjectId;
use domain::memory::ContentMemory;
use futures_util::TryStreamExt;
use serde_json::Value;

use super::*;
use crate::reply::writing::JsonArray;

/// The place of an item in its list.
#[derive(Clone, Copy)]
pub(crate) struct Number(pub(crate) usize);

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

type NumberPager = Pager<(Number, usize), Number, ItemFetch>;

fn view(item: (Number, usize)) -> String {
    "x".repeat(item.1)
}

/// A pager along so many items, and how many were asked for each time.
fn pager_of(total: usize, size: fn(usize) -> usize) -> (NumberPager, Rc<RefCell<Vec<u32>>>) {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let recorded = asked.clone();
    let fetch: ItemFetch = Box::new(move |after, count| {
        recorded.borrow_mut().push(count);
        let from = after.map_or(0, |last| last.0 + 1);
        let to = total.min(from + count as usize);
        ready(Ok((from..to).map(|at| (Number(at), size(at))).collect()))
    });
    (Pager::new(None, fetch, |item| item.0), asked)
}

fn count(json: &[u8]) -> usize {
    serde_json::from_slice::<Vec<Value>>(json).unwrap().len()
}

#[actix_web::test]
async fn whole_lists_are_read_to_their_end() {
    for (total, expected) in
        [(0, vec![500]), (16, vec![500]), (500, vec![500, 500]), (1_001, vec![500, 500, 500])]
    {
        let (pager, asked) = pager_of(total, |_| 10);
        let blocks: Vec<Bytes> = blocks(pager, JsonArray(view)).try_collect().await.unwrap();
        assert_eq!(count(&blocks.concat()), total);
        assert_eq!(*asked.borrow(), expected, "{total}");
    }
}

type Short = std::future::Ready<Result<(Vec<Number>, Option<Number>), DomainError>>;

/// A pager along so many items, of which a fetch looks at three in turn and finds the even ones
/// below `wanted`.
fn few_pages(
    total: usize,
    wanted: usize,
    asked: &Rc<RefCell<Vec<usize>>>,
) -> Pager<Number, Number, impl Fn(Option<Number>, u32) -> Short + use<>> {
    let asked = asked.clone();
    let fetch = move |after: Option<Number>, count: u32| {
        let from = after.map_or(0, |last| last.0 + 1);
        asked.borrow_mut().push(from);
        let to = total.min(from + 3);
        let found = (from..to).filter(|at| at % 2 == 0 && *at < wanted).map(Number);
        let found: Vec<_> = found.take(count as usize).collect();
        let is_full = found.len() == count as usize;
        let last = found.last().filter(|_| is_full).copied();
        let next = last.or_else(|| (to < total).then(|| Number(to - 1)));
        ready(Ok((found, next)))
    };
    Pager::new(None, fetch, |number| *number)
}

#[actix_web::test]
async fn a_list_goes_on_where_a_fetch_found_little_or_nothing() {
    let view = |number: Number| number.0;
    for (total, wanted, expected) in [
        (0, 9, vec![]),
        (1, 9, vec![0]),
        (20, 20, (0..20).step_by(2).collect()),
        (20, 5, vec![0, 2, 4]),
        (50, 0, vec![]),
    ] {
        let asked = Rc::default();
        let blocks: Vec<Bytes> =
            blocks(few_pages(total, wanted, &asked), JsonArray(view)).try_collect().await.unwrap();
        let found: Vec<usize> = serde_json::from_slice(&blocks.concat()).unwrap();
        assert_eq!(found, expected);
        let reads = (0..total.max(1)).step_by(3).collect::<Vec<_>>();
        assert_eq!(*asked.borrow(), reads, "{total} {wanted}");
    }
    for (total, wanted, limit, expected, next) in [
        (20, 20, 4, vec![0, 2, 4, 6], Some("6")),
        (20, 20, 10, (0..20).step_by(2).collect(), None),
        (20, 20, 9, (0..18).step_by(2).collect(), Some("17")),
        (50, 5, 3, vec![0, 2, 4], None),
        (50, 5, 2, vec![0, 2], Some("2")),
        (50, 0, 2, vec![], None),
    ] {
        let asked = Rc::default();
        let (json, found_next) =
            page(few_pages(total, wanted, &asked), limit, JsonArray(view)).await.unwrap();
        let found: Vec<usize> = serde_json::from_slice(&json).unwrap();
        assert_eq!((found, found_next.as_deref()), (expected, next), "{total} {limit}");
        let mut pager = few_pages(total, wanted, &asked);
        let of_nested = pager.end_after(limit).await.unwrap();
        assert_eq!(of_nested.as_deref(), next, "{total} {limit}");
    }
}

#[actix_web::test]
async fn a_page_ends_where_much_was_looked_at() {
    let view = |number: Number| number.0;
    let total = 3 * PAGE_FETCHES as usize + 9;
    let last_seen = (3 * PAGE_FETCHES as usize - 1).to_string();
    for (wanted, limit, expected) in [(0, 5, vec![]), (4, 5, vec![0, 2])] {
        let asked = Rc::default();
        let pager = few_pages(total, wanted, &asked);
        let (json, next) = page(pager, limit, JsonArray(view)).await.unwrap();
        let found: Vec<usize> = serde_json::from_slice(&json).unwrap();
        assert_eq!((found, next.as_deref()), (expected, Some(last_seen.as_str())));
        assert_eq!(asked.borrow().len(), PAGE_FETCHES as usize);
        let mut rest = few_pages(total, wanted, &asked);
        rest.after = next.as_deref().and_then(Number::decode);
        let (json, next) = page(rest, limit, JsonArray(view)).await.unwrap();
        assert_eq!((json.as_slice(), next), (&b"[]"[..], None));
    }
}

/// Large items, as far as the memory says that a request holds.
#[actix_web::test]
async fn large_items_are_written_on_other_threads() {
    let project = ProjectId::parse("00000000-0000-4000-8000-000000000001").unwrap();
    let memory = ContentMemory::new(64 << 20);
    let here = format!("{:?}", thread::current().id());
    for (bytes, is_here) in [(600 << 10, true), (900 << 10, false)] {
        // A batch has three, of which a page takes two.
        let fetch = || {
            let memory = memory.clone();
            move |after: Option<Number>, _| {
                let held = memory.reserve(project, bytes).into_iter().collect();
                RequestMemory::keep(held);
                let from = after.map_or(0, |last| last.0 + 1);
                ready(Ok::<_, DomainError>((from..3).map(Number).collect::<Vec<_>>()))
            }
        };
        let pager = || Pager::new(None, fetch(), |number: &Number| *number);
        let view = |number: Number| (number.0, format!("{:?}", thread::current().id()));
        let written = RequestMemory::default()
            .during_all(pin!(async {
                let (of_page, next) = page(pager(), 2, JsonArray(view)).await.unwrap();
                assert_eq!(next.as_deref(), Some("1"));
                assert_eq!(memory.in_use(), bytes);
                let whole = blocks(pager(), JsonArray(view)).try_collect::<Vec<Bytes>>();
                [of_page, whole.await.unwrap().concat()]
            }))
            .await;
        for (json, count) in written.iter().zip([2, 3]) {
            let items: Vec<(usize, String)> = serde_json::from_slice(json).unwrap();
            assert_eq!(items.len(), count);
            for (at, (number, thread)) in items.iter().enumerate() {
                assert_eq!((*number, *thread == here), (at, is_here), "{bytes} bytes");
            }
        }
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
        let (pager, _) = pager_of(total, size);
        let (json, found) = page(pager, limit, JsonArray(view)).await.unwrap();
        assert_eq!((count(&json), found.as_deref()), (expected, next), "{total} {limit}");
    }
}
