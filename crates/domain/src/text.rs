//! Rules that several resources have for their texts.

use crate::violation::{ViolationCode, Violations};

/// How many characters a name or a title has at most.
pub const NAME_MAX: usize = 200;
/// How many characters a description has at most.
pub const DESCRIPTION_MAX: usize = 10_000;
/// How many bytes a text has at most, also one in a list, and the JSON of an object: 1 MiB.
pub const LONG_TEXT_MAX: usize = 1 << 20;
/// How many items a list has at most.
pub const LIST_MAX: usize = 10_000;
/// How many bytes the whole configuration of a bot takes at most as JSON: 20 MiB.
pub const CONFIG_MAX: usize = 20 << 20;

/// What is wrong with a name from which the blanks around it were taken: it has 1 to 200 characters. The
/// sentence goes on after the name of the field.
pub(crate) fn violation_of_name(name: &str) -> Option<(ViolationCode, String)> {
    if name.is_empty() {
        let what = "must have at least one character that is no blank";
        return Some((ViolationCode::TooShort, what.to_owned()));
    }
    let is_too_long = name.chars().count() > NAME_MAX;
    is_too_long
        .then(|| (ViolationCode::TooLong, format!("must have at most {NAME_MAX} characters")))
}

/// A name that an operator gives, without the blanks around it. Its violations are those of `/name`.
pub(crate) fn name(text: &str, violations: &mut Violations) -> String {
    const AT: &str = "/name";
    let name = text.trim();
    if let Some((code, what)) = violation_of_name(name) {
        violations.body(AT, code, format!("A name {what}."));
    }
    if name.contains('\0') {
        violations.body(AT, ViolationCode::BadCharacter, "U+0000 is not allowed in a text.");
    }
    name.to_owned()
}

/// The beginning of a text, at most `max` characters of it.
#[must_use]
pub fn beginning(text: &str, max: usize) -> &str {
    text.char_indices().nth(max).and_then(|(end, _)| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_and_bounded() {
        let mut violations = Violations::none();
        assert_eq!(name("  Ada\n", &mut violations), "Ada");
        assert_eq!(name(&"ä".repeat(200), &mut violations).chars().count(), 200);
        assert!(violations.is_empty());
        for bad in ["", " \t ", &"ä".repeat(201), "a\0b"] {
            let mut violations = Violations::none();
            name(bad, &mut violations);
            assert!(
                violations.iter().all(|violation| violation.pointer == "/name")
                    && !violations.is_empty()
            );
        }
    }

    #[test]
    fn a_beginning_ends_between_characters() {
        assert_eq!(beginning("äöü", 2), "äö");
        assert_eq!(beginning("äöü", 3), "äöü");
        assert_eq!(beginning("", 3), "");
    }
}
