// Made of docs/openapi.json by `cargo xtask openapi`.

//! Changelog.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::shared::Scheme;
use crate::{BotClient, Json, Page, ProjectClient, Result, Timestamp};

impl BotClient {
    /// Lists the latest changes of the bot, newest first.
    ///
    /// Needs the scope changelog:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_changelog(&self, query: &ListChangelogQuery) -> Result<Page<ChangelogEntry>> {
        let path = ["api", "external", "bot", "changelog"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }
}

impl ProjectClient {
    /// Lists the latest changes of the bot, newest first.
    ///
    /// Needs the scope changelog:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_changelog(
        &self,
        bot_id: Uuid,
        query: &ListChangelogQuery,
    ) -> Result<Page<ChangelogEntry>> {
        let path = ["api", "external", "projectapi", "bots", &bot_id.to_string(), "changelog"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }
}

/// The query of `list_changelog`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListChangelogQuery {
    /// Answers in `X-Total-Count` how many items there are on all pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<bool>,
    /// Only entries about this resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// Only entries with this action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Only from this time (RFC 3339) or day (UTC) on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Only until this time (RFC 3339) or day (UTC).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Answers a page of at most so many items; `Link` leads to the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Goes on where a page ended, as its `Link` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Action {
    /// `create`
    #[serde(rename = "create")]
    Create,
    /// `update`
    #[serde(rename = "update")]
    Update,
    /// `delete`
    #[serde(rename = "delete")]
    Delete,
    /// `duplicate`
    #[serde(rename = "duplicate")]
    Duplicate,
    /// `archive`
    #[serde(rename = "archive")]
    Archive,
    /// `trash`
    #[serde(rename = "trash")]
    Trash,
    /// `restore`
    #[serde(rename = "restore")]
    Restore,
    /// `upload`
    #[serde(rename = "upload")]
    Upload,
    /// `assign`
    #[serde(rename = "assign")]
    Assign,
    /// `unassign`
    #[serde(rename = "unassign")]
    Unassign,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl Action {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Duplicate => "duplicate",
            Self::Archive => "archive",
            Self::Trash => "trash",
            Self::Restore => "restore",
            Self::Upload => "upload",
            Self::Assign => "assign",
            Self::Unassign => "unassign",
            Self::Other(word) => word,
        }
    }
}

/// Who made a change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct Actor {
    /// The `_id` of the token.
    pub token_id: Uuid,
    /// What the token was called at that time.
    pub name: String,
    /// What the token is bound to.
    pub scheme: Scheme,
}

/// What it was done to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ChangedResource {
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
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl ChangedResource {
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
            Self::Other(word) => word,
        }
    }
}

/// A change as clients see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct ChangelogEntry {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Its bot.
    pub bot_id: Uuid,
    /// When it was made.
    pub at: Timestamp,
    /// The token that made the change; `null` for an operator.
    pub actor: Option<Actor>,
    /// What was done.
    pub action: Action,
    /// What it was done to.
    pub resource: ChangedResource,
    /// The `_id` of what was changed.
    pub resource_id: String,
    /// Each field that changed.
    pub changes: Vec<FieldChange>,
}

/// A field that changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct FieldChange {
    /// Its name.
    pub field: String,
    /// The value before; `null` for none. One of over 2 000 characters is cut and marked; `***` stands
    /// for a secret, and for every value of a user.
    pub from: Json,
    /// The value after, as `from` has it.
    pub to: Json,
}
