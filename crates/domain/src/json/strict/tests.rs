//! The check, rule by rule.

mod content;
mod limits;
mod syntax;

use super::*;
use crate::fault::Fault;

/// Code and pointer of every fault that `check_object` finds.
fn faults_of(text: &str, raw_member: Option<&str>) -> Vec<(FaultCode, String)> {
    let faults = match check_object(text.as_bytes(), raw_member) {
        Ok(object) => object.faults,
        Err(faults) => faults,
    };
    faults.iter().map(|fault| (fault.code, fault.pointer.clone())).collect()
}

fn only(bytes: &[u8]) -> Fault {
    let faults = check_value(bytes).expect_err("a fault");
    assert_eq!(faults.iter().count(), 1, "{faults:?}");
    faults.iter().next().expect("one fault").clone()
}

/// An object with these members.
fn object(names: impl Iterator<Item = String>) -> String {
    let members: Vec<_> = names.map(|name| format!("\"{name}\":1")).collect();
    format!("{{{}}}", members.join(","))
}
