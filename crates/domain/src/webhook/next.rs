//! What is to be delivered to a webhook next.

use super::{Delivery, DeliveryStatus, StoredWebhook};
use crate::access::Operator;
use crate::clock::Timestamp;
use crate::error::{DomainError, StorageError};
use crate::event::{EventFilter, NumberedEvent, RangeEnd};
use crate::id::WebhookId;
use crate::lock::Lock;
use crate::unit::Unit;

/// Among how many numbers one unit of work looks for an event to deliver.
const NUMBERS_MAX: u64 = 20_000;
/// In how many searches of that size a change of a webhook looks for events that wait.
const SEARCHES_MAX: usize = 10;
/// How many events a search reads. Few: of those that are read, only tests of other webhooks are not sent.
const EVENTS_MAX: u32 = 10;
/// How many it reads for a webhook of some bots, because most events may be of others.
const EVENTS_MAX_FOR_BOTS: u32 = 1_000;

/// What a webhook's job does next.
pub(super) enum Next {
    /// The webhook is not there any more.
    Deleted,
    /// The webhook is disabled, and deliveries wait that have failed by that.
    Disabled,
    /// Nothing until then; nothing at all until something happens, if there is no time.
    Nothing(Option<Timestamp>),
    /// There is no event for it up to this number.
    NoneUpTo(u64),
    /// This delivery can't be tried again: its event is not kept any more.
    EventGone(Box<Delivery>),
    /// It delivers an event.
    Deliver(Box<Due>),
}

/// An event that is to be delivered now.
pub(super) struct Due {
    /// To what.
    pub(super) stored: StoredWebhook,
    /// Its delivery, if it was tried before.
    pub(super) delivery: Option<Delivery>,
    /// The event.
    pub(super) event: NumberedEvent,
}

/// The outcome of a search among the events after the cursor of a webhook.
enum SearchOutcome {
    /// There are no events after the cursor.
    AtEnd,
    /// No event up to this number is for the webhook.
    NoneUpTo(u64),
    /// The next event for the webhook.
    Found(Box<NumberedEvent>),
}

/// Looks what is next. Of a delivery that is due again and a new event, that comes first which was due first.
pub(super) fn next(
    unit: &mut Unit<'_>,
    operator: Operator,
    id: WebhookId,
) -> Result<Next, DomainError> {
    let Some(stored) = unit.tx.webhook_to_deliver(operator, id, Lock::None)? else {
        return Ok(Next::Deleted);
    };
    let now = unit.now();
    let waiting = unit.tx.first_due_delivery(&stored.scope(), id)?;
    if !stored.webhook.fields.enabled {
        return Ok(waiting.map_or(Next::Nothing(None), |_| Next::Disabled));
    }
    let due_at = waiting.as_ref().and_then(|delivery| delivery.next_attempt_at);
    let found =
        if is_held_up(unit, &stored)? { SearchOutcome::AtEnd } else { find(unit, &stored)? };
    // What the search is to go on with is due now.
    let event_at = match &found {
        SearchOutcome::Found(event) => event.event.at,
        SearchOutcome::AtEnd | SearchOutcome::NoneUpTo(_) => now,
    };
    if let Some(delivery) = waiting.filter(|_| due_at.is_some_and(|due| due <= now.min(event_at))) {
        return retry(unit, stored, delivery);
    }
    Ok(match found {
        SearchOutcome::AtEnd => Next::Nothing(due_at),
        SearchOutcome::NoneUpTo(number) => Next::NoneUpTo(number),
        SearchOutcome::Found(event) => {
            Next::Deliver(Box::new(Due { stored, delivery: None, event: *event }))
        }
    })
}

/// A delivery that is due again.
fn retry(
    unit: &mut Unit<'_>,
    stored: StoredWebhook,
    delivery: Delivery,
) -> Result<Next, DomainError> {
    let (number, all) = (delivery.event_number, EventFilter::default());
    let found = unit.tx.events(&stored.scope(), &all, number..=number, RangeEnd::First, 1)?;
    Ok(match found.into_iter().next() {
        None => Next::EventGone(Box::new(delivery)),
        Some(event) => Next::Deliver(Box::new(Due { stored, delivery: Some(delivery), event })),
    })
}

/// Whether events wait for a delivery before them.
fn is_held_up(unit: &mut Unit<'_>, stored: &StoredWebhook) -> Result<bool, StorageError> {
    let Some(blocked_by) = stored.state.blocked_by else { return Ok(false) };
    let of = (stored.webhook.id, blocked_by);
    // It may have gone with its event.
    let delivery = unit.tx.delivery(&stored.scope(), of)?;
    Ok(delivery.is_some_and(|delivery| delivery.status == DeliveryStatus::Waiting))
}

/// Looks for the next event behind the cursor that the webhook is sent.
fn find<S>(unit: &mut Unit<'_, S>, stored: &StoredWebhook) -> Result<SearchOutcome, StorageError> {
    let (scope, webhook) = (stored.scope(), &stored.webhook);
    let latest = *unit.tx.event_numbers(&scope)?.end();
    let first = stored.state.cursor.saturating_add(1);
    if first > latest {
        return Ok(SearchOutcome::AtEnd);
    }
    let last = latest.min(first.saturating_add(NUMBERS_MAX - 1));
    let filter = webhook.filter();
    let limit = if filter.is_of_all_bots() { EVENTS_MAX } else { EVENTS_MAX_FOR_BOTS };
    let sought = EventFilter { types: filter.types(), bot_id: None };
    let events = unit.tx.events(&scope, &sought, first..=last, RangeEnd::First, limit)?;
    let searched = match events.last() {
        Some(event) if events.len() >= limit as usize => event.number,
        Some(_) | None => last,
    };
    let wanted = events.into_iter().find(|event| filter.wants(&event.event));
    Ok(wanted
        .map_or(SearchOutcome::NoneUpTo(searched), |event| SearchOutcome::Found(Box::new(event))))
}

/// The number of the latest event, if no event after the cursor of a webhook is for it; `None` if one is, or if there are
/// more of them than are searched at once.
pub(super) fn numbers_without_match<S>(
    unit: &mut Unit<'_, S>,
    stored: &StoredWebhook,
) -> Result<Option<u64>, StorageError> {
    let latest = *unit.tx.event_numbers(&stored.scope())?.end();
    let mut moved = stored.clone();
    for _ in 0..SEARCHES_MAX {
        match find(unit, &moved)? {
            SearchOutcome::NoneUpTo(number) => moved.state.cursor = number,
            SearchOutcome::AtEnd => return Ok(Some(latest)),
            SearchOutcome::Found(_) => return Ok(None),
        }
    }
    Ok(None)
}
