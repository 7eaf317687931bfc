//! Users who were known elsewhere.

use serde::Serialize;

use super::check::{created_at, stand_in, word};
use crate::changelog::FieldChange;
use crate::clock::Timestamp;
use crate::free_fields::{FREE_FIELDS_MAX, FreeFields};
use crate::input::{Field, FieldType, FieldValue, Fields, Input, ValueLocation};
use crate::json::JsonObject;
use crate::user::UserStats;
use crate::violation::{ViolationCode, Violations};

/// The members of a user that are not free ones.
const RESERVED: [&str; 7] =
    ["_id", "userId", "botId", "guestId", "stats", "createdAt", "updatedAt"];

/// A new user.
///
/// As a line: `guestId` is required; `stats`, with `messages`, `tokens`, `lastActiveAt` and `resetAt`,
/// begin at 0 and "never"; `createdAt` is now by default; all other members are free ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewUser {
    /// `guestId`: 1 to 256 bytes, and none that another user of the bot has.
    pub guest_id: String,
    /// The free members: at most 64 KiB of JSON.
    #[serde(flatten)]
    pub fields: FreeFields,
    /// `stats`. Messages that are recorded count in addition to these.
    pub stats: UserStats,
    /// `createdAt`; `None` for now.
    pub created_at: Option<Timestamp>,
}

impl NewUser {
    /// What the changelog says of it.
    pub(super) fn as_changes(&self) -> Vec<FieldChange> {
        let guest_id = FieldChange::new("guestId", &None::<()>, &self.guest_id);
        let fields = self.fields.iter();
        let fields = fields.map(|(name, value)| FieldChange::new(name, &None::<()>, value));
        [guest_id].into_iter().chain(fields).collect()
    }
}

impl Input for NewUser {
    fn read(fields: &mut Fields<'_>) -> Self {
        let guest_id = fields.required(word("guestId")).unwrap_or_else(stand_in);
        let stats = fields.optional(Field::new("stats")).unwrap_or_default();
        let created_at = created_at(fields);
        let free = fields.free(&RESERVED).into_values();
        let user = Self { guest_id, fields: FreeFields::of(free), stats, created_at };
        if user.fields.size() > FREE_FIELDS_MAX {
            let message = "The free members take at most 64 KiB of JSON in all.";
            fields.violation_of_all(ViolationCode::TooLong, message);
        }
        user
    }
}

impl FieldValue for UserStats {
    fn field_type() -> FieldType {
        FieldType::Object
    }

    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        let object = JsonObject::read(raw, location, violations)?;
        let mut fields = Fields::inside(object.as_str()).ok()?;
        let stats = Self {
            messages: fields.optional(Field::new("messages")).unwrap_or_default(),
            tokens: fields.optional(Field::new("tokens")).unwrap_or_default(),
            last_active_at: fields.optional(Field::new("lastActiveAt")),
            reset_at: fields.optional(Field::new("resetAt")),
        };
        let found = fields.finish();
        let is_valid = found.is_empty();
        violations.extend(found.inside(&location.to_string()));
        is_valid.then_some(stats)
    }
}
