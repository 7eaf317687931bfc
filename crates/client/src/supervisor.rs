// Made of docs/openapi.json by `cargo xtask openapi`.

//! Supervisor.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::shared::User;
use crate::{BotClient, Page, PageQuery, Result, Timestamp};

impl BotClient {
    /// Lists the chats that a supervisor may read, the one with the latest message first.
    ///
    /// Needs the scope supervisor:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_supervisor_chats(&self, query: &PageQuery) -> Result<Page<SupervisorChat>> {
        let path = ["api", "external", "supervisor", "chats"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Returns what a supervisor may read of one user.
    ///
    /// Needs the scope supervisor:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_supervisor_chat(&self, user_id: Uuid) -> Result<SupervisorChat> {
        let path = ["api", "external", "supervisor", "chats", &user_id.to_string()];
        self.http.request(Method::GET, &path)?.one().await
    }

    /// Lists the users with a history item that a supervisor may read, oldest first.
    ///
    /// Needs the scope supervisor:read.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_supervisor_users(&self, query: &PageQuery) -> Result<Page<User>> {
        let path = ["api", "external", "supervisor", "users"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }
}

/// Who said it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Role {
    /// `user`
    #[serde(rename = "user")]
    User,
    /// `assistant`
    #[serde(rename = "assistant")]
    Assistant,
    /// `supervisor`
    #[serde(rename = "supervisor")]
    Supervisor,
    /// `system`
    #[serde(rename = "system")]
    System,
    /// A word that this version of the client does not know.
    #[serde(untagged)]
    Other(String),
}

impl Role {
    /// The word.
    pub fn as_str(&self) -> &str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Supervisor => "supervisor",
            Self::System => "system",
            Self::Other(word) => word,
        }
    }
}

/// What a supervisor may read of one user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct SupervisorChat {
    /// The user's `_id`.
    pub user_id: Uuid,
    /// The user's guestId.
    pub guest_id: String,
    /// When the latest item was written; `null` if there is none.
    pub last_at: Option<Timestamp>,
    /// What was said, oldest first.
    pub items: Vec<SupervisorChatItem>,
}

/// An item of a chat.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct SupervisorChatItem {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Who said it.
    pub role: Role,
    /// What was said.
    pub text: String,
    /// When it was created.
    pub created_at: Timestamp,
}
