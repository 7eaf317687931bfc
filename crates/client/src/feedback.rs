// Made of docs/openapi.json by `cargo xtask openapi`.

//! Feedback.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{BotClient, Page, ProjectClient, Result, Timestamp};

impl BotClient {
    /// Lists what users think of the bot's messages.
    ///
    /// Needs the scope stats:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_feedback(&self, query: &ListFeedbackQuery) -> Result<Page<Feedback>> {
        let path = ["api", "external", "bot", "feedback"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }
}

impl ProjectClient {
    /// Lists what users think of the bot's messages.
    ///
    /// Needs the scope stats:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_feedback(
        &self,
        bot_id: Uuid,
        query: &ListFeedbackQuery,
    ) -> Result<Page<Feedback>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "feedback"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }
}

/// The query of `list_feedback`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListFeedbackQuery {
    /// Answers in `X-Total-Count` how many items there are on all pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<bool>,
    /// Only feedback with this rating.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rating: Option<String>,
    /// Only from this time (RFC 3339) or day (UTC) on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Only until this time (RFC 3339) or day (UTC).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The order; descending with `-`, and by `_id` where that is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Answers a page of at most so many items; `Link` leads to the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Goes on where a page ended, as its `Link` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// What a user thinks of a message, as clients see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Feedback {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its bot.
    pub bot_id: Uuid,
    /// The message, as the chat runtime calls it.
    pub message_id: String,
    /// The user's `_id`; the user need not be there any more.
    pub user_id: Option<String>,
    /// The user's guestId when this was written.
    pub guest_id: Option<String>,
    /// What the user thinks of it.
    pub rating: Rating,
    /// What the user says of it.
    pub comment: Option<String>,
    /// What the user had asked.
    pub question: Option<String>,
    /// What the bot had answered.
    pub answer: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
}

/// What a user thinks of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Rating {
    /// `up`
    #[serde(rename = "up")]
    Up,
    /// `down`
    #[serde(rename = "down")]
    Down,
    /// `none`
    #[serde(rename = "none")]
    None,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl Rating {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::None => "none",
            Self::Other(word) => word,
        }
    }
}
