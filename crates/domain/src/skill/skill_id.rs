//! The form of a `skillId`.

use crate::id::SkillId;
use crate::input::{Check, Field, Fields};
use crate::violation::{ViolationCode, Violations};

/// The longest `skillId`.
pub(super) const MAX: usize = 128;
/// Its form, for the API document.
pub(super) const PATTERN: &str = "^[A-Za-z0-9._-]+$";

/// Checks the form of a `skillId`: 1 to 128 of `[A-Za-z0-9._-]`.
pub(super) fn check(text: &str, check: &mut Check<'_>) {
    if !is_valid(text) {
        let what = format_args!("must be 1 to {MAX} of the characters A-Z a-z 0-9 . _ -");
        check.violation(ViolationCode::BadFormat, what);
    }
}

/// A field by which something names a skill.
pub(crate) trait SkillReference {
    /// The text of a `skillId`, 1 to 128 characters. Its form is not checked, and there need not be such a skill.
    fn skill_reference(self) -> Self;
}

impl SkillReference for Field<String> {
    fn skill_reference(self) -> Self {
        self.documented_length(1, MAX).check(|text, check| {
            check.length(text);
            if text.is_empty() {
                check.violation(ViolationCode::TooShort, "must have at least one character");
            }
        })
    }
}

/// Whether it has the form of a `skillId`, as every `_id` has, too.
pub(super) fn is_valid(text: &str) -> bool {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    (1..=MAX).contains(&text.len()) && text.bytes().all(is_known)
}

/// What is wrong with a `skillId` that could be taken for the `_id` of another skill.
const OF_ANOTHER: &str = "has the form of a UUID and is not the `_id` of this skill";

/// Checks the `skillId` of a skill that is not there yet. Its `_id` is not known yet, so no UUID is accepted.
pub(super) fn check_new(fields: &mut Fields<'_>, text: Option<&String>) {
    if text.is_some_and(|text| has_form_of_uuid(text)) {
        fields.violation("skillId", ViolationCode::NotAllowed, OF_ANOTHER);
    }
}

/// A path can name a skill by its `skillId` or its `_id`, so nothing may look like the `_id` of
/// another skill.
pub(super) fn check_own(text: &str, own: SkillId) -> Result<(), Violations> {
    if !has_form_of_uuid(text) || text == own.to_string() {
        return Ok(());
    }
    let message = format!("`skillId` {OF_ANOTHER}.");
    Err(Violations::one("/skillId", ViolationCode::NotAllowed, message))
}

/// Whether this could be taken for an `_id`: five groups of hexadecimal digits (RFC 9562, section 4).
fn has_form_of_uuid(text: &str) -> bool {
    text.len() == 36 && uuid::Uuid::try_parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_own_id_may_look_like_one() {
        let own = "0197d0c8-3c5e-7000-8000-0123456789ab";
        let id = SkillId::parse(own).unwrap();
        for good in [own, "greeting", "0197d0c83c5e700080000123456789ab", &"a".repeat(36)] {
            assert_eq!(check_own(good, id), Ok(()), "{good}");
        }
        for bad in [own.replace('a', "c"), own.to_uppercase()] {
            assert!(check_own(&bad, id).is_err(), "{bad}");
        }
    }
}
