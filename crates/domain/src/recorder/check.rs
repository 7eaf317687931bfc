//! Checks that several kinds of record share.

use crate::body::Slot;
use crate::clock::Timestamp;
use crate::fault::{FaultCode, Faults};
use crate::keyval::fault_of;
use crate::text::LONG_TEXT_MAX;

/// How many bytes the identifier of a message or of its author has at most.
const WORD_MAX: usize = crate::keyval::WORD_MAX;

/// A text in place of one that is missing or of a wrong type, which was reported already.
pub(super) fn stand_in() -> String {
    "-".to_owned()
}

/// Notes what is wrong with a text of 1 to 256 bytes.
pub(super) fn check_word(faults: &mut Faults, member: &str, word: &str) {
    if let Some((code, what)) = fault_of(word, WORD_MAX) {
        Slot::member(member).fault(faults, code, what);
    }
}

/// Notes what is wrong with a text of at most 1 MiB.
pub(super) fn check_text(faults: &mut Faults, member: &str, text: &str) {
    let fault = fault_of(text, LONG_TEXT_MAX).filter(|_| !text.is_empty());
    if let Some((code, what)) = fault {
        Slot::member(member).fault(faults, code, what);
    }
}

/// Notes a time of creation that lies outside of the years 1970 to 9999.
pub(super) fn check_created_at(faults: &mut Faults, time: Option<Timestamp>) {
    if time.is_some_and(|time| !time.is_sound()) {
        let what = "must lie in the years 1970 to 9999";
        Slot::member("createdAt").fault(faults, FaultCode::OutOfRange, what);
    }
}
