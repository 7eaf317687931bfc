//! The bodies of the Fusion-View operations.

use serde::Serialize;

use crate::free_fields::FreeFieldsPatch;
use crate::input::{Check, Field, Fields, Input};
use crate::violation::ViolationCode;

/// What only the service sets.
const RESERVED: [&str; 5] = ["_id", "botId", "file", "createdAt", "updatedAt"];
/// The same for an update: the type of a Fusion-View stays what it is.
const RESERVED_ON_UPDATE: [&str; 6] = ["_id", "botId", "file", "createdAt", "updatedAt", "type"];
/// The longest type.
const TYPE_MAX: usize = 64;

/// A new Fusion-View: `type` and `title` are required, everything else is metadata.
#[derive(Debug, Clone, Serialize)]
pub struct CreateFusionView {
    /// `type`: 1 to 64 of `a-z 0-9 -`. There is no list of them.
    #[serde(rename = "type")]
    pub view_type: String,
    /// `title`
    pub title: String,
    /// All other members.
    #[serde(flatten)]
    pub metadata: FreeFieldsPatch,
}

impl Input for CreateFusionView {
    fn read(fields: &mut Fields<'_>) -> Self {
        let view_type = Field::new("type")
            .documented_pattern("^[a-z0-9-]+$", (1, TYPE_MAX))
            .description("What kind of Fusion-View it is. Those of some types take a package.")
            .check(|text: &String, check| check_type(text, check));
        Self {
            view_type: fields.required(view_type).unwrap_or_default(),
            title: fields.required(title()).unwrap_or_default(),
            metadata: fields.free(&RESERVED),
        }
    }
}

/// A partial update of a Fusion-View.
#[derive(Debug, Clone, Serialize)]
pub struct UpdateFusionView {
    /// `title`, if it changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// All other members.
    #[serde(flatten)]
    pub metadata: FreeFieldsPatch,
}

impl Input for UpdateFusionView {
    fn read(fields: &mut Fields<'_>) -> Self {
        fields.some_field();
        let title = fields.not_null(title());
        Self { title, metadata: fields.free(&RESERVED_ON_UPDATE) }
    }
}

fn title() -> Field<String> {
    Field::new("title").as_name().description("What people call it.")
}

fn check_type(text: &str, check: &mut Check<'_>) {
    let is_known = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if text.is_empty() || text.len() > TYPE_MAX || !text.bytes().all(is_known) {
        let what = format_args!("must be 1 to {TYPE_MAX} of the characters a-z 0-9 -");
        check.violation(ViolationCode::BadFormat, what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::{InputSettings, Valid};
    use crate::violation::{Violations, codes};

    fn create(body: &str) -> Result<Valid<CreateFusionView>, Violations> {
        CreateFusionView::parse(body.as_bytes(), &InputSettings::default())
    }

    fn update(body: &str) -> Result<Valid<UpdateFusionView>, Violations> {
        UpdateFusionView::parse(body.as_bytes(), &InputSettings::default())
    }

    #[test]
    fn what_is_not_known_is_metadata() {
        let view = create(r#"{"b":1.10,"type":"h5p","a":null,"title":" t ","c":{}}"#).unwrap();
        assert_eq!((view.view_type.as_str(), view.title.as_str()), ("h5p", "t"));
        let names: Vec<_> = view.metadata.0.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["b", "a", "c"]);
        assert_eq!(view.metadata.0[0].1.as_ref().unwrap().as_str(), "1.10");
        assert_eq!(view.metadata.0[1].1, None);
    }

    #[test]
    fn reserved_members_are_refused() {
        let violations = create(r#"{"_id":1,"botId":1,"file":null,"createdAt":1,"updatedAt":1}"#);
        let violations = violations.unwrap_err();
        let mut found = codes(&violations);
        found.sort_unstable();
        let expected = [
            ("/_id", "reserved_field"),
            ("/botId", "reserved_field"),
            ("/createdAt", "reserved_field"),
            ("/file", "reserved_field"),
            ("/title", "missing_field"),
            ("/type", "missing_field"),
            ("/updatedAt", "reserved_field"),
        ];
        assert_eq!(found, expected);
        let violations = update(r#"{"type":"h5p","a":1}"#).unwrap_err();
        assert_eq!(codes(&violations), [("/type", "reserved_field")]);
        assert_eq!(codes(&update("{}").unwrap_err()), [("", "no_fields")]);
        assert_eq!(codes(&update(r#"{"title":null}"#).unwrap_err()), [("/title", "null")]);
    }

    #[test]
    fn a_type_has_a_form() {
        for good in ["a", "h5p", "my-own-1", &"x".repeat(64)] {
            assert!(create(&format!(r#"{{"type":"{good}","title":"t"}}"#)).is_ok(), "{good}");
        }
        for bad in ["", "A", "a b", "a_b", "ä", &"x".repeat(65)] {
            let violations = create(&format!(r#"{{"type":"{bad}","title":"t"}}"#)).unwrap_err();
            assert_eq!(codes(&violations), [("/type", "bad_format")], "{bad}");
        }
    }
}
