// Made of docs/openapi.json by `cargo xtask openapi`.

//! Key-value entry.

use reqwest::Method;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::shared::DeletedCount;
use crate::{BotClient, Json, Page, ProjectClient, Result, Tagged, Timestamp, nullable};

impl BotClient {
    /// Lists entries, by userId, type and key.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_keyval_entries(
        &self,
        query: &ListKeyvalEntriesQuery,
    ) -> Result<Page<KeyvalEntry>> {
        let path = ["api", "external", "keyval"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Deletes the entries to which all members of the body apply, and returns how many were deleted.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn bulk_delete_keyval_entries(
        &self,
        body: &BulkDeleteKeyvalEntries,
    ) -> Result<DeletedCount> {
        let path = ["api", "external", "keyval", "bulk-delete"];
        self.http.request(Method::POST, &path)?.json(body)?.one().await
    }

    /// Lists the entries of one userId, by type and key.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_keyval_entries_of_user(
        &self,
        user_id: &str,
        query: &ListKeyvalEntriesOfUserQuery,
    ) -> Result<Page<KeyvalEntry>> {
        let path = ["api", "external", "keyval", user_id];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Deletes entries of one userId, and returns how many were deleted.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_keyval_entries_of_user(
        &self,
        user_id: &str,
        query: &DeleteKeyvalEntriesOfUserQuery,
    ) -> Result<DeletedCount> {
        let path = ["api", "external", "keyval", user_id];
        self.http.request(Method::DELETE, &path)?.query(query).one().await
    }

    /// Returns the entry; reading it counts as an access.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_keyval_entry(
        &self,
        user_id: &str,
        r#type: &str,
        key: &str,
    ) -> Result<Tagged<KeyvalEntry>> {
        let path = ["api", "external", "keyval", user_id, r#type, key];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Stores a value, whether there is an entry already or not.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn put_keyval_entry(
        &self,
        user_id: &str,
        r#type: &str,
        key: &str,
        body: &PutKeyvalEntry,
    ) -> Result<Tagged<KeyvalEntry>> {
        let path = ["api", "external", "keyval", user_id, r#type, key];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Deletes the entry.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_keyval_entry(
        &self,
        user_id: &str,
        r#type: &str,
        key: &str,
        query: &DeleteKeyvalEntryQuery,
    ) -> Result<KeyvalEntryDeleted> {
        let path = ["api", "external", "keyval", user_id, r#type, key];
        self.http.request(Method::DELETE, &path)?.query(query).one().await
    }
}

impl ProjectClient {
    /// Lists entries, by userId, type and key.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_keyval_entries(
        &self,
        query: &ListKeyvalEntriesQuery,
    ) -> Result<Page<KeyvalEntry>> {
        let path = ["api", "external", "projectapi", "keyval"];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Deletes the entries to which all members of the body apply, and returns how many were deleted.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn bulk_delete_keyval_entries(
        &self,
        body: &BulkDeleteKeyvalEntries,
    ) -> Result<DeletedCount> {
        let path = ["api", "external", "projectapi", "keyval", "bulk-delete"];
        self.http.request(Method::POST, &path)?.json(body)?.one().await
    }

    /// Lists the entries of one userId, by type and key.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn list_keyval_entries_of_user(
        &self,
        user_id: &str,
        query: &ListKeyvalEntriesOfUserQuery,
    ) -> Result<Page<KeyvalEntry>> {
        let path = ["api", "external", "projectapi", "keyval", user_id];
        self.http.request(Method::GET, &path)?.query(query).page().await
    }

    /// Deletes entries of one userId, and returns how many were deleted.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_keyval_entries_of_user(
        &self,
        user_id: &str,
        query: &DeleteKeyvalEntriesOfUserQuery,
    ) -> Result<DeletedCount> {
        let path = ["api", "external", "projectapi", "keyval", user_id];
        self.http.request(Method::DELETE, &path)?.query(query).one().await
    }

    /// Returns the entry; reading it counts as an access.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn get_keyval_entry(
        &self,
        user_id: &str,
        r#type: &str,
        key: &str,
    ) -> Result<Tagged<KeyvalEntry>> {
        let path = ["api", "external", "projectapi", "keyval", user_id, r#type, key];
        self.http.request(Method::GET, &path)?.tagged().await
    }

    /// Stores a value, whether there is an entry already or not.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn put_keyval_entry(
        &self,
        user_id: &str,
        r#type: &str,
        key: &str,
        body: &PutKeyvalEntry,
    ) -> Result<Tagged<KeyvalEntry>> {
        let path = ["api", "external", "projectapi", "keyval", user_id, r#type, key];
        self.http.request(Method::PUT, &path)?.json(body)?.tagged().await
    }

    /// Deletes the entry.
    ///
    /// Needs no scope.
    ///
    /// # Errors
    ///
    /// See [`Error`](crate::Error).
    pub async fn delete_keyval_entry(
        &self,
        user_id: &str,
        r#type: &str,
        key: &str,
        query: &DeleteKeyvalEntryQuery,
    ) -> Result<KeyvalEntryDeleted> {
        let path = ["api", "external", "projectapi", "keyval", user_id, r#type, key];
        self.http.request(Method::DELETE, &path)?.query(query).one().await
    }
}

/// The query of `delete_keyval_entries_of_user`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteKeyvalEntriesOfUserQuery {
    /// Only entries of this type. At most 256 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// Only entries with a key that begins so; all keys do if it is empty. At most 1024 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_prefix: Option<String>,
    /// Whether entries with a key that begins with `!` are kept; true by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_permanent: Option<bool>,
}

/// The query of `delete_keyval_entry`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeleteKeyvalEntryQuery {
    /// Whether entries with a key that begins with `!` are kept; true by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_permanent: Option<bool>,
}

