//! Fields that several kinds of record have.

use crate::clock::Timestamp;
use crate::input::{Field, Fields};
use crate::keyval::{WORD_MAX, part_field};

/// A text in place of one that is missing or of a wrong type, which is a violation already.
pub(super) fn stand_in() -> String {
    "-".to_owned()
}

/// The identifier of a message, or of its author: 1 to 256 bytes.
pub(super) fn word(name: &'static str) -> Field<String> {
    part_field(name, (1, WORD_MAX))
}

/// `createdAt`; `None` for now.
pub(super) fn created_at(fields: &mut Fields<'_>) -> Option<Timestamp> {
    fields.optional(Field::new("createdAt"))
}
