//! Users who were known elsewhere.

use super::check::{check_created_at, check_word, stand_in};
use crate::body::{Body, FieldType, FieldValue, Fields, INTEGER_MAX, Rules, Slot};
use crate::changelog::FieldChange;
use crate::clock::Timestamp;
use crate::fault::{FaultCode, Faults};
use crate::free_fields::{FREE_FIELDS_MAX, FreeFields};
use crate::json::JsonObject;
use crate::user::UserStats;

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
    pub(super) fn check(&self, faults: &mut Faults) {
        check_word(faults, "guestId", &self.guest_id);
        for (name, _) in self.fields.iter().filter(|(name, _)| RESERVED.contains(name)) {
            let what = "is none of the free members";
            Slot::member(name).fault(faults, FaultCode::ReservedField, what);
        }
        if self.fields.size() > FREE_FIELDS_MAX {
            let message = "The free members take at most 64 KiB of JSON in all.";
            faults.body("", FaultCode::TooLong, message);
        }
        check_created_at(faults, self.created_at);
        for (member, number) in [("messages", self.stats.messages), ("tokens", self.stats.tokens)] {
            if number > INTEGER_MAX {
                let message = format!("`{member}` must lie between 0 and {INTEGER_MAX}.");
                faults.body(format!("/stats/{member}"), FaultCode::OutOfRange, message);
            }
        }
        let times = [("lastActiveAt", self.stats.last_active_at), ("resetAt", self.stats.reset_at)];
        for (member, time) in times {
            if time.is_some_and(|time| !time.is_sound()) {
                let message = format!("`{member}` must lie in the years 1970 to 9999.");
                faults.body(format!("/stats/{member}"), FaultCode::OutOfRange, message);
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
        fields.with_faults(|faults| user.check(faults));
        user
    }
}

impl FieldValue for UserStats {
    fn field_type() -> FieldType {
        FieldType::Object
    }

    fn read(raw: &str, slot: Slot<'_>, faults: &mut Faults) -> Option<Self> {
        let object = JsonObject::read(raw, slot, faults)?;
        let mut fields = Fields::inside(object.as_str()).ok()?;
        let stats = Self {
            messages: fields.optional("messages").unwrap_or_default(),
            tokens: fields.optional("tokens").unwrap_or_default(),
            last_active_at: fields.optional("lastActiveAt"),
            reset_at: fields.optional("resetAt"),
        };
        let found = fields.finish();
        let is_sound = found.is_empty();
        faults.extend(found.inside(&slot.to_string()));
        is_sound.then_some(stats)
    }
}
