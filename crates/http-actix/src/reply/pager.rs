//! Reads a list batch by batch, and makes blocks of bytes of its items.

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
use crate::pipeline::large_answer;
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
    /// How many bytes of content each of them has, on average.
    item_bytes: u64,
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
        Self { fetch, key, after, items, item_bytes: 0, remaining, fetches: u32::MAX, until: None }
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
            self.item_bytes = RequestMemory::bytes() / (items.len() as u64).max(1);
            (self.items, self.remaining) = (items.into_iter(), rest);
        }
        Ok(true)
    }

    /// Takes the item that [`Self::has_next`] has found, and writes it behind what was written before. If the items of
    /// its batch are large on average, it is written on another thread.
    async fn write_next(
        &mut self,
        writer: impl WriteList<T>,
        mut written: Vec<u8>,
        is_first: bool,
    ) -> Result<Vec<u8>, Problem>
    where
        T: Send + 'static,
    {
        let Some(item) = self.take() else { return Ok(written) };
        if !large_answer::is_large_content(self.item_bytes) {
            writer.item(&mut written, item, is_first)?;
            return Ok(written);
        }
        let bytes = usize::try_from(self.item_bytes).unwrap_or_default();
        let write = move || {
            // For one large item, a buffer that grows would have twice as many bytes; for many it must grow.
            let bytes = bytes + bytes / 16;
            if written.len() < bytes {
                written.reserve_exact(bytes);
            }
            writer.item(&mut written, item, is_first).map(|()| written)
        };
        large_answer::write_elsewhere(write).await?
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
    writer: impl WriteList<T>,
) -> Result<(Vec<u8>, Option<String>), Problem>
where
    T: Send + 'static,
    K: Cursor,
    B: Fetched<K, Item = T>,
    F: Future<Output = Result<B, DomainError>>,
    Fetch: Fn(Option<K>, u32) -> F,
{
    let (mut body, mut is_first, mut left) = (Vec::new(), true, limit);
    pager.bound();
    writer.begin(&mut body)?;
    // What the page consists of is in memory until it was sent.
    let mut reserved = Vec::new();
    let has_more = loop {
        match pager.has_next(left + 1).await {
            Ok(true) => {}
            Ok(false) => break pager.is_cut(),
            // Not enough memory is free for more of it now; what was looked at need not be looked at again.
            Err(problem) if pager.has_read() && problem.is_overload() => break true,
            Err(problem) => return Err(problem),
        }
        reserved.extend(RequestMemory::take());
        if left == 0 || body.len() > PAGE_BYTES {
            break true;
        }
        // Also if the client goes while an item is written.
        RequestMemory::keep(reserved);
        body = pager.write_next(writer, body, is_first).await?;
        reserved = RequestMemory::take();
        is_first = false;
        left -= 1;
    };
    let next = pager.after.as_ref().filter(|_| has_more).map(Cursor::encode);
    writer.end(&mut body);
    RequestMemory::keep(reserved);
    Ok((body, next))
}

/// A whole list as blocks of bytes, read as they are needed.
pub(super) fn blocks<T, K, B, F, Fetch>(
    pager: Pager<T, K, Fetch>,
    writer: impl WriteList<T>,
) -> impl Stream<Item = Result<Bytes, Problem>>
where
    T: Send + 'static,
    K: Cursor,
    B: Fetched<K, Item = T>,
    F: Future<Output = Result<B, DomainError>>,
    Fetch: Fn(Option<K>, u32) -> F,
{
    // `None` once the end was written; with the pager goes how many items were written.
    stream::try_unfold(Some((pager, 0_u64)), move |state| async move {
        let Some((mut pager, mut count)) = state else {
            return Ok(None);
        };
        let mut block = Vec::with_capacity(BLOCK + 4096);
        if count == 0 {
            writer.begin(&mut block)?;
        }
        loop {
            // Before more is read, because what is in the block counts as memory only until then.
            if block.len() >= BLOCK {
                return Ok(Some((Bytes::from(block), Some((pager, count)))));
            }
            if !pager.has_next(READ_MAX).await? {
                break;
            }
            block = pager.write_next(writer, block, count == 0).await?;
            count += 1;
        }
        writer.end(&mut block);
        Ok::<_, Problem>(Some((Bytes::from(block), None)))
    })
}

#[cfg(test)]
pub(super) mod tests;
