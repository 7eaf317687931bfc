//! Inputs, and the one way to a valid one.

use std::ops::Deref;

use serde::Serialize;
use serde_json::Value;

use super::{FieldDoc, FieldType, Fields, InputSettings};
use crate::violation::Violations;

/// What an operation takes: a JSON object with a known set of members. It serializes as that object,
/// so that a program can make one as well as a client.
pub trait Input: Serialize + Sized + Send + 'static {
    /// A member that is only stored, as text; see [`crate::json::check_object`].
    const RAW_MEMBER: Option<&'static str> = None;

    /// Reads every field that the input may have. Violations are collected in `fields`; the value
    /// returned beside any is thrown away.
    fn read(fields: &mut Fields<'_>) -> Self;

    /// Reads the body of a request.
    ///
    /// # Errors
    /// All violations.
    fn parse(bytes: &[u8], settings: &InputSettings) -> Result<Valid<Self>, Violations> {
        finish(Fields::of(bytes, Self::RAW_MEMBER, settings)?)
    }

    /// Reads a line of a file.
    ///
    /// # Errors
    /// All violations.
    fn parse_line(bytes: &[u8], settings: &InputSettings) -> Result<Valid<Self>, Violations> {
        finish(Fields::of_line(bytes, Self::RAW_MEMBER, settings)?)
    }

    /// Reads the texts of a form, each of which stands for a value of its field's type. A text that
    /// stands for none is of the wrong type.
    ///
    /// # Errors
    /// All violations.
    fn parse_texts(
        texts: &[(String, String)],
        settings: &InputSettings,
    ) -> Result<Valid<Self>, Violations> {
        let docs = Self::describe(settings);
        let mut object = serde_json::Map::new();
        for (name, text) in texts {
            let doc = docs.iter().find(|doc| doc.name == *name);
            let value = doc.and_then(|doc| value_of_text(&doc.field_type, text));
            object.insert(name.clone(), value.unwrap_or_else(|| text.clone().into()));
        }
        Self::parse(Value::Object(object).to_string().as_bytes(), settings)
    }

    /// Checks a value that a program made, by reading the JSON that it serializes as.
    ///
    /// # Errors
    /// All violations: those that a client would be answered for the same JSON.
    fn check(&self, settings: &InputSettings) -> Result<Valid<Self>, Violations> {
        // No input has a map with keys that are no texts, which alone could not be written.
        Self::parse(&serde_json::to_vec(self).unwrap_or_default(), settings)
    }

    /// The fields that such an input may have, in the order in which they are read.
    #[must_use]
    fn describe(settings: &InputSettings) -> Vec<FieldDoc> {
        let mut fields = Fields::describing(settings);
        Self::read(&mut fields);
        fields.into_docs()
    }

    /// Whether such an input must have a member, whichever that is.
    #[must_use]
    fn needs_member(settings: &InputSettings) -> bool {
        let mut fields = Fields::describing(settings);
        Self::read(&mut fields);
        fields.needs_member
    }
}

/// The number or truth value that a text of a form stands for. Clients in Python write truth values as
/// `True` and `False`.
fn value_of_text(field_type: &FieldType, text: &str) -> Option<Value> {
    if *field_type == FieldType::Boolean && matches!(text, "True" | "False") {
        return Some(Value::Bool(text == "True"));
    }
    // Blanks around a value are part of the text, though not of JSON.
    if field_type.is_text() || text.trim() != text {
        return None;
    }
    let value: Option<Value> = serde_json::from_str(text).ok();
    value.filter(|value| value.is_number() || value.is_boolean())
}

fn finish<I: Input>(mut fields: Fields<'_>) -> Result<Valid<I>, Violations> {
    let input = I::read(&mut fields);
    fields.finish().into_result(Valid { input })
}

/// An input without violations. It comes from [`Input::parse`], [`Input::check`] and the like, and from
/// nowhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Valid<I> {
    input: I,
}

impl<I> Valid<I> {
    /// The input itself.
    #[must_use]
    pub fn into_inner(self) -> I {
        self.input
    }
}

impl<I> Deref for Valid<I> {
    type Target = I;

    fn deref(&self) -> &I {
        &self.input
    }
}