/// The query of `list_keyval_entries_of_user`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListKeyvalEntriesOfUserQuery {
    /// Only entries of this type. At most 256 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// Only entries with a key that begins so; all keys do if it is empty. At most 1024 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_prefix: Option<String>,
    /// Answers a page of at most so many items; `Link` leads to the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Goes on where a page ended, as its `Link` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The query of `list_keyval_entries`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListKeyvalEntriesQuery {
    /// Only entries of this userId. At most 256 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Only entries of this type. At most 256 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// Only entries with this key. At most 1024 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Only entries with a key that begins so; all keys do if it is empty. At most 1024 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_prefix: Option<String>,
    /// Answers a page of at most so many items; `Link` leads to the next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// Goes on where a page ended, as its `Link` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// Deletes the entries to which all members of the body apply, and returns how many were deleted.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BulkDeleteKeyvalEntries {
    /// Only entries of this userId. 1 byte to 256 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// Only entries of this type. 1 byte to 256 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<String>,
    /// Only entries with a key that begins so; all keys do if it is empty. At most 1024 bytes in UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_prefix: Option<String>,
    /// Whether entries with a key that begins with `!` are kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_permanent: Option<bool>,
}

/// Stores a value, whether there is an entry already or not.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PutKeyvalEntry {
    /// What is stored: at most 1 MiB of JSON.
    pub value: Json,
}

/// A key-value entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct KeyvalEntry {
    /// Its identifier.
    #[serde(rename = "_id")]
    pub id: Uuid,
    /// Whose it is; any text.
    pub user_id: String,
    /// What kind of entry it is; any text.
    pub r#type: String,
    /// Its key.
    pub key: String,
    /// What was stored, as it came in.
    pub value: Json,
    /// Whether the key begins with `!`.
    pub permanent: bool,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was changed last.
    pub updated_at: Timestamp,
    /// When it was read or written last; it may lag behind by two seconds.
    pub accessed_at: Timestamp,
    /// The guestId of the bot's user whose `_id` is the userId, or `null`. Entries of a project do not
    /// have it, nor has the answer to a write.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "nullable")]
    pub guest_id: Option<Option<String>>,
}

/// That an entry was deleted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(rename_all = "camelCase")]
pub struct KeyvalEntryDeleted {
    /// Always true.
    pub deleted: bool,
    /// Whose it was.
    pub user_id: String,
    /// What kind of entry it was.
    pub r#type: String,
    /// Its key.
    pub key: String,
}
