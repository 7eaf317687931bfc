//! How what a list asks for is found.

use std::collections::HashMap;
use std::future::Future;
use std::time::Duration;

use uuid::Uuid;

use super::query::{ListFilter as _, ListQuery, Listed};
use super::repository::{Candidate, ListOwner, ListSelection};
use super::sort::{ListPosition, Sort, SortField};
use super::{COUNTED_MAX, Condition, ListPart};
use crate::clock::Clock;
use crate::error::DomainError;
use crate::event::Event;
use crate::id::Identifier;
use crate::unit::Unit;

/// How many items a part of a list has at most.
const PART_MAX: u32 = 1_000;
/// How many items one unit of work filters one by one.
pub(super) const FILTERED_AT_ONCE: u32 = 500;
/// The same where a condition needs the bots of each item.
const FILTERED_BY_BOTS: u32 = 100;
/// How many bytes the items have that are read at once. Of large items fewer are read.
pub(super) const BYTES_AT_ONCE: u64 = 1 << 20;
/// How long counting may take.
const COUNT_TIME: Duration = Duration::from_millis(500);

/// What stands in lists of an owner with this scope.
pub(crate) trait ListedOf<S>: Listed {
    /// How many are read at once, until together they have a certain [`Self::weight`].
    const AT_ONCE: usize = PART_MAX as usize;

    /// How many bytes it takes beside what the database says of it.
    fn weight(&self) -> u64 {
        0
    }

    /// The items behind a position, oldest first, at most `limit`.
    fn oldest_first(
        unit: &mut Unit<'_, S>,
        after: Option<ListPosition<Self::Id>>,
        limit: u32,
    ) -> Result<ListPart<Self, Self::Id>, DomainError>;

    /// The items with these identifiers, in any order.
    fn with_ids(unit: &mut Unit<'_, S>, ids: &[Self::Id]) -> Result<Vec<Self>, DomainError>;

    /// Which item such an event of [`Listed::EVENTS`] is about.
    fn changed(event: &Event) -> Option<Self::Id> {
        Self::Id::parse(&event.resource_id)
    }
}

/// Items of a list, at most `limit`, and of large ones fewer, after `after` if that is given. There may be none
/// although others follow: the work of one unit is bounded.
pub(crate) fn part<R, S>(
    unit: &mut Unit<'_, S>,
    query: &ListQuery<R>,
    after: Option<ListPosition<R::Id>>,
    limit: u32,
) -> Result<ListPart<R, R::Id>, DomainError>
where
    R: ListedOf<S>,
    for<'a> ListOwner<'a>: From<&'a S>,
{
    if after.as_ref().is_some_and(|after| !R::is_position(query.sort(), after)) {
        return Err(DomainError::Refused("this is no position in a list of this order".to_owned()));
    }
    if query.is_plain() {
        return R::oldest_first(unit, after, limit);
    }
    let limit = limit.min(PART_MAX);
    if limit == 0 {
        return Ok((Vec::new(), after));
    }
    let (selection, begin) = selection(&unit.scope, query)?;
    let after = after.map(|position| position.map(Identifier::uuid)).max(begin);
    let asked = selection.filtered_at_once().unwrap_or(limit);
    let candidates = unit.tx.candidates(&selection, after.as_ref(), asked)?;
    let is_end = candidates.len() < asked as usize;
    let mut behind = candidates.last().filter(|_| !is_end).map(|last| last.position.clone());

    let mut found: Vec<_> =
        candidates.into_iter().filter(|candidate| matches(query, candidate)).collect();
    let sizes = found.iter().map(|candidate| candidate.bytes);
    let count = fitting(sizes).min(limit as usize);
    if count < found.len() {
        found.truncate(count);
        behind = found.last().map(|last| last.position.clone());
    }
    unit.tx.reserve_content(found.iter().map(|candidate| candidate.bytes).sum())?;

    let (mut items, mut weight) = (Vec::new(), 0);
    let mut chunks = found.chunks(R::AT_ONCE).peekable();
    while let Some(chunk) = chunks.next() {
        let ids: Vec<_> =
            chunk.iter().map(|candidate| R::Id::from(candidate.position.id)).collect();
        let some = in_order(&ids, R::with_ids(unit, &ids)?);
        weight += some.iter().map(R::weight).sum::<u64>();
        items.extend(some);
        if weight > BYTES_AT_ONCE && chunks.peek().is_some() {
            behind = chunk.last().map(|last| last.position.clone());
            break;
        }
    }
    Ok((items, behind.map(|position| position.map(R::Id::from))))
}

/// How many items of so many bytes each are read at once; the first one always is.
pub(super) fn fitting(sizes: impl Iterator<Item = u64>) -> usize {
    let mut bytes = 0;
    let is_within = |size: &u64| {
        let has_room = bytes == 0 || bytes + size <= BYTES_AT_ONCE;
        bytes += size;
        has_room
    };
    sizes.take_while(is_within).count()
}

/// How far counting has come.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counting {
    count: u32,
    examined: u32,
    after: Option<ListPosition<Uuid>>,
    is_complete: bool,
}

