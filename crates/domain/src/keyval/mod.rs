//! Key-value entries: what clients and the chat runtime keep with a bot or a project, by user, type
//! and key (`docs/api.md`, "Key-value entries").

mod access_times;
mod body;
mod filter;
mod owner;
mod repository;
mod service;
mod unit;

pub use access_times::Access;
pub(crate) use access_times::AccessTimes;
pub use body::{BulkDelete, PutEntry};
pub(crate) use body::{part_field, value_field};
pub use filter::{EntryFilter, KeyFilter, after_prefix};
pub use owner::KeyvalScope;
pub use repository::KeyvalRepository;
pub use service::KeyvalService;
pub(crate) use service::new_entry;
pub(crate) use service::write_accesses;
pub(crate) use unit::KeyvalUnit;

use serde::Serialize;

use crate::clock::Timestamp;
use crate::entity_tag::{EntityTag, Tagged};
use crate::id::KeyvalEntryId;
use crate::json::Json;
use crate::violation::{ViolationCode, Violations};

/// How many bytes a userId or a type has at most.
pub const WORD_MAX: usize = 256;
/// How many bytes a key has at most.
pub const KEY_MAX: usize = 1_024;

/// Where an entry stands. The order of addresses is that of lists: by userId, type and key, bytewise.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryAddress {
    /// Whose it is, in whatever sense; it need be no user of the bot. 1 to 256 bytes.
    pub user_id: String,
    /// What kind of thing it is, on the wire `type`. 1 to 256 bytes.
    #[serde(rename = "type")]
    pub entry_type: String,
    /// Its key. 1 to 1024 bytes.
    pub key: String,
}

impl EntryAddress {
    /// Whether the entry can't be written through the API, and is kept by deletes that do not say
    /// otherwise.
    #[must_use]
    pub fn is_permanent(&self) -> bool {
        is_permanent(&self.key)
    }

    /// What is wrong with the address, by the names that its parts have in a path.
    #[must_use]
    pub fn violations(&self) -> Violations {
        let mut violations = user_violations(&self.user_id);
        path_violation(&mut violations, "type", &self.entry_type, WORD_MAX);
        path_violation(&mut violations, "key", &self.key, KEY_MAX);
        violations
    }
}

/// Whether a key is one of those that only the service itself writes.
#[must_use]
pub fn is_permanent(key: &str) -> bool {
    key.starts_with('!')
}

/// What is wrong with the userId in a path that addresses all entries of it.
#[must_use]
pub fn user_violations(user_id: &str) -> Violations {
    let mut violations = Violations::none();
    path_violation(&mut violations, "userId", user_id, WORD_MAX);
    violations
}

fn path_violation(violations: &mut Violations, name: &str, text: &str, max: usize) {
    if let Some((code, what)) = violation_of(text, max) {
        violations.path(name, code, format!("`{name}` in the path {what}."));
    }
}

/// What is wrong with one part of an address of at most so many bytes, as a sentence that goes on
/// after its name.
#[must_use]
pub fn violation_of(text: &str, max: usize) -> Option<(ViolationCode, String)> {
    if text.is_empty() {
        Some((ViolationCode::TooShort, "must have at least one character".to_owned()))
    } else if text.len() > max {
        Some((ViolationCode::TooLong, format!("must have at most {max} bytes")))
    } else if text.contains('\0') {
        Some((ViolationCode::BadCharacter, "must not contain U+0000".to_owned()))
    } else {
        None
    }
}

/// A key-value entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its identifier.
    pub id: KeyvalEntryId,
    /// Where it stands.
    pub address: EntryAddress,
    /// What is stored, as it came in.
    pub value: Json,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was written last.
    pub updated_at: Timestamp,
    /// When it was read or written last; it may lag behind by two seconds.
    pub accessed_at: Timestamp,
}

/// An entry, and the guestId of the bot's user whose `_id` is the entry's userId. The entries of a
/// project have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryOfGuest {
    /// The entry.
    pub entry: Entry,
    /// The guestId, if there is such a user.
    pub guest_id: Option<String>,
}

impl Tagged for EntryOfGuest {
    fn entity_tag(&self) -> EntityTag {
        let Self { entry, guest_id } = self;
        // The address and whether it is permanent stay as they are, as long as it is the same entry.
        let Entry { id, address: _, value, created_at, updated_at, accessed_at: _ } = entry;
        let [created_at, updated_at] = [created_at, updated_at].map(|at| at.millis().to_be_bytes());
        EntityTag::of_bytes([
            Some(id.uuid().as_bytes()),
            Some(value.as_str().as_bytes()),
            Some(&created_at),
            Some(&updated_at),
            guest_id.as_deref().map(str::as_bytes),
        ])
    }
}
