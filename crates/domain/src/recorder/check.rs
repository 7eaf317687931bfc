//! Checks that several kinds of record share.

use crate::body::Slot;
use crate::clock::Timestamp;
use crate::keyval::violation_of;
use crate::text::LONG_TEXT_MAX;
use crate::violation::{ViolationCode, Violations};

/// How many bytes the identifier of a message or of its author has at most.
const WORD_MAX: usize = crate::keyval::WORD_MAX;

/// A text in place of one that is missing or of a wrong type, which was reported already.
pub(super) fn stand_in() -> String {
    "-".to_owned()
}

/// Notes what is wrong with a text of 1 to 256 bytes.
pub(super) fn check_word(violations: &mut Violations, member: &str, word: &str) {
    if let Some((code, what)) = violation_of(word, WORD_MAX) {
        Slot::member(member).violation(violations, code, what);
    }
}

/// Notes what is wrong with a text of at most 1 MiB.
pub(super) fn check_text(violations: &mut Violations, member: &str, text: &str) {
    let violation = violation_of(text, LONG_TEXT_MAX).filter(|_| !text.is_empty());
    if let Some((code, what)) = violation {
        Slot::member(member).violation(violations, code, what);
    }
}

/// Notes a time of creation that lies outside of the years 1970 to 9999.
pub(super) fn check_created_at(violations: &mut Violations, time: Option<Timestamp>) {
    if time.is_some_and(|time| !time.is_valid()) {
        let what = "must lie in the years 1970 to 9999";
        Slot::member("createdAt").violation(violations, ViolationCode::OutOfRange, what);
    }
}
