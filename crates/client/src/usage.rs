// Made of docs/openapi.json by `cargo xtask openapi`.

//! Usage.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{BotClient, Day, Page, ProjectClient, Result};

impl BotClient {
    /// Lists what the bot used, by day, kind and model.
    ///
    /// Needs the scope stats:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_usage(&self, query: &ListUsageQuery) -> Result<Page<UsageStatistic>> {
        let path = ["api", "external", "bot", "usage"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }
}

impl ProjectClient {
    /// Lists what the bot used, by day, kind and model.
    ///
    /// Needs the scope stats:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_usage(
        &self,
        bot_id: Uuid,
        query: &ListUsageQuery,
    ) -> Result<Page<UsageStatistic>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "usage"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }
}

/// The query of `list_usage`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListUsageQuery {
    /// Answers in `X-Total-Count` how many items there are on all pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<bool>,
    /// Only this day (in UTC) and later ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Day>,
    /// Only this day (in UTC) and earlier ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Day>,
    /// Answers a page of at most so many items; `Link` leads to the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Goes on where a page ended, as its `Link` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// What was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum UsageKind {
    /// `chatCompletion`
    #[serde(rename = "chatCompletion")]
    ChatCompletion,
    /// `speechSynthesis`
    #[serde(rename = "speechSynthesis")]
    SpeechSynthesis,
    /// `avatarVideo`
    #[serde(rename = "avatarVideo")]
    AvatarVideo,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl UsageKind {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::ChatCompletion => "chatCompletion",
            Self::SpeechSynthesis => "speechSynthesis",
            Self::AvatarVideo => "avatarVideo",
            Self::Other(word) => word,
        }
    }
}

/// What a bot used of one model on one day, as clients see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct UsageStatistic {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its bot.
    pub bot_id: Uuid,
    /// The day, in UTC.
    pub day: Day,
    /// What was used.
    pub kind: UsageKind,
    /// The model, as the chat runtime calls it.
    pub model: String,
    /// How many requests there were.
    pub requests: u64,
    /// How many tokens the model read.
    pub input_tokens: u64,
    /// How many tokens the model wrote.
    pub output_tokens: u64,
    /// How many characters were spoken.
    pub characters: u64,
    /// How many seconds of sound or video there were.
    pub seconds: f64,
    /// What it cost, in the currency of the installation.
    pub cost: f64,
}
