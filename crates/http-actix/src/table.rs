//! The table of operations: every route under `/api/external`, by resource. A route that is not in
//! here does not exist.

use crate::api::{
    bot, changelog, checkauth, document, embedding, feedback, fusion, keyval, max_age, skill,
    stage, supervisor, usage, user,
};
use crate::pipeline::operation::Operation;

/// The name of a group of operations, and what lists them.
type Resource = (&'static str, fn() -> Vec<Operation>);

/// Every operation of the API.
#[must_use]
pub fn operations() -> Vec<Operation> {
    let resources: &[Resource] = &[
        ("Token", checkauth::operations),
        ("Bot", bot::operations),
        ("Skill", skill::operations),
        ("Stage", stage::operations),
        ("Fusion-View", fusion::operations),
        ("Website-crawl", embedding::operations),
        ("Project document", document::operations),
        ("Changelog", changelog::operations),
        ("User", user::operations),
        ("Supervisor", supervisor::operations),
        ("Usage", usage::operations),
        ("Feedback", feedback::operations),
        ("Key-value entry", keyval::operations),
        ("MaxAge rule", max_age::operations),
    ];
    let tagged = resources.iter().flat_map(|(tag, operations)| {
        operations().into_iter().map(move |operation| Operation { tag, ..operation })
    });
    tagged.collect()
}
