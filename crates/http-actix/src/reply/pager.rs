//! Reads a list piece by piece, and makes blocks of bytes of its items.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use domain::error::DomainError;
use domain::memory::RequestMemory;
use futures_util::stream::{self, Stream};
use tokio::time::Instant;

use super::fetched::{Fetched, RemainingPages};
use super::paging::Cursor;
use super::writing::WriteList;
use crate::problem::Problem;

/// How many items one unit of work reads at most. Of large ones it reads fewer by itself.
pub(super) const READ_MAX: u32 = 500;
/// How many items with lists of their own are read at once.
pub(super) const NESTED_READ: u32 = 16;
/// How many bytes of a list go out at once.
pub(super) const BLOCK: usize = 60 << 10;
/// For how long the items of a page are looked for, and in how many fetches. Where those find little, the page ends
/// early, so that it is answered in time and the client can go on.
const PAGE_TIME: Duration = Duration::from_secs(5);
const PAGE_FETCHES: u32 = 100;
/// A page ends early once it has so many bytes, because it is held in memory until its last item, and
/// with it the header `Link`, is known.
const PAGE_BYTES: usize = 16 << 20;

/// A body on its way out.
pub(super) type Blocks = Pin<Box<dyn Stream<Item = Result<Bytes, Problem>>>>;

/// A pager along a list. No unit of work stays open while the client reads.
pub(super) struct Pager<T, K, Fetch> {
    fetch: Fetch,
    key: Box<dyn Fn(&T) -> K>,
    /// The key of the last item that was taken, or a later one if there is nothing in between.
    after: Option<K>,
    /// What was read and not taken yet.
    items: std::vec::IntoIter<T>,
    /// What there may be beyond `items`.
    remaining: RemainingPages<K>,
    /// How many more fetches there may be, and until when.
    fetches: u32,
    until: Option<Instant>,
}

impl<T, K, B, F, Fetch> Pager<T, K, Fetch>
where
    K: Cursor,
    B: Fetched<K, Item = T>,
    F: Future<Output = Result<B, DomainError>>,
    Fetch: Fn(Option<K>, u32) -> F,
{
    pub(super) fn new(after: Option<K>, fetch: Fetch, key: impl Fn(&T) -> K + 'static) -> Self {
        let items = Vec::new().into_iter();
        let (key, remaining) = (Box::new(key), RemainingPages::AfterLast);
        Self { fetch, key, after, items, remaining, fetches: u32::MAX, until: None }
    }

    /// Whether there is another item. At most `wanted` are read at once to find out. If there is none within the
    /// fetches that there may be, others may follow, see [`Self::is_cut`].
    pub(super) async fn has_next(&mut self, wanted: u32) -> Result<bool, Problem> {
        while self.items.len() == 0 {
            match mem::replace(&mut self.remaining, RemainingPages::Nothing) {
                RemainingPages::Nothing => return Ok(false),
                RemainingPages::AfterLast => {}
                RemainingPages::After(key) => self.after = Some(key),
            }
            if self.is_over() {
                self.remaining = RemainingPages::AfterLast;
                return Ok(false);
            }
            self.fetches -= 1;
            let count = wanted.min(READ_MAX);
            let fetched = (self.fetch)(self.after.clone(), count).await?;
            let (items, rest) = fetched.into_parts(count);
            (self.items, self.remaining) = (items.into_iter(), rest);
        }
        Ok(true)
    }

    /// Looks for items only as long as a page may take.
    fn bound(&mut self) {
        (self.fetches, self.until) = (PAGE_FETCHES, Some(Instant::now() + PAGE_TIME));
    }

    /// Looks for items to the end.
    pub(super) const fn unbound(&mut self) {
        (self.fetches, self.until) = (u32::MAX, None);
    }

    /// Whether a fetch has succeeded since [`Self::bound`].
    const fn has_read(&self) -> bool {
        self.fetches + 1 < PAGE_FETCHES
    }

    fn is_over(&self) -> bool {
        self.fetches == 0 || self.until.is_some_and(|until| Instant::now() > until)
    }

    /// Whether there may be items although [`Self::has_next`] has found none.
    fn is_cut(&self) -> bool {
        self.is_over() && matches!(self.remaining, RemainingPages::AfterLast)
    }

    /// Looks for the first item as long as a page may take, so that what is wrong from the start is known.
    pub(super) async fn begin(&mut self) -> Result<(), Problem> {
        self.bound();
        self.has_next(READ_MAX).await?;
        self.unbound();
        Ok(())
    }

    /// Takes the item that [`Self::has_next`] has found.
    pub(super) fn take(&mut self) -> Option<T> {
        let item = self.items.next()?;
        self.after = Some((self.key)(&item));
        Some(item)
    }

    /// Reads so many items ahead and ends the pager after them; returns the cursor of those
    /// behind, if there are any.
    pub(super) async fn end_after(&mut self, limit: u32) -> Result<Option<String>, Problem> {
        let (mut items, mut left, mut next) = (Vec::new(), limit, None);
        while self.has_next(NESTED_READ.min(left + 1)).await? {
            if left == 0 {
                next = self.after.as_ref().map(Cursor::encode);
                break;
            }
            items.extend(self.take());
            left -= 1;
        }
        (self.items, self.remaining) = (items.into_iter(), RemainingPages::Nothing);
        Ok(next)
    }
}

