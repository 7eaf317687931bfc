//! Reading events, and removing old ones.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use super::repository::RangeEnd;
use super::retention::Retention;
use super::{EventFilter, EventPage, EventsFrom, NumberedEvent};
use crate::access::{BotClaim, Operator, ProjectClaim};
use crate::context::Context;
use crate::dirty_set::TrimmedBatch;
use crate::error::{DomainError, StorageError};
use crate::id::ProjectId;
use crate::store::Repositories;
use crate::unit::ProjectUnit;
use crate::violation::Violations;

/// How many events one unit of work looks at.
const SEARCHED_AT_ONCE: u64 = 20_000;

/// How long one request searches for events that match. After that, it is answered with what was found and a cursor.
const READ_TIME: Duration = Duration::from_secs(5);

/// How many events one unit of work removes, so that other writers need not wait long.
const REMOVE_BATCH: u32 = 500;

/// Events.
#[derive(Clone)]
pub struct EventService {
    pub(super) context: Arc<Context>,
}

/// What one unit of work looks for.
#[derive(Clone, Copy)]
struct EventSearch {
    filter: EventFilter,
    from: SearchFrom,
    limit: u32,
}

/// Where it looks.
#[derive(Clone, Copy)]
enum SearchFrom {
    /// From there on.
    Begin(EventsFrom),
    /// From this number back.
    Back(u64),
}

/// What one unit of work found.
struct SearchPage {
    events: Vec<NumberedEvent>,
    /// The numbers that were searched.
    searched: RangeInclusive<u64>,
    /// The numbers that there are.
    kept: RangeInclusive<u64>,
}

impl EventService {
    pub(crate) const fn new(context: Arc<Context>) -> Self {
        Self { context }
    }

    /// Events of the project that match, oldest first, at most `limit`. Where few match, there can be fewer although
    /// there are more.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project is not there, [`DomainError::Invalid`] if it never had the bot that the
    /// filter names, [`DomainError::CursorExpired`] if not all events from there on are kept.
    pub async fn page(
        &self,
        claim: &ProjectClaim,
        filter: EventFilter,
        from: EventsFrom,
        limit: u32,
    ) -> Result<EventPage, DomainError> {
        let read = async |search| {
            let work = move |unit: &mut ProjectUnit<'_>| {
                check_bot(unit, filter)?;
                find(unit, search)
            };
            self.context.read_claimed(claim, work).await
        };
        self.collect(filter, from, limit, read).await
    }

    /// Events with the bot that match, as [`Self::page`].
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the bot is not there, [`DomainError::CursorExpired`] if not all events from there
    /// on are kept.
    pub async fn page_of_bot(
        &self,
        claim: &BotClaim,
        filter: EventFilter,
        from: EventsFrom,
        limit: u32,
    ) -> Result<EventPage, DomainError> {
        let filter = EventFilter { bot_id: Some(claim.bot_id()), ..filter };
        let read = async |search| {
            self.context.read_claimed(claim, move |unit| find(&mut unit.of_project(), search)).await
        };
        self.collect(filter, from, limit, read).await
    }

    /// The number of the latest event of the project; 0 if it has none. Everything that it and those before it are
    /// about is seen by what is read afterwards.
    ///
    /// # Errors
    /// [`DomainError::NotFound`] if the project is not there.
    pub async fn latest(&self, claim: &ProjectClaim) -> Result<u64, DomainError> {
        self.context
            .read_claimed(claim, move |unit| Ok(*unit.tx.event_numbers(&unit.scope)?.end()))
            .await
    }

    /// Looks unit by unit, until there are enough events, or no more, or time is up.
    async fn collect(
        &self,
        filter: EventFilter,
        from: EventsFrom,
        limit: u32,
        read: impl AsyncFn(EventSearch) -> Result<SearchPage, DomainError>,
    ) -> Result<EventPage, DomainError> {
        let until = self.context.clock.now().plus(READ_TIME);
        let mut search = EventSearch { filter, from: SearchFrom::Begin(from), limit };
        let mut part = read(search).await?;
        let latest = *part.kept.end();
        let mut events = std::mem::take(&mut part.events);
        loop {
            let (first, last) = part.searched.clone().into_inner();
            let has_reached_end = match from {
                EventsFrom::Latest => first <= *part.kept.start(),
                EventsFrom::Oldest | EventsFrom::After(_) => last >= *part.kept.end(),
            };
            search.limit = limit.saturating_sub(u32::try_from(events.len()).unwrap_or(u32::MAX));
            if has_reached_end || search.limit == 0 {
                break;
            }
            if self.context.clock.now() >= until {
                if from == EventsFrom::Latest {
                    // There is no cursor to go on backwards, so a part of the answer would be of no use.
                    return Err(StorageError::Overloaded.into());
                }
                break;
            }
            search.from = match from {
                EventsFrom::Latest => SearchFrom::Back(first - 1),
                EventsFrom::Oldest | EventsFrom::After(_) => {
                    SearchFrom::Begin(EventsFrom::After(last))
                }
            };
            part = match read(search).await {
                Ok(part) => part,
                // Events that were found so far are returned; the next request gets the error.
                Err(DomainError::CursorExpired(_)) => break,
                Err(error) => return Err(error),
            };
            let found = std::mem::take(&mut part.events);
            match from {
                EventsFrom::Latest => drop(events.splice(..0, found)),
                EventsFrom::Oldest | EventsFrom::After(_) => events.extend(found),
            }
        }
        let read_through = match from {
            EventsFrom::Latest => latest,
            EventsFrom::Oldest | EventsFrom::After(_) => *part.searched.end(),
        };
        Ok(EventPage { events, read_through, has_more: read_through < *part.kept.end() })
    }

    /// Puts every project on the list for [`Self::trim`].
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails.
    pub async fn mark_all_for_trim(&self, operator: Operator) -> Result<(), DomainError> {
        let projects = self.context.store.read(move |tx| Ok(tx.projects(operator, None)?)).await?;
        for project in projects {
            self.context.projects_with_events.mark(project.id);
        }
        Ok(())
    }

    /// Removes events that are older than [`Limits::events_keep`](crate::Limits::events_keep), and beyond the latest
    /// [`Limits::events_per_project`](crate::Limits::events_per_project), of projects that had new ones since the last
    /// call or were found by [`Self::mark_all_for_trim`]; returns their number. The latest event of a project always
    /// stays.
    ///
    /// # Errors
    /// [`DomainError::Storage`] if the database fails; the next call goes on with the projects that were not reached.
    pub async fn trim(&self, operator: Operator) -> Result<u64, DomainError> {
        let trim_batch = |project| async move {
            let removed = self.trim_project(operator, project).await?;
            Ok(TrimmedBatch { removed, has_more: removed >= REMOVE_BATCH })
        };
        self.context.projects_with_events.trim(trim_batch).await
    }

    /// Removes one batch of a project's events.
    async fn trim_project(
        &self,
        operator: Operator,
        project: ProjectId,
    ) -> Result<u32, DomainError> {
        let Context { clock, limits, store, .. } = &*self.context;
        let retention = Retention {
            now: clock.now(),
            keep: limits.events_keep,
            most: limits.events_per_project,
        };
        let find = move |tx: &mut dyn Repositories| {
            Ok(tx.oldest_events(operator, project, REMOVE_BATCH)?)
        };
        let (oldest, latest) = store.read(find).await?;
        let Some(through) = retention.through(&oldest, latest) else {
            return Ok(0);
        };
        let remove = move |tx: &mut dyn Repositories| {
            // A delivery needs its event, so it goes first.
            let deliveries = tx.remove_deliveries(operator, project, through, REMOVE_BATCH)?;
            if deliveries >= REMOVE_BATCH {
                return Ok(deliveries);
            }
            Ok(tx.remove_events(operator, project, through)?)
        };
        store.write(remove).await
    }
}

