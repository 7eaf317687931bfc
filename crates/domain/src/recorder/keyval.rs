//! Key-value entries, permanent ones included.

use super::check::stand_in;
use crate::body::{Body, Fields, Rules, Slot};
use crate::json::Json;
use crate::keyval::{EntryAddress, check_value};
use crate::violation::Violations;

/// A key-value entry that takes the place of the one at its address, if there is one. Unlike a client,
/// whoever records may write permanent ones.
///
/// As a line: `userId`, `type`, `key` and `value` are required, and `null` is a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// `userId`, `type` and `key`.
    pub address: EntryAddress,
    /// `value`: at most 1 MiB of JSON, kept as it is.
    pub value: Json,
}

impl NewEntry {
    /// Checks it.
    pub(super) fn violations(&self) -> Result<(), Violations> {
        let mut violations = Violations::none();
        self.check(&mut violations);
        violations.into_result(())
    }

    pub(super) fn check(&self, violations: &mut Violations) {
        check_value(&self.value, violations);
        self.address.check(|name, code, what| Slot::member(name).violation(violations, code, what));
    }
}

impl Body for NewEntry {
    const RAW_MEMBER: Option<&'static str> = Some("value");

    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        let address = EntryAddress {
            user_id: fields.required("userId").unwrap_or_else(stand_in),
            entry_type: fields.required("type").unwrap_or_else(stand_in),
            key: fields.required("key").unwrap_or_else(stand_in),
        };
        let value = fields.required_or_null("value").unwrap_or_else(|| Json::of(&()));
        let entry = Self { address, value };
        fields.with_violations(|violations| entry.check(violations));
        entry
    }
}
