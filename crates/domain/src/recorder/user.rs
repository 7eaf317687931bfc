//! Users who were known elsewhere.

use super::check::{check_created_at, check_word, stand_in};
use crate::body::{Body, FieldType, FieldValue, Fields, INTEGER_MAX, Rules, Slot};
use crate::changelog::FieldChange;
use crate::clock::Timestamp;
use crate::free_fields::{FREE_FIELDS_MAX, FreeFields};
use crate::json::JsonObject;
use crate::user::UserStats;
use crate::violation::{ViolationCode, Violations};

/// What is not among the free members of a user, whoever sets it.
const RESERVED: [&str; 7] =
    ["_id", "userId", "botId", "guestId", "stats", "createdAt", "updatedAt"];

/// A new user.
///
/// As a line: `guestId` is required; `stats`, with `messages`, `tokens`, `lastActiveAt` and `resetAt`,
/// begin at 0 and "never"; `createdAt` is now by default; all other members are free ones.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewUser {
    /// `guestId`: 1 to 256 bytes, and none that another user of the bot has.
    pub guest_id: String,
    /// The free members: at most 64 KiB of JSON.
    pub fields: FreeFields,
    /// `stats`. Messages that are recorded count in addition to these.
    pub stats: UserStats,
    /// `createdAt`; `None` for now.
    pub created_at: Option<Timestamp>,
}

impl NewUser {
    pub(super) fn check(&self, violations: &mut Violations) {
        check_word(violations, "guestId", &self.guest_id);
        for (name, _) in self.fields.iter().filter(|(name, _)| RESERVED.contains(name)) {
            let what = "is none of the free members";
            Slot::member(name).violation(violations, ViolationCode::ReservedField, what);
        }
        if self.fields.size() > FREE_FIELDS_MAX {
            let message = "The free members take at most 64 KiB of JSON in all.";
            violations.body("", ViolationCode::TooLong, message);
        }
        check_created_at(violations, self.created_at);
        for (member, number) in [("messages", self.stats.messages), ("tokens", self.stats.tokens)] {
            if number > INTEGER_MAX {
                let message = format!("`{member}` must lie between 0 and {INTEGER_MAX}.");
                violations.body(format!("/stats/{member}"), ViolationCode::OutOfRange, message);
            }
        }
        let times = [("lastActiveAt", self.stats.last_active_at), ("resetAt", self.stats.reset_at)];
        for (member, time) in times {
            if time.is_some_and(|time| !time.is_valid()) {
                let message = format!("`{member}` must lie in the years 1970 to 9999.");
                violations.body(format!("/stats/{member}"), ViolationCode::OutOfRange, message);
            }
        }
    }

    /// What the changelog says of it.
    pub(super) fn as_changes(&self) -> Vec<FieldChange> {
        let guest_id = FieldChange::new("guestId", &None::<()>, &self.guest_id);
        let fields = self.fields.iter();
        let fields = fields.map(|(name, value)| FieldChange::new(name, &None::<()>, value));
        [guest_id].into_iter().chain(fields).collect()
    }
}

impl Body for NewUser {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        let guest_id = fields.required("guestId").unwrap_or_else(stand_in);
        let stats = fields.optional("stats").unwrap_or_default();
        let created_at = fields.optional("createdAt");
        let free = fields.free(&RESERVED);
        let free = free.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let user = Self { guest_id, fields: FreeFields::of(free), stats, created_at };
        fields.with_violations(|violations| user.check(violations));
        user
    }
}

impl FieldValue for UserStats {
    fn field_type() -> FieldType {
        FieldType::Object
    }

    fn read(raw: &str, slot: Slot<'_>, violations: &mut Violations) -> Option<Self> {
        let object = JsonObject::read(raw, slot, violations)?;
        let mut fields = Fields::inside(object.as_str()).ok()?;
        let stats = Self {
            messages: fields.optional("messages").unwrap_or_default(),
            tokens: fields.optional("tokens").unwrap_or_default(),
            last_active_at: fields.optional("lastActiveAt"),
            reset_at: fields.optional("resetAt"),
        };
        let found = fields.finish();
        let is_valid = found.is_empty();
        violations.extend(found.inside(&slot.to_string()));
        is_valid.then_some(stats)
    }
}
