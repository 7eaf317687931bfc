//! The check, rule by rule.

mod content;
mod limits;
mod syntax;

use super::*;
use crate::violation::Violation;

/// Code and pointer of every violation that `check_object` finds.
fn violations_of(text: &str, raw_member: Option<&str>) -> Vec<(ViolationCode, String)> {
    let violations = match check_object(text.as_bytes(), raw_member) {
        Ok(object) => object.violations,
        Err(violations) => violations,
    };
    violations.iter().map(|violation| (violation.code, violation.pointer.clone())).collect()
}

fn only(bytes: &[u8]) -> Violation {
    let violations = check_value(bytes).expect_err("a violation");
    assert_eq!(violations.iter().count(), 1, "{violations:?}");
    violations.iter().next().expect("one violation").clone()
}

/// An object with these members.
fn object(names: impl Iterator<Item = String>) -> String {
    let members: Vec<_> = names.map(|name| format!("\"{name}\":1")).collect();
    format!("{{{}}}", members.join(","))
}
