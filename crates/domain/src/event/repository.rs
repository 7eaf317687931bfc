//! The repository of events.

use std::ops::RangeInclusive;

use super::{Event, EventFilter, NumberedEvent};
use crate::access::{Operator, ProjectScope};
use crate::clock::Timestamp;
use crate::error::StorageError;
use crate::id::{BotId, ProjectId};

/// Events in the database.
///
/// # Contract
/// The store gives each event its number, by itself and once: in one project from 1 on, without gaps, and not before
/// the event is committed. Of two events of which one could have caused the other, because its unit saw what the
/// other's did or waited for it, the later one has the greater number. Only events with a number are read. At the
/// latest a moment after its commit an event has one, whatever other transactions are open.
pub trait EventRepository {
    /// Adds events of the project, in this order.
    fn add_events(&mut self, scope: &ProjectScope, events: &[Event]) -> Result<(), StorageError>;

    /// The numbers of the events that the project has, from the oldest to the latest; `1..=0` if it has none.
    fn event_numbers(&mut self, scope: &ProjectScope) -> Result<RangeInclusive<u64>, StorageError>;

    /// Events of the project with these numbers that match, at most `limit`: the first ones, or the last ones; oldest
    /// first either way.
    fn events(
        &mut self,
        scope: &ProjectScope,
        filter: &EventFilter,
        numbers: RangeInclusive<u64>,
        end: RangeEnd,
        limit: u32,
    ) -> Result<Vec<NumberedEvent>, StorageError>;

    /// Whether the project has this bot, in any state, or an event says that it was deleted.
    fn knows_bot(&mut self, scope: &ProjectScope, bot: BotId) -> Result<bool, StorageError>;

    /// The numbers and times of the oldest events of a project, at most `limit`, and the number of the latest one.
    fn oldest_events(
        &mut self,
        operator: Operator,
        project: ProjectId,
        limit: u32,
    ) -> Result<(Vec<(u64, Timestamp)>, u64), StorageError>;

    /// Removes events of a project up to this number; returns their number.
    fn remove_events(
        &mut self,
        operator: Operator,
        project: ProjectId,
        through: u64,
    ) -> Result<u32, StorageError>;
}

/// An end of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RangeEnd {
    /// Where the oldest are.
    First,
    /// Where the latest are.
    Last,
}
