//! Key-value entries, permanent ones included.

use serde::Serialize;

use super::check::stand_in;
use crate::input::{Fields, Input};
use crate::json::Json;
use crate::keyval::{EntryAddress, KEY_MAX, WORD_MAX, part_field, value_field};

/// A key-value entry that takes the place of the one at its address, if there is one. Unlike a client,
/// the recorder may write permanent ones.
///
/// As a line: `userId`, `type`, `key` and `value` are required, and `null` is a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewEntry {
    /// `userId`, `type` and `key`.
    #[serde(flatten)]
    pub address: EntryAddress,
    /// `value`: at most 1 MiB of JSON, kept as it is.
    pub value: Json,
}

impl Input for NewEntry {
    const RAW_MEMBER: Option<&'static str> = Some("value");

    fn read(fields: &mut Fields<'_>) -> Self {
        let mut part =
            |name, max| fields.required(part_field(name, (1, max))).unwrap_or_else(stand_in);
        let address = EntryAddress {
            user_id: part("userId", WORD_MAX),
            entry_type: part("type", WORD_MAX),
            key: part("key", KEY_MAX),
        };
        let value = fields.required_or_null(value_field());
        Self { address, value: value.unwrap_or_else(|| Json::of(&())) }
    }
}
