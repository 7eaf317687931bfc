// Made of docs/openapi.json by `cargo xtask openapi`.

//! Event.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::shared::{EventType, Scheme};
use crate::{BotClient, Page, ProjectClient, Result, Timestamp};

impl BotClient {
    /// Lists what has happened to the bot, oldest first.
    ///
    /// Needs the scope events:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_events_of_bot(&self, query: &ListEventsOfBotQuery) -> Result<Page<Event>> {
        let path = ["api", "external", "bot", "events"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Makes a ticket, with which a stream of events is opened once without a token.
    ///
    /// Needs the scope events:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_event_ticket_of_bot(&self) -> Result<EventTicket> {
        let path = ["api", "external", "bot", "events", "ticket"];
        self.http.request(Method::POST, &path)?.one().await
    }
}

impl ProjectClient {
    /// Lists what has happened in the project, oldest first.
    ///
    /// Needs the scope events:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_events(&self, query: &ListEventsQuery) -> Result<Page<Event>> {
        let path = ["api", "external", "projectapi", "events"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Makes a ticket, with which a stream of events is opened once without a token.
    ///
    /// Needs the scope events:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_event_ticket(&self) -> Result<EventTicket> {
        let path = ["api", "external", "projectapi", "events", "ticket"];
        self.http.request(Method::POST, &path)?.one().await
    }
}

/// The query of `list_events_of_bot`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListEventsOfBotQuery {
    /// Only events after this cursor; 0 begins with the oldest. Without it the latest are answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Only events of these types, separated by commas; `document.*` stands for all that begin so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<String>,
    /// How many events at most; 100 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// The query of `list_events`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListEventsQuery {
    /// Only events after this cursor; 0 begins with the oldest. Without it the latest are answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Only events of these types, separated by commas; `document.*` stands for all that begin so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types: Option<String>,
    /// How many events at most; 100 without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Only events with this bot of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bot_id: Option<Uuid>,
}

/// Something that has happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The same however often it is read.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its position among the events of the project, for `after`.
    pub cursor: String,
    /// What has happened.
    pub r#type: EventType,
    /// When it happened.
    pub at: Timestamp,
    /// Its project.
    pub project_id: Uuid,
    /// The bot with which it happened; `null` for what is the project's.
    pub bot_id: Option<Uuid>,
    /// What it has happened to.
    pub resource: EventResource,
    /// The `_id` of what it has happened to.
    pub resource_id: String,
    /// The token by which it was done; `null` for an operator or a job.
    pub actor: Option<EventActor>,
    /// What else there is to say; the members depend on the type.
    pub data: EventData,
}

/// The token by which something was done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct EventActor {
    /// The `_id` of the token.
    pub token_id: Uuid,
    /// What the token is bound to.
    pub scheme: Scheme,
}

/// What events of some types have beside what all have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct EventData {
    /// `bot.duplicated`: the copy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copy_id: Option<Uuid>,
    /// `bot.created` of a copy: the bot of which it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub original_id: Option<Uuid>,
    /// `crawl.finished`, `crawl.failed`: pages with content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_scraped: Option<u32>,
    /// `crawl.finished`, `crawl.failed`: pages that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_failed: Option<u32>,
    /// `document.uploaded`, `document.replaced`: the bytes of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// `document.extracted`: the chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk_count: Option<u32>,
    /// `crawl.finished`, `crawl.failed`, `document.extraction_failed`, `webhook.disabled`: what went
    /// wrong, in the word of the crawl, the extraction or the webhook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// `keyval.expired`: the rule by which entries went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule_id: Option<Uuid>,
    /// `users.imported`, `feedback.imported`, `keyval.expired`: how many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// What it has happened to: a word of the changelog, or one of those that have no changelog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum EventResource {
    /// `bot`
    #[serde(rename = "bot")]
    Bot,
    /// `skill`
    #[serde(rename = "skill")]
    Skill,
    /// `stage`
    #[serde(rename = "stage")]
    Stage,
    /// `fusion`
    #[serde(rename = "fusion")]
    Fusion,
    /// `embedding`
    #[serde(rename = "embedding")]
    Embedding,
    /// `document`
    #[serde(rename = "document")]
    Document,
    /// `user`
    #[serde(rename = "user")]
    User,
    /// `feedback`
    #[serde(rename = "feedback")]
    Feedback,
    /// `keyval`
    #[serde(rename = "keyval")]
    Keyval,
    /// `token`
    #[serde(rename = "token")]
    Token,
    /// `webhook`
    #[serde(rename = "webhook")]
    Webhook,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl EventResource {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Bot => "bot",
            Self::Skill => "skill",
            Self::Stage => "stage",
            Self::Fusion => "fusion",
            Self::Embedding => "embedding",
            Self::Document => "document",
            Self::User => "user",
            Self::Feedback => "feedback",
            Self::Keyval => "keyval",
            Self::Token => "token",
            Self::Webhook => "webhook",
            Self::Other(word) => word,
        }
    }
}

/// What stands for a token once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct EventTicket {
    /// The ticket, for the parameter `ticket`.
    pub ticket: String,
    /// When it is not valid any more.
    pub expires_at: Timestamp,
}