/// Checks that all events after this number are kept, and that there was an event of it.
pub(crate) fn check_kept(number: u64, kept: &RangeInclusive<u64>) -> Result<(), DomainError> {
    let (oldest, latest) = (*kept.start(), *kept.end());
    if number > latest || number + 1 < oldest {
        return Err(DomainError::CursorExpired(oldest - 1));
    }
    Ok(())
}

/// Checks that the project has, or had, the bot that a filter names.
pub(super) fn check_bot(
    unit: &mut ProjectUnit<'_>,
    filter: EventFilter,
) -> Result<(), DomainError> {
    let Some(bot) = filter.bot_id else { return Ok(()) };
    if unit.tx.knows_bot(&unit.scope, bot)? {
        return Ok(());
    }
    let mut violations = Violations::none();
    violations.query("botId", "The parameter `botId` must be the `_id` of a bot of the project.");
    Err(violations.into())
}

fn find(unit: &mut ProjectUnit<'_>, search: EventSearch) -> Result<SearchPage, DomainError> {
    let kept = unit.tx.event_numbers(&unit.scope)?;
    let (oldest, latest) = (*kept.start(), *kept.end());
    let (end, searched) = match search.from {
        SearchFrom::Begin(EventsFrom::Latest) => (RangeEnd::Last, back_from(latest, oldest)),
        SearchFrom::Back(last) => (RangeEnd::Last, back_from(last, oldest)),
        SearchFrom::Begin(EventsFrom::Oldest) => (RangeEnd::First, on_from(oldest, latest)),
        SearchFrom::Begin(EventsFrom::After(number)) => {
            check_kept(number, &kept)?;
            (RangeEnd::First, on_from(number + 1, latest))
        }
    };
    let EventSearch { filter, limit, .. } = search;
    let events = unit.tx.events(&unit.scope, &filter, searched.clone(), end, limit)?;
    // What lies beyond the last one that there was room for was not searched.
    let is_full = events.len() == limit as usize;
    let searched = match events.last() {
        Some(last) if is_full && end == RangeEnd::First => *searched.start()..=last.number,
        Some(_) | None => searched,
    };
    Ok(SearchPage { events, searched, kept })
}

/// Looks once for events after this number that match, at most `limit`.
pub(super) fn find_after(
    unit: &mut ProjectUnit<'_>,
    filter: EventFilter,
    number: u64,
    limit: u32,
) -> Result<EventPage, DomainError> {
    let from = SearchFrom::Begin(EventsFrom::After(number));
    let SearchPage { events, searched, kept } = find(unit, EventSearch { filter, from, limit })?;
    let read_through = (*searched.end()).max(number);
    Ok(EventPage { events, read_through, has_more: read_through < *kept.end() })
}

fn on_from(first: u64, latest: u64) -> RangeInclusive<u64> {
    first..=latest.min(first.saturating_add(SEARCHED_AT_ONCE - 1))
}

fn back_from(last: u64, oldest: u64) -> RangeInclusive<u64> {
    oldest.max(last.saturating_sub(SEARCHED_AT_ONCE - 1))..=last
}
