//! Visual blocks.

use super::check::stand_in;
use crate::body::{Body, Fields, Rules};
use crate::json::Json;
use crate::violation::Violations;
use crate::visual_block;

/// A visual block that takes the place of the one of its name, if there is one.
///
/// As a line: `name` and `content` are required.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVisualBlock {
    /// `name`: 1 to 200 characters; blanks around it do not count.
    pub name: String,
    /// `content`: at most 1 MiB of JSON.
    pub content: Json,
}

impl NewVisualBlock {
    pub(super) fn check(&self, violations: &mut Violations) {
        visual_block::check(&self.name, &self.content, violations);
    }
}

impl Body for NewVisualBlock {
    fn read(fields: &mut Fields<'_>, _: &Rules) -> Self {
        let block = Self {
            name: fields.required("name").unwrap_or_else(stand_in),
            content: fields.required("content").unwrap_or_else(|| Json::of(&())),
        };
        fields.with_violations(|violations| block.check(violations));
        block
    }
}
