//! Key-value entries as clients see them.

use domain::clock::Timestamp;
use domain::id::KeyvalEntryId;
use domain::json::Json;
use domain::keyval::{Entry, EntryAddress, EntryOfGuest};
use serde::Serialize;
use utoipa::ToSchema;

/// A key-value entry.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KeyvalEntry)]
pub(crate) struct EntryView {
    #[serde(rename = "_id")]
    #[schema(value_type = String, format = Uuid)]
    id: KeyvalEntryId,
    /// Whose it is; any text.
    user_id: String,
    /// What kind of entry it is; any text.
    r#type: String,
    /// Its key.
    key: String,
    /// What was stored, as it came in.
    #[schema(value_type = Value)]
    value: Json,
    /// Whether the key begins with `!`.
    permanent: bool,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    /// When it was read or written last; it may lag behind by two seconds.
    #[schema(value_type = String, format = DateTime)]
    accessed_at: Timestamp,
    /// The guestId of the bot's user whose `_id` is the userId, or `null`. Entries of a project do
    /// not have it, nor has the answer to a write.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, required = false)]
    guest_id: Option<Option<String>>,
}

impl EntryView {
    /// An entry of a bot that was read.
    pub(super) fn of_bot(found: EntryOfGuest) -> Self {
        Self { guest_id: Some(found.guest_id), ..found.entry.into() }
    }

    /// An entry of a project that was read.
    pub(super) fn of_project(found: EntryOfGuest) -> Self {
        found.entry.into()
    }
}

impl From<Entry> for EntryView {
    fn from(entry: Entry) -> Self {
        let permanent = entry.address.is_permanent();
        let EntryAddress { user_id, entry_type, key } = entry.address;
        Self {
            id: entry.id,
            user_id,
            r#type: entry_type,
            key,
            value: entry.value,
            permanent,
            created_at: entry.created_at,
            updated_at: entry.updated_at,
            accessed_at: entry.accessed_at,
            guest_id: None,
        }
    }
}

/// That an entry was deleted.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = KeyvalEntryDeleted)]
pub(crate) struct EntryDeletedView {
    /// Always true.
    deleted: bool,
    /// Whose it was.
    user_id: String,
    /// What kind of entry it was.
    r#type: String,
    /// Its key.
    key: String,
}

impl From<EntryAddress> for EntryDeletedView {
    fn from(address: EntryAddress) -> Self {
        let EntryAddress { user_id, entry_type, key } = address;
        Self { deleted: true, user_id, r#type: entry_type, key }
    }
}
