//! What has happened: `projectapi/events` and `bot/events`.

mod stream;
mod ticket;

use std::borrow::Cow;

use actix_web::http::Method;
use domain::access::Scheme;
use domain::clock::Timestamp;
use domain::event::{EventFilter, EventResource, EventType, EventTypes, EventsFrom, NumberedEvent};
use domain::id::{BotId, EventId, MaxAgeRuleId, ProjectId, TokenId};
use domain::json::Json;
use serde::Serialize;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::openapi::choice::{EventResourceSchema, EventTypeSchema, SchemeSchema};
use crate::pipeline::call::Call;
use crate::pipeline::handler::reads;
use crate::pipeline::operation::{Operation, operation};
use crate::pipeline::query::{Query, QueryParams};
use crate::pipeline::scopes::EventsRead;
use crate::pipeline::target::{OnBot, OnProject};
use crate::problem::Problem;
use crate::reply::{AFTER, Feed};

/// How many events an answer has if the request does not say.
const DEFAULT_LIMIT: u32 = 100;
/// How many it has at most.
const MAX_LIMIT: u32 = 1_000;

/// The operations on events.
pub(crate) fn operations() -> Vec<Operation> {
    Vec::from([
        operation(
            Scheme::Bot,
            Method::GET,
            "/api/external/bot/events",
            ("listEventsOfBot", "Lists what has happened to the bot, oldest first"),
            reads(list_of_bot),
        ),
        operation(
            Scheme::Project,
            Method::GET,
            "/api/external/projectapi/events",
            ("listEvents", "Lists what has happened in the project, oldest first"),
            reads(list),
        ),
    ])
    .into_iter()
    .chain(stream::operations())
    .chain(ticket::operations())
    .collect()
}

async fn list(
    call: Call<OnProject<EventsRead>, OfProject<EventsQuery>>,
) -> Result<Feed<EventView>, Problem> {
    let OfProject { query: EventsQuery { selection, limit }, bot_id } = call.query;
    let Selection { types, from } = selection;
    let (filter, from) = (EventFilter { types, bot_id }, from.unwrap_or(EventsFrom::Latest));
    Ok(call.botyard.events.page(&call.target.claim, filter, from, limit).await?.into())
}

async fn list_of_bot(
    call: Call<OnBot<EventsRead>, EventsQuery>,
) -> Result<Feed<EventView>, Problem> {
    let EventsQuery { selection: Selection { types, from }, limit } = call.query;
    let filter = EventFilter { types, bot_id: None };
    let from = from.unwrap_or(EventsFrom::Latest);
    Ok(call.botyard.events.page_of_bot(&call.target.claim, filter, from, limit).await?.into())
}

/// Which events.
struct Selection {
    types: EventTypes,
    /// From where on, if the request says so.
    from: Option<EventsFrom>,
}

impl Selection {
    /// Reads the parameters; `after` describes the one that says from where on.
    fn read(params: &mut QueryParams, after: &'static str) -> Self {
        let from = params.text(AFTER, after).and_then(|text| {
            let from = from_cursor(&text);
            if from.is_none() {
                params.violation(AFTER, "is not a cursor of events");
            }
            from
        });
        let description = "Only events of these types, separated by commas; `document.*` stands for all \
                           that begin so.";
        let types = match params.text("types", description).as_deref().map(EventTypes::parse) {
            None => EventTypes::ALL,
            Some(Ok(types)) => types,
            Some(Err(word)) => {
                let word = domain::text::beginning(&word, 100);
                params.violation(
                    "types",
                    &format!("must name types of events, and `{word}` is none"),
                );
                EventTypes::ALL
            }
        };
        Self { types, from }
    }
}

/// Which events, and how many of them.
struct EventsQuery {
    selection: Selection,
    limit: u32,
}

impl Query for EventsQuery {
    fn read(params: &mut QueryParams) -> Self {
        let after = "Only events after this cursor; 0 begins with the oldest. Without it the latest are answered.";
        let selection = Selection::read(params, after);
        let description = "How many events at most; 100 without it.";
        let limit = params.integer("limit", (1, MAX_LIMIT), description);
        Self { selection, limit: limit.unwrap_or(DEFAULT_LIMIT) }
    }
}

/// Where a cursor goes on; `None` if it is none.
fn from_cursor(text: &str) -> Option<EventsFrom> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: u64 = text.parse().ok().filter(|_| is_number)?;
    Some(if number == 0 { EventsFrom::Oldest } else { EventsFrom::After(number) })
}

/// The same of a whole project.
struct OfProject<Q> {
    query: Q,
    bot_id: Option<BotId>,
}