/// One page of a list and the cursor of the next. The item after it is read as well, to know whether
/// there is a next page.
pub(super) async fn page<T, K, B, F, Fetch>(
    mut pager: Pager<T, K, Fetch>,
    limit: u32,
    writer: &impl WriteList<T>,
) -> Result<(Vec<u8>, Option<String>), Problem>
where
    K: Cursor,
    B: Fetched<K, Item = T>,
    F: Future<Output = Result<B, DomainError>>,
    Fetch: Fn(Option<K>, u32) -> F,
{
    let (mut body, mut is_first, mut left) = (Vec::new(), true, limit);
    pager.bound();
    writer.begin(&mut body)?;
    // What the page consists of is in memory until it was sent.
    let mut held = Vec::new();
    let has_more = loop {
        match pager.has_next(left + 1).await {
            Ok(true) => {}
            Ok(false) => break pager.is_cut(),
            // There is no room in memory for more of it now; what was looked at need not be looked at again.
            Err(problem) if pager.has_read() && problem.is_overload() => break true,
            Err(problem) => return Err(problem),
        }
        held.extend(RequestMemory::take());
        if left == 0 || body.len() > PAGE_BYTES {
            break true;
        }
        if let Some(item) = pager.take() {
            writer.item(&mut body, item, is_first)?;
            is_first = false;
        }
        left -= 1;
    };
    let next = pager.after.as_ref().filter(|_| has_more).map(Cursor::encode);
    writer.end(&mut body);
    RequestMemory::keep(held);
    Ok((body, next))
}

/// A whole list as blocks of bytes, read as they are needed.
pub(super) fn blocks<T, K, B, F, Fetch>(
    pager: Pager<T, K, Fetch>,
    writer: impl WriteList<T>,
) -> impl Stream<Item = Result<Bytes, Problem>>
where
    K: Cursor,
    B: Fetched<K, Item = T>,
    F: Future<Output = Result<B, DomainError>>,
    Fetch: Fn(Option<K>, u32) -> F,
{
    // `None` once the end was written; with the pager goes how many items were written.
    stream::try_unfold(Some((pager, writer, 0_u64)), move |state| async move {
        let Some((mut pager, writer, mut count)) = state else {
            return Ok(None);
        };
        let mut block = Vec::with_capacity(BLOCK + 4096);
        if count == 0 {
            writer.begin(&mut block)?;
        }
        while pager.has_next(READ_MAX).await? {
            if block.len() >= BLOCK && count > 0 {
                return Ok(Some((Bytes::from(block), Some((pager, writer, count)))));
            }
            if let Some(item) = pager.take() {
                writer.item(&mut block, item, count == 0)?;
            }
            count += 1;
        }
        writer.end(&mut block);
        Ok::<_, Problem>(Some((Bytes::from(block), None)))
    })
}

#[cfg(test)]
pub(super) mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

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
            std::future::ready(Ok((from..to).map(|at| (Number(at), size(at))).collect()))
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
            std::future::ready(Ok((found, next)))
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
            let blocks: Vec<Bytes> = blocks(few_pages(total, wanted, &asked), JsonArray(view))
                .try_collect()
                .await
                .unwrap();
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
                page(few_pages(total, wanted, &asked), limit, &JsonArray(view)).await.unwrap();
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
            let (json, next) = page(pager, limit, &JsonArray(view)).await.unwrap();
            let found: Vec<usize> = serde_json::from_slice(&json).unwrap();
            assert_eq!((found, next.as_deref()), (expected, Some(last_seen.as_str())));
            assert_eq!(asked.borrow().len(), PAGE_FETCHES as usize);
            let mut rest = few_pages(total, wanted, &asked);
            rest.after = next.as_deref().and_then(Number::decode);
            let (json, next) = page(rest, limit, &JsonArray(view)).await.unwrap();
            assert_eq!((json.as_slice(), next), (&b"[]"[..], None));
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
            let (json, found) = page(pager, limit, &JsonArray(view)).await.unwrap();
            assert_eq!((count(&json), found.as_deref()), (expected, next), "{total} {limit}");
        }
    }
}