/// How many items a list has; `None` if it takes too long to find out. Each step is a unit of work.
pub(crate) async fn count<F>(
    clock: &dyn Clock,
    step: impl Fn(Counting) -> F,
) -> Result<Option<u32>, DomainError>
where
    F: Future<Output = Result<Counting, DomainError>>,
{
    let until = clock.now().plus(COUNT_TIME);
    let mut counting = Counting::default();
    loop {
        counting = step(counting).await?;
        if counting.is_complete {
            return Ok(Some(counting.count).filter(|count| *count <= COUNTED_MAX));
        }
        if counting.examined >= COUNTED_MAX || clock.now() > until {
            return Ok(None);
        }
    }
}

/// Counts some more of a list.
pub(crate) fn count_step<R: Listed, S>(
    unit: &mut Unit<'_, S>,
    query: &ListQuery<R>,
    mut counting: Counting,
) -> Result<Counting, DomainError>
where
    for<'a> ListOwner<'a>: From<&'a S>,
{
    // The number is the same in each order, so the one is taken that an index has.
    let (selection, begin) = selection(&unit.scope, &query.in_order_to_count())?;
    let after = counting.after.max(begin);
    let Some(at_once) = selection.filtered_at_once() else {
        let count = unit.tx.count_candidates(&selection, after.as_ref(), COUNTED_MAX + 1)?;
        return Ok(Counting { count, is_complete: true, ..Counting::default() });
    };
    let candidates = unit.tx.candidates(&selection, after.as_ref(), at_once)?;
    counting.is_complete = candidates.len() < at_once as usize;
    counting.examined += u32::try_from(candidates.len()).unwrap_or(u32::MAX);
    counting.after = candidates.last().map(|last| last.position.clone());
    let found = candidates.iter().filter(|candidate| matches(query, candidate)).count();
    counting.count += u32::try_from(found).unwrap_or(u32::MAX);
    Ok(counting)
}

/// What is asked of the database, and the position before which nothing can match.
pub(super) fn selection<'a, R: Listed, S>(
    scope: &'a S,
    query: &ListQuery<R>,
) -> Result<(ListSelection<'a>, Option<ListPosition<Uuid>>), DomainError>
where
    ListOwner<'a>: From<&'a S>,
{
    let conditions = query.filter.conditions();
    if conditions.iter().any(Condition::has_nul) {
        return Err(DomainError::Refused("U+0000 is not allowed in a text".to_owned()));
    }
    let mut selection = ListSelection {
        resource: R::RESOURCE,
        owner: scope.into(),
        sort: query.sort(),
        updated_since: query.updated_since,
        conditions,
        with_texts: query.search.is_some(),
        among: None,
    };
    let begin = if selection.sort == Sort::ascending(SortField::UpdatedAt) {
        selection.updated_since.take().map(|since| ListPosition::before(since.into()))
    } else {
        None
    };
    Ok((selection, begin))
}

impl ListSelection<'_> {
    /// How many items one unit of work filters one by one; `None` if an index finds those that match.
    pub(super) fn filtered_at_once(&self) -> Option<u32> {
        let by_bots = |condition: &Condition| matches!(condition, Condition::Assigned(_));
        if self.filters().any(by_bots) {
            return Some(FILTERED_BY_BOTS);
        }
        let is_filtered =
            self.with_texts || self.filters_update() || self.filters().next().is_some();
        is_filtered.then_some(FILTERED_AT_ONCE)
    }
}

/// Whether the list has it.
pub(super) fn matches<R: Listed>(query: &ListQuery<R>, candidate: &Candidate) -> bool {
    let texts = || candidate.texts.iter().flatten();
    candidate.meets_conditions
        && query.search.as_ref().is_none_or(|search| texts().any(|text| search.is_in(text)))
}

/// The items in the order of their identifiers. One that is gone is left out.
fn in_order<R: Listed>(ids: &[R::Id], items: Vec<R>) -> Vec<R> {
    let mut by_id: HashMap<R::Id, R> = items.into_iter().map(|item| (item.id(), item)).collect();
    ids.iter().filter_map(|id| by_id.remove(id)).collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::ready;
    use std::pin::pin;
    use std::task::{self, Poll, Waker};

    use super::*;
    use crate::testing::SetClock;

    /// Counts in steps of so many items, each of which takes so long.
    fn counted(total: u32, (of_step, millis): (u32, i64)) -> Option<u32> {
        let clock = SetClock::at(1_000);
        let now = Cell::new(1_000);
        let step = |mut counting: Counting| {
            now.set(now.get() + millis);
            clock.set(now.get());
            counting.examined += of_step;
            counting.count = total.min(counting.examined);
            counting.is_complete = counting.examined >= total;
            ready(Ok(counting))
        };
        let counted = pin!(count(&clock, step));
        // No step waits for anything.
        match counted.poll(&mut task::Context::from_waker(Waker::noop())) {
            Poll::Ready(count) => count.unwrap(),
            Poll::Pending => panic!("it waits"),
        }
    }

    #[test]
    fn what_takes_long_is_not_counted_to_the_end() {
        assert_eq!(counted(0, (500, 1)), Some(0));
        assert_eq!(counted(1_200, (500, 100)), Some(1_200));
        assert_eq!(counted(99_000, (500, 0)), Some(99_000));
        assert_eq!(counted(COUNTED_MAX, (COUNTED_MAX, 900)), Some(COUNTED_MAX));
        assert_eq!(counted(4_000, (500, 100)), None);
        assert_eq!(counted(100_500, (500, 0)), None);
        assert_eq!(counted(COUNTED_MAX + 1, (COUNTED_MAX + 1, 0)), None);
    }
}
