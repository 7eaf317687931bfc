//! What stores a visual block.

use serde::Serialize;

use crate::input::{Field, Fields, Input};
use crate::json::Json;
use crate::text::LONG_TEXT_MAX;
use crate::violation::ViolationCode;

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
        let content = Field::new("content").check(|content: &Json, check| {
            if content.as_str().len() > LONG_TEXT_MAX {
                check.violation(ViolationCode::TooLong, "must take at most 1 MiB of JSON");
            }
        });
        Self {
            name: fields.required(Field::new("name").as_name()).unwrap_or_default(),
            content: fields.required(content).unwrap_or_else(|| Json::of(&())),
        }
    }
}
