//! Events as clients see them.

use serde::{Serialize, Serializer};

use super::{EventActor, EventResource, EventType, NumberedEvent};
use crate::access::Scheme;
use crate::clock::Timestamp;
use crate::id::{BotId, EventId, ProjectId, TokenId};
use crate::json::Json;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventJson<'a> {
    #[serde(rename = "_id")]
    id: EventId,
    cursor: String,
    #[serde(rename = "type")]
    event_type: EventType,
    at: Timestamp,
    project_id: ProjectId,
    bot_id: Option<BotId>,
    resource: EventResource,
    resource_id: &'a str,
    actor: Option<ActorJson>,
    data: &'a Json,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ActorJson {
    token_id: TokenId,
    scheme: Scheme,
}

/// The number is a text, `cursor`.
impl Serialize for NumberedEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { number, event } = self;
        let actor =
            event.actor.map(|EventActor { token_id, scheme }| ActorJson { token_id, scheme });
        let json = EventJson {
            id: event.id,
            cursor: number.to_string(),
            event_type: event.event_type,
            at: event.at,
            project_id: event.project_id,
            bot_id: event.bot_id,
            resource: event.event_type.resource(),
            resource_id: &event.resource_id,
            actor,
            data: &event.data,
        };
        json.serialize(serializer)
    }
}
