// Made of docs/openapi.json by `cargo xtask openapi`.

//! Event: the operations.

mod answers;

pub use self::answers::*;

use reqwest::Method;
use serde::Serialize;
use uuid::Uuid;

use crate::{BotClient, Page, ProjectClient, Result};

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
