//! Key-value entries, permanent ones included.

use super::check::stand_in;
use crate::body::{Body, Fields, Rules, Slot};
use crate::fault::Faults;
use crate::json::Json;
use crate::keyval::{EntryAddress, check_value};

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
    pub(super) fn faults(&self) -> Result<(), Faults> {
        let mut faults = Faults::none();
        self.check(&mut faults);
        faults.into_result(())
    }

    pub(super) fn check(&self, faults: &mut Faults) {
        check_value(&self.value, faults);
        self.address.check(|name, code, what| Slot::member(name).fault(faults, code, what));
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
        fields.with_faults(|faults| entry.check(faults));
        entry
    }
}
