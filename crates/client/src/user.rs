// Made of docs/openapi.json by `cargo xtask openapi`.

//! User.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::shared::{DeletedCount, User};
use crate::{BotClient, Page, PageQuery, Result, Tagged, nullable};

impl BotClient {
    /// Sets the numbers of a user back to 0.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn reset_user_stats(&self, body: &ResetUserStats) -> Result<Tagged<User>> {
        let path = ["api", "external", "useraccess", "resetstats"];
        self.http.request(Method::POST, &path)?.json(body)?.tagged().await
    }

    /// Creates a user.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn create_user(&self, body: &CreateUser) -> Result<Tagged<User>> {
        let path = ["api", "external", "useraccess", "user"];
        self.http.request(Method::POST, &path)?.json(body)?.tagged().await
    }

    /// Changes the members that the body names; null removes a free one.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn update_user(&self, body: &UpdateUser) -> Result<Tagged<User>> {
        let path = ["api", "external", "useraccess", "user"];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Returns the user with this guestId, or null.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_user_by_guest_id(&self, guest_id: &str) -> Result<Tagged<Option<User>>> {
        let path = ["api", "external", "useraccess", "user", "byGuestId", guest_id];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Returns the user with this _id, or null.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_user(&self, user_id: Uuid) -> Result<Tagged<Option<User>>> {
        let path = ["api", "external", "useraccess", "user", "byId", &user_id.to_string()];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Lists the active bots of the token's organisation with their users, oldest first.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_users_in_organisation(
        &self,
        query: &PageQuery,
    ) -> Result<Page<BotWithUsers>> {
        let path = ["api", "external", "useraccess", "user", "usersinorg"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Lists the users of the bot, oldest first.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_users(&self, query: &ListUsersQuery) -> Result<Page<User>> {
        let path = ["api", "external", "useraccess", "users"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Deletes users, with their history and what is kept under their _id, and returns how many.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_users(&self, body: &DeleteUsers) -> Result<DeletedCount> {
        let path = ["api", "external", "useraccess", "users"];
        self.http.request(Method::DELETE, &path)?.json(body)?.one().await
    }
}

/// The query of `list_users`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListUsersQuery {
    /// The order; descending with `-`, and by `_id` where that is the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
    /// Only users with this in `guestId` or `name`, in whichever case.
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

/// Creates a user.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateUser {
    /// What the chat runtime calls the user; no other user of the bot has the same, and no user has
    /// none. At most 256 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guest_id: Option<String>,
    /// The members that no field is for, by their names.
    #[serde(flatten)]
    pub others: serde_json::Map<String, serde_json::Value>,
}

/// Deletes users, with their history and what is kept under their _id, and returns how many.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteUsers {
    /// The `_id`s of the users. Those that name nobody are skipped. At most 1 MiB in UTF-8 each.
    pub user_ids: Vec<String>,
}

/// Sets the numbers of a user back to 0.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResetUserStats {
    /// The `_id` of the user. At most 1 MiB in UTF-8.
    pub user_id: String,
}

/// Changes the members that the body names; null removes a free one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UpdateUser {
    /// The `_id` of the user; it stands in `_id` or in `userId`, or in both. At most 1 MiB in UTF-8.
    #[serde(rename = "_id", default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub id: Option<Option<String>>,
    /// The `_id` of the user; it stands in `_id` or in `userId`, or in both. At most 1 MiB in UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub user_id: Option<Option<String>>,
    /// What the chat runtime calls the user; no other user of the bot has the same, and no user has
    /// none. At most 256 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guest_id: Option<String>,
    /// The members that no field is for, by their names.
    #[serde(flatten)]
    pub others: serde_json::Map<String, serde_json::Value>,
}

/// A bot of the organisation with its users.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct BotWithUsers {
    /// The bot.
    pub bot_id: Uuid,
    /// What people call the bot.
    pub name: String,
    /// Its project.
    pub project_id: Uuid,
    /// Its users, oldest first.
    pub users: Vec<User>,
}
