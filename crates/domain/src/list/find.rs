//! How what a list asks for is found.

use std::collections::HashMap;

use super::query::{ListFilter as _, ListQuery, Listed};
use super::repository::{Candidate, ListOwner, ListSelection};
use super::sort::{Place, Sort, SortField};
use super::{COUNTED_MAX, ListPart};
use crate::error::{DomainError, StorageError};
use crate::id::Identifier;
use crate::unit::Unit;

/// How many items one unit of work judges, one by one.
const JUDGED_AT_ONCE: u32 = 1_000;
/// How many items are judged to count those that are meant.
const JUDGED_FOR_COUNT: u32 = 10_000;
/// How many bytes the items have that are read at once. Of large items fewer are read.
const BYTES_AT_ONCE: u64 = 1 << 20;

/// What stands in lists of an owner with this scope.
pub(crate) trait ListedOf<S>: Listed {
    /// How many are read at once at most.
    const AT_ONCE: u32 = u32::MAX;

    /// The items behind a place, oldest first, at most `limit`.
    fn oldest_first(
        unit: &mut Unit<'_, S>,
        after: Option<Place<Self::Id>>,
        limit: u32,
    ) -> Result<ListPart<Self, Self::Id>, DomainError>;

    /// The items with these identifiers, in any order.
    fn with_ids(unit: &mut Unit<'_, S>, ids: &[Self::Id]) -> Result<Vec<Self>, DomainError>;
}

/// Items of a list, at most `limit`, and of large ones fewer, after `after` if that is given. There may be none although
/// others follow: the work of one unit is bounded.
pub(crate) fn part<R, S>(
    unit: &mut Unit<'_, S>,
    query: &ListQuery<R>,
    after: Option<Place<R::Id>>,
    limit: u32,
) -> Result<ListPart<R, R::Id>, DomainError>
where
    R: ListedOf<S>,
    for<'a> ListOwner<'a>: From<&'a S>,
{
    if after.as_ref().is_some_and(|after| !R::is_place(query.sort(), after)) {
        return Err(DomainError::Refused("this is no place of a list in this order".to_owned()));
    }
    if query.is_plain() {
        return R::oldest_first(unit, after, limit);
    }
    let limit = limit.min(R::AT_ONCE);
    let mut selection = selection(&unit.scope, query);
    let mut after = after.map(|place| place.map(Identifier::uuid));
    if selection.sort == Sort::ascending(SortField::UpdatedAt) {
        // The list begins behind what can't have been changed later. As another condition, SQLite would go there and read
        // all up to the place once more.
        let since = selection.updated_since.take().map(|since| Place::before(since.into()));
        after = after.max(since);
    }
    let asked = if selection.is_judged() { limit.max(JUDGED_AT_ONCE) } else { limit };
    let candidates = unit.tx.candidates(&selection, after.as_ref(), asked)?;
    let is_end = candidates.len() < asked as usize;
    let behind = candidates.last().map(|candidate| candidate.place.clone());
    let mut found =
        candidates.into_iter().filter(|candidate| is_meant(query, candidate)).peekable();
    let (mut ids, mut bytes, mut last) = (Vec::new(), 0, None);
    while let Some(candidate) = found.next_if(|next| {
        ids.len() < limit as usize && (ids.is_empty() || bytes + next.bytes <= BYTES_AT_ONCE)
    }) {
        bytes += candidate.bytes;
        ids.push(candidate.place.id.into());
        last = Some(candidate.place);
    }
    let next = match found.peek() {
        Some(_) => last,
        None if is_end => None,
        None => behind,
    };
    unit.tx.hold_content(bytes)?;
    let items = R::with_ids(unit, &ids)?;
    Ok((in_order(&ids, items), next.map(|place| place.map(R::Id::from))))
}

/// How many items a list has; `None` if that would take long to find out.
pub(crate) fn count<R: Listed, S>(
    unit: &mut Unit<'_, S>,
    query: &ListQuery<R>,
) -> Result<Option<u32>, StorageError>
where
    for<'a> ListOwner<'a>: From<&'a S>,
{
    let selection = selection(&unit.scope, query);
    if !selection.is_judged() {
        let count = unit.tx.count_candidates(&selection, COUNTED_MAX + 1)?;
        return Ok(Some(count).filter(|count| *count <= COUNTED_MAX));
    }
    let candidates = unit.tx.candidates(&selection, None, JUDGED_FOR_COUNT + 1)?;
    if candidates.len() > JUDGED_FOR_COUNT as usize {
        return Ok(None);
    }
    let found = candidates.iter().filter(|candidate| is_meant(query, candidate)).count();
    Ok(u32::try_from(found).ok())
}

fn selection<'a, R: Listed, S>(scope: &'a S, query: &ListQuery<R>) -> ListSelection<'a>
where
    ListOwner<'a>: From<&'a S>,
{
    ListSelection {
        resource: R::RESOURCE,
        owner: scope.into(),
        sort: query.sort(),
        updated_since: query.updated_since,
        conditions: query.filter.conditions(),
        with_texts: query.search.is_some(),
    }
}

impl ListSelection<'_> {
    /// Whether items are judged one by one, because no index finds those that are meant.
    fn is_judged(&self) -> bool {
        self.with_texts || self.conditions.iter().any(|condition| condition.is_assigned().is_some())
    }
}

/// Whether the list has it.
fn is_meant<R: Listed>(query: &ListQuery<R>, candidate: &Candidate) -> bool {
    let texts = || candidate.texts.iter().flatten();
    candidate.meets_conditions
        && query.search.as_ref().is_none_or(|search| texts().any(|text| search.is_in(text)))
}

/// The items in the order of their identifiers. One that is gone is left out.
fn in_order<R: Listed>(ids: &[R::Id], items: Vec<R>) -> Vec<R> {
    let mut by_id: HashMap<R::Id, R> = items.into_iter().map(|item| (item.id(), item)).collect();
    ids.iter().filter_map(|id| by_id.remove(id)).collect()
}
