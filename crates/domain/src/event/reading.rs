//! What readers ask of the events of a project, and what they get.

use super::{Event, EventTypes, NumberedEvent};
use crate::id::BotId;

/// Which events are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventFilter {
    /// Only of these types.
    pub types: EventTypes,
    /// Only with this bot.
    pub bot_id: Option<BotId>,
}

impl EventFilter {
    /// Whether an event is looked for.
    #[must_use]
    pub fn matches(&self, event: &Event) -> bool {
        self.types.contains(event.event_type)
            && self.bot_id.is_none_or(|bot| event.bot_id == Some(bot))
    }
}

impl Default for EventFilter {
    /// All of them.
    fn default() -> Self {
        Self { types: EventTypes::ALL, bot_id: None }
    }
}

/// From where events are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventsFrom {
    /// The oldest that is kept.
    Oldest,
    /// The one after the event of this number.
    After(u64),
    /// So far back that the latest ones are read.
    Latest,
}

/// Some events of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventPage {
    /// Those that match, oldest first.
    pub events: Vec<NumberedEvent>,
    /// Up to which number events were read: what comes later is after it.
    pub read_through: u64,
    /// Whether there are events after it already.
    pub has_more: bool,
}
