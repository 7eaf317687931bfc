// Made of docs/openapi.json by `cargo xtask openapi`.

//! Bot: the operations.

mod answers;
mod bodies;

pub use self::answers::*;
pub use self::bodies::*;

use reqwest::Method;
use serde::Serialize;
use uuid::Uuid;

use crate::{BotClient, Page, ProjectClient, Result, Tagged};

impl BotClient {
    /// Returns the bot.
    ///
    /// Needs the scope bot:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_bot(&self) -> Result<Tagged<Bot>> {
        let path = ["api", "external", "bot"];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Changes the fields that the body names.
    ///
    /// Needs the scope bot:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn update_bot(&self, body: &UpdateBot) -> Result<Tagged<Bot>> {
        let path = ["api", "external", "bot"];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Deletes the bot for good, archives it, or puts it into the trash.
    ///
    /// Needs the scope bot:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_bot(&self, body: &DeleteBot) -> Result<BotDeleted> {
        let path = ["api", "external", "bot"];
        self.http.request(Method::DELETE, &path)?.json(body)?.one().await
    }

    /// Copies the bot within its project.
    ///
    /// Needs the scope bot:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn duplicate_bot(&self, body: &DuplicateBot) -> Result<Tagged<Bot>> {
        let path = ["api", "external", "bot", "duplicate"];
        self.http.request(Method::POST, &path)?.json(body)?.tagged().await
    }
}

impl ProjectClient {
    /// Lists the bots of the project.
    ///
    /// Needs the scope bots:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_bots(&self, query: &ListBotsQuery) -> Result<Page<Bot>> {
        let path = ["api", "external", "projectapi", "bots"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Creates a bot in the project.
    ///
    /// Needs the scope bots:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_bot(&self, body: &CreateBot) -> Result<Tagged<Bot>> {
        let path = ["api", "external", "projectapi", "bots"];
        self.http.request(Method::POST, &path)?.json(body)?.tagged().await
    }

    /// Returns the bot.
    ///
    /// Needs the scope bots:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_bot(&self, bot_id: Uuid) -> Result<Tagged<Bot>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string()];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Changes the fields that the body names.
    ///
    /// Needs the scope bots:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn update_bot(&self, bot_id: Uuid, body: &UpdateBot) -> Result<Tagged<Bot>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string()];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Deletes the bot for good, archives it, or puts it into the trash.
    ///
    /// Needs the scope bots:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_bot(&self, bot_id: Uuid, body: &DeleteBot) -> Result<BotDeleted> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string()];
        self.http.request(Method::DELETE, &path)?.json(body)?.one().await
    }

    /// Copies the bot within its project.
    ///
    /// Needs the scope bots:write.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn duplicate_bot(&self, bot_id: Uuid, body: &DuplicateBot) -> Result<Tagged<Bot>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "duplicate"];
        self.http.request(Method::POST, &path)?.json(body)?.tagged().await
    }
}

/// The query of `list_bots`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListBotsQuery {
    /// The order; descending with `-`, and by `_id` where that is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Only what has this in its name, in whichever case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub q: Option<String>,
    /// Only what was changed at this time (RFC 3339) or day (UTC) or later, by `updatedAt` if `sort`
    /// does not say otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_since: Option<String>,
    /// Answers in `X-Total-Count` how many items there are on all pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<bool>,
    /// Answers a page of at most so many items; `Link` leads to the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Goes on where a page ended, as its `Link` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}
