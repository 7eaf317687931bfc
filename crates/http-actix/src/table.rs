//! The table of operations: every route under `/api/external`, by resource. A route that is not in
//! here does not exist.

use crate::operation::Operation;
use crate::{bot, changelog, checkauth, fusion, skill, stage};

/// The name of a group of operations, and what lists them.
type Resource = (&'static str, fn() -> Vec<Operation>);

/// Every operation of the API.
#[must_use]
pub fn operations() -> Vec<Operation> {
    let resources: [Resource; 6] = [
        ("Token", checkauth::operations),
        ("Bot", bot::operations),
        ("Skill", skill::operations),
        ("Stage", stage::operations),
        ("Fusion-View", fusion::operations),
        ("Changelog", changelog::operations),
    ];
    let tagged = resources.into_iter().flat_map(|(tag, operations)| {
        operations().into_iter().map(move |operation| Operation { tag, ..operation })
    });
    tagged.collect()
}
