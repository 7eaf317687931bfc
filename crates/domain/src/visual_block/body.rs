//! What stores a visual block.

use serde::Serialize;

use crate::input::{Field, Fields, Input};
use crate::json::Json;

/// A visual block that takes the place of the one of its name, if there is one.
///
/// As a line: `name` and `content` are required.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NewVisualBlock {
    /// `name`: 1 to 200 characters; blanks around it do not count.
    pub name: String,
    /// `content`: at most 1 MiB of JSON.
    pub content: Json,
}

impl Input for NewVisualBlock {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            name: fields.required(Field::new("name").as_name()).unwrap_or_default(),
            content: fields
                .required(Field::new("content").at_most_1_mib())
                .unwrap_or_else(|| Json::of(&())),
        }
    }
}
