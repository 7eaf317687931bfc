//! What has changed in a list since it was read: what the events are about that have happened since.
//!
//! A change has its event in its own transaction, so none is missed, also one that was committed late. The times of
//! changes would not do: they are of clocks, and of the beginning of a transaction.

use std::collections::HashMap;

use uuid::Uuid;

use super::find::{BYTES_AT_ONCE, FILTERED_AT_ONCE, ListedOf, fitting, matches, selection};
use super::query::{ListQuery, Listed};
use super::repository::{Candidate, ListOwner};
use super::sort::Sort;
use crate::access::InProject;
use crate::error::DomainError;
use crate::event::{EventFilter, EventTypes, NumberedEvent, RangeEnd, check_kept};
use crate::id::Identifier as _;
use crate::unit::Unit;

/// How many events one unit of work looks at.
const SEARCHED_AT_ONCE: u64 = 20_000;

/// The events through which a list is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventRange {
    /// Events up to this number are known.
    pub after: u64,
    /// The last one that is read.
    pub through: u64,
}

/// What a part of the events has changed.
#[derive(Debug, Clone, PartialEq)]
pub struct ListChanges<R> {
    /// What is in the list and has changed, each once, with the number of the last event about it in this part: what
    /// comes later is after that.
    pub items: Vec<(R, u64)>,
    /// Up to which number events were read.
    pub read_through: u64,
}

/// What has changed in a list, by at most `limit` events; there may be nothing although more follows. The order of the
/// query and its [`ListQuery::updated_since`] do not matter.
pub(crate) fn follow<R, S>(
    unit: &mut Unit<'_, S>,
    query: &ListQuery<R>,
    EventRange { after, through }: EventRange,
    limit: u32,
) -> Result<ListChanges<R>, DomainError>
where
    R: ListedOf<S>,
    S: InProject,
    for<'a> ListOwner<'a>: From<&'a S>,
{
    let scope = unit.scope.in_project();
    let kept = unit.tx.event_numbers(&scope)?;
    check_kept(after, &kept)?;
    let numbers = after + 1..=through.min(after.saturating_add(SEARCHED_AT_ONCE));
    let types = EventTypes::of(R::EVENTS).with(EventTypes::of(R::BULK_EVENTS));
    let filter = EventFilter { types, bot_id: unit.scope.bot_id() };
    let limit = limit.clamp(1, FILTERED_AT_ONCE);
    let mut events = unit.tx.events(&scope, &filter, numbers.clone(), RangeEnd::First, limit)?;
    let mut read_through = match events.last() {
        Some(last) if events.len() == limit as usize => last.number,
        Some(_) | None => (*numbers.end()).max(after),
    };
    let is_bulk = |found: &NumberedEvent| R::BULK_EVENTS.contains(&found.event.event_type);
    if let Some(position) = events.iter().position(is_bulk) {
        // It does not say what it is about, so the list has to be read anew.
        let number = events.split_off(position).first().map_or(after, |bulk| bulk.number);
        if position == 0 {
            return Err(DomainError::CursorExpired(number));
        }
        read_through = number - 1;
    }
    let changed = last_changes::<R, S>(&events);
    let candidates = candidates(unit, query, &changed)?;
    let found: Vec<_> = changed
        .iter()
        .filter_map(|(id, number)| Some((candidates.get(&id.uuid())?.bytes, *id, *number)))
        .collect();
    let count = fitting(found.iter().map(|(bytes, ..)| *bytes));
    let (found, later) = found.split_at_checked(count).unwrap_or_default();
    if let (Some((.., last)), Some(_)) = (found.last(), later.first()) {
        read_through = *last;
    }
    unit.tx.reserve_content(found.iter().map(|(bytes, ..)| bytes).sum())?;
    let (mut items, mut weight) = (Vec::new(), 0);
    let mut chunks = found.chunks(R::AT_ONCE).peekable();
    while let Some(chunk) = chunks.next() {
        let ids: Vec<_> = chunk.iter().map(|(_, id, _)| *id).collect();
        let mut by_id: HashMap<_, _> =
            R::with_ids(unit, &ids)?.into_iter().map(|item| (item.id(), item)).collect();
        weight += by_id.values().map(R::weight).sum::<u64>();
        let some = chunk.iter().filter_map(|(_, id, number)| Some((by_id.remove(id)?, *number)));
        items.extend(some);
        if let Some((.., last)) = chunk.last().filter(|_| weight > BYTES_AT_ONCE)
            && chunks.peek().is_some()
        {
            read_through = *last;
            break;
        }
    }
    Ok(ListChanges { items, read_through })
}

/// What events are about, each once and with the number of the last event about it, in the order of those numbers.
fn last_changes<R: ListedOf<S>, S>(events: &[NumberedEvent]) -> Vec<(R::Id, u64)> {
    let changed = |found: &NumberedEvent| Some((R::changed(&found.event)?, found.number));
    let last: HashMap<_, _> = events.iter().filter_map(changed).collect();
    let mut last: Vec<_> = last.into_iter().collect();
    last.sort_unstable_by_key(|(_, number)| *number);
    last
}

/// Those of them that the list has.
fn candidates<R: Listed, S>(
    unit: &mut Unit<'_, S>,
    query: &ListQuery<R>,
    changed: &[(R::Id, u64)],
) -> Result<HashMap<Uuid, Candidate>, DomainError>
where
    for<'a> ListOwner<'a>: From<&'a S>,
{
    let mut oldest_first = query.clone().sorted(Sort::OLDEST_FIRST).unwrap_or_default();
    oldest_first.updated_since = None;
    let ids: Vec<_> = changed.iter().map(|(id, _)| id.uuid()).collect();
    let mut found = HashMap::new();
    for some in ids.chunks(FILTERED_AT_ONCE as usize) {
        let (mut selection, _) = selection(&unit.scope, &oldest_first)?;
        selection.among = Some(some);
        let candidates = unit.tx.candidates(&selection, None, FILTERED_AT_ONCE)?;
        let matching = candidates.into_iter().filter(|candidate| matches(&oldest_first, candidate));
        found.extend(matching.map(|candidate| (candidate.position.id, candidate)));
    }
    Ok(found)
}