impl<Q: Query> Query for OfProject<Q> {
    fn read(params: &mut QueryParams) -> Self {
        let query = Q::read(params);
        let bot_id = params.id("botId", "Only events with this bot of the project.");
        Self { query, bot_id }
    }
}

/// Something that has happened, as clients see it.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct EventView(NumberedEvent);

impl PartialSchema for EventView {
    fn schema() -> RefOr<Schema> {
        EventSchema::schema()
    }
}

impl ToSchema for EventView {
    fn name() -> Cow<'static, str> {
        EventSchema::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        EventSchema::schemas(schemas);
    }
}

/// Something that has happened.
#[derive(ToSchema)]
#[schema(as = Event, rename_all = "camelCase")]
#[expect(dead_code, reason = "the fields are read by the derived schema")]
struct EventSchema {
    /// The same however often it is read.
    #[schema(rename = "_id", value_type = String, format = Uuid)]
    id: EventId,
    /// Its position among the events of the project, for `after`.
    cursor: String,
    /// What has happened.
    #[schema(rename = "type", value_type = EventTypeSchema)]
    event_type: EventType,
    /// When it happened.
    #[schema(value_type = String, format = DateTime)]
    at: Timestamp,
    #[schema(value_type = String, format = Uuid)]
    project_id: ProjectId,
    /// The bot with which it happened; `null` for what is the project's.
    #[schema(value_type = Option<String>, format = Uuid)]
    bot_id: Option<BotId>,
    /// What it has happened to.
    #[schema(value_type = EventResourceSchema)]
    resource: EventResource,
    /// The `_id` of what it has happened to.
    resource_id: String,
    /// The token by which it was done; `null` for an operator or a job.
    actor: Option<EventActorView>,
    /// What else there is to say; the members depend on the type.
    #[schema(value_type = EventDataView)]
    data: Json,
}

/// The token by which something was done.
#[derive(ToSchema)]
#[schema(as = EventActor, rename_all = "camelCase")]
#[expect(dead_code, reason = "the fields are read by the derived schema")]
struct EventActorView {
    /// The `_id` of the token.
    #[schema(value_type = String, format = Uuid)]
    token_id: TokenId,
    /// What the token is bound to.
    #[schema(value_type = SchemeSchema)]
    scheme: Scheme,
}

/// What events of some types have beside what all have.
#[derive(ToSchema)]
#[schema(as = EventData, rename_all = "camelCase")]
#[expect(dead_code, reason = "the fields are read by the derived schema")]
struct EventDataView {
    /// `bot.duplicated`: the copy.
    #[schema(value_type = String, format = Uuid, required = false)]
    copy_id: BotId,
    /// `bot.created` of a copy: the bot of which it is one.
    #[schema(value_type = String, format = Uuid, required = false)]
    original_id: BotId,
    /// `crawl.finished`, `crawl.failed`: pages with content.
    #[schema(required = false)]
    pages_scraped: u32,
    /// `crawl.finished`, `crawl.failed`: pages that could not be read.
    #[schema(required = false)]
    pages_failed: u32,
    /// `document.uploaded`, `document.replaced`: the bytes of the file.
    #[schema(required = false)]
    size: u64,
    /// `document.extracted`: the chunks.
    #[schema(required = false)]
    chunk_count: u32,
    /// `crawl.finished`, `crawl.failed`, `document.extraction_failed`, `webhook.disabled`: what went wrong, in the word
    /// of the crawl, the extraction or the webhook.
    #[schema(required = false)]
    error: String,
    /// `keyval.expired`: the rule by which entries went.
    #[schema(value_type = String, format = Uuid, required = false)]
    rule_id: MaxAgeRuleId,
    /// `users.imported`, `feedback.imported`, `keyval.expired`: how many.
    #[schema(required = false)]
    count: u64,
}

impl From<NumberedEvent> for EventView {
    fn from(event: NumberedEvent) -> Self {
        Self(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_is_a_number() {
        assert_eq!(from_cursor("0"), Some(EventsFrom::Oldest));
        assert_eq!(from_cursor("7"), Some(EventsFrom::After(7)));
        let most = u64::MAX.to_string();
        assert_eq!(from_cursor(&most), Some(EventsFrom::After(u64::MAX)));
        for bad in ["", "x", "+1", "-1", "1.0", " 1", "18446744073709551616"] {
            assert_eq!(from_cursor(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_document_has_every_type_in_order() {
        let document = include_str!("../../../../docs/events.md");
        let (_, section) = document.split_once("\n## Types\n").unwrap();
        let (section, _) = section.split_once("\n## ").unwrap();
        let words: Vec<_> = section
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(word, _)| word))
            .collect();
        assert_eq!(words, EventType::WORDS);
    }
}
