//! The strict check: RFC 8259 to the letter, and beyond it what botyard refuses at any level.
//!
//! One pass over the bytes, without recursion and without an allocation per level, so that no body
//! costs more than its length. Everything found is collected; only what leaves nothing to go on
//! from (no JSON, nested too deep) ends the pass.

mod escape;
mod frame;
mod key;
mod names;
#[cfg(test)]
mod properties;
mod scan;
#[cfg(test)]
mod tests;
mod walk;

use std::borrow::Cow;

use crate::violation::{ViolationCode, Violations};
use scan::{Malformed, is_whitespace};
use walk::{Scanned, Scanner, Stop};

/// How many containers may lie inside one another, the outermost counted.
///
/// serde_json reads 127 of them. A member of a body that passed has at most 127, but what
/// [`check_value`] let through may have one more.
pub const MAX_DEPTH: usize = 128;
/// How many members the object that a body is may have. No body knows nearly as many.
pub const MAX_MEMBERS: usize = 10_000;

/// What messages call a line of a file.
const LINE: &str = "line";

/// How many characters a number may have where it is interpreted.
pub const MAX_NUMBER: usize = 64;

/// One member of the body's top-level object: its decoded name and the exact text of its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member<'a> {
    /// The name; half a surrogate pair, which is among the violations, became U+FFFD.
    pub name: Cow<'a, str>,
    /// The value, without white space around it.
    pub raw: &'a str,
    /// Whether neither a bad character nor an overlong number was found in the value, so that it
    /// can be read as whatever it should be.
    pub is_readable: bool,
}

/// A top-level object that passed the check, or passed all of it but for the violations collected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object<'a> {
    /// The members in their order; of a name that occurs repeatedly, the first.
    pub members: Vec<Member<'a>>,
    /// Duplicate members, bad characters and overlong numbers.
    pub violations: Violations,
}

/// Checks a body that must be an object.
///
/// `raw_member` is a top-level member that is only stored, as text: in it, U+0000 and half
/// surrogate pairs may stay in their escaped form, and numbers may have any length.
///
/// # Errors
/// If the body is no JSON, no object or nested too deep. That violation comes first, and after it what
/// else was found on the way.
pub fn check_object<'a>(
    bytes: &'a [u8],
    raw_member: Option<&str>,
) -> Result<Object<'a>, Violations> {
    object(bytes, "body", raw_member)
}

/// The same check for a line of a file.
///
/// # Errors
/// As [`check_object`].
pub fn check_line<'a>(bytes: &'a [u8], raw_member: Option<&str>) -> Result<Object<'a>, Violations> {
    object(bytes, LINE, raw_member)
}

fn object<'a>(
    bytes: &'a [u8],
    subject: &str,
    raw_member: Option<&str>,
) -> Result<Object<'a>, Violations> {
    let Scanned { root_is_object, members, violations } = walk(bytes, subject, raw_member)?;
    if root_is_object {
        Ok(Object { members, violations })
    } else {
        let message = format!("The {subject} must be a JSON object.");
        Err(after(Violations::one("", ViolationCode::NotAnObject, message), violations))
    }
}

/// The same check for any JSON value inside of another.
///
/// # Errors
/// Everything that was found.
pub fn check_value(bytes: &[u8]) -> Result<(), Violations> {
    walk(bytes, "value", None)?.violations.into_result(())
}

/// The pass itself; `subject` is what the messages call the whole text.
fn walk<'a>(
    bytes: &'a [u8],
    subject: &str,
    raw_member: Option<&str>,
) -> Result<Scanned<'a>, Violations> {
    if bytes.iter().copied().all(is_whitespace) {
        let message = format!("The {subject} is missing.");
        return Err(Violations::one("", ViolationCode::MalformedJson, message));
    }
    let Ok(text) = str::from_utf8(bytes) else {
        let valid = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        return Err(malformed(subject, valid, "it is not UTF-8"));
    };
    if text.starts_with('\u{feff}') {
        return Err(malformed(subject, "", "it starts with a byte order mark"));
    }
    Scanner::new(text, raw_member).run().map_err(|(stop, violations)| match stop {
        Stop::Malformed(Malformed { at, reason }) => {
            after(malformed(subject, text.get(..at).unwrap_or(text), reason), violations)
        }
        Stop::TooDeep { pointer } => {
            let message = format!("The {subject} is nested deeper than {MAX_DEPTH} levels.");
            after(Violations::one(pointer, ViolationCode::TooDeep, message), violations)
        }
        Stop::TooManyMembers => {
            let message = format!("The {subject} has more than {MAX_MEMBERS} members.");
            after(Violations::one("", ViolationCode::TooManyItems, message), violations)
        }
    })
}

/// The violation that ended the check stands first: it decides what the caller repairs first, and the
/// others must not push it out of a full list.
fn after(mut last: Violations, earlier: Violations) -> Violations {
    last.extend(earlier);
    last
}

/// Names line and column, counted in characters from 1 as editors do, of what follows `before`. Which
/// line of its file a line is, others say.
fn malformed(subject: &str, before: &str, reason: &str) -> Violations {
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |line| line.chars().count()) + 1;
    let line = if subject == LINE { String::new() } else { format!("line {line}, ") };
    let message = format!("The {subject} is not valid JSON at {line}column {column}: {reason}.");
    Violations::one("", ViolationCode::MalformedJson, message)
}
