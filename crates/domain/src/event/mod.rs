//! Events: what has happened in a project, in one order, for clients that react to it (`docs/events.md`).
//!
//! An event is written in the unit of work of what it is about, so it is there exactly if that was committed. It has
//! identifiers, states and counts, and never contents, names or anything of a person.

mod data;
mod event_type;
mod follower;
mod json;
mod new_events;
mod reading;
mod repository;
mod retention;
mod service;
mod tail;

pub use data::EventData;
pub use event_type::{EventResource, EventType, EventTypes};
pub use follower::{EventFollower, Followed};
pub use new_events::{ChangedProjects, NewEvents};
pub use reading::{EventFilter, EventPage, EventsFrom};
pub use repository::{EventRepository, RangeEnd};
pub use service::EventService;
pub(crate) use service::check_kept;
pub use tail::SharedEvent;
pub(crate) use tail::Tails;

use crate::access::{Actor, InProject, Scheme};
use crate::clock::Timestamp;
use crate::id::{BotId, EventId, ProjectId, TokenId};
use crate::json::Json;

/// The token by which something was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventActor {
    /// The token.
    pub token_id: TokenId,
    /// The token's scheme.
    pub scheme: Scheme,
}

impl From<&Actor> for EventActor {
    fn from(actor: &Actor) -> Self {
        Self { token_id: actor.token_id, scheme: actor.scheme }
    }
}

/// Something that has happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its identifier, the same for every reader.
    pub id: EventId,
    /// The project in which it happened.
    pub project_id: ProjectId,
    /// The bot with which it happened; `None` for what is the project's.
    pub bot_id: Option<BotId>,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub event_type: EventType,
    /// The identifier of what it happened to.
    pub resource_id: String,
    /// By whom; `None` for an operator, a job or the service itself.
    pub actor: Option<EventActor>,
    /// An [`EventData`].
    pub data: Json,
}

impl Event {
    /// What happens under this scope.
    pub(crate) fn new(
        (id, at): (EventId, Timestamp),
        scope: &impl InProject,
        event_type: EventType,
        resource_id: impl ToString,
        data: &EventData,
    ) -> Self {
        Self {
            id,
            project_id: scope.project_id(),
            bot_id: scope.bot_id(),
            at,
            event_type,
            resource_id: resource_id.to_string(),
            actor: scope.actor().map(EventActor::from),
            data: Json::of(data),
        }
    }
}

/// An event in the order of its project's events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedEvent {
    /// Its number: from 1 on, without gaps, in the order in which events were committed as far as one can be about what
    /// another did.
    pub number: u64,
    /// The event.
    pub event: Event,
}
