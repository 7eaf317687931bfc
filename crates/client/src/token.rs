// Made of docs/openapi.json by `cargo xtask openapi`.

//! Token.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::shared::{Scheme, Scope};
use crate::{BotClient, ProjectClient, Result, Timestamp};

impl BotClient {
    /// Returns the data of the token that was presented.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn checkauth(&self) -> Result<TokenData> {
        let path = ["api", "external", "checkauth"];
        self.http.request(Method::GET, &path)?.one().await
    }
}

impl ProjectClient {
    /// Returns the data of the token that was presented.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn checkauth(&self) -> Result<TokenData> {
        let path = ["api", "external", "projectapi", "checkauth"];
        self.http.request(Method::GET, &path)?.one().await
    }
}

/// A validated token, without its text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct TokenData {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// What it is bound to.
    pub scheme: Scheme,
    /// What it was called when it was minted.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Whether it may only read.
    pub read_only: bool,
    /// The organisation of its project.
    pub organisation_id: Uuid,
    /// Its project.
    pub project_id: Uuid,
    /// Its bot; `null` for a project token.
    pub bot_id: Option<Uuid>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it is not valid any more; `null` for never.
    pub expires_at: Option<Timestamp>,
}
