//! What the API document says of inputs.

use serde_json::Value;

use super::bounds::Bounds;

/// What the API document says of an enumeration, beside its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChoiceDoc {
    /// Its name.
    pub name: &'static str,
    /// What it says, as a sentence.
    pub description: &'static str,
}

/// A member's type as the API document states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldType {
    /// A text.
    Text,
    /// A number.
    Number,
    /// A number without fraction, from 0 to [`INTEGER_MAX`](super::INTEGER_MAX).
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A list of texts.
    TextList,
    /// An object with whatever members.
    Object,
    /// A list of such objects.
    ObjectList,
    /// A list of objects with known members.
    ListOf(ObjectDoc),
    /// One of these words.
    OneOf(Vec<String>),
    /// Whatever JSON there is.
    Any,
    /// No one member, but all whose names the body leaves open.
    Free,
}

impl FieldType {
    /// Whether its values are texts.
    #[must_use]
    pub const fn is_text(&self) -> bool {
        matches!(self, Self::Text | Self::OneOf(_))
    }
}

/// What the API document says of the objects in a list.
#[derive(Debug, Clone, Copy)]
pub struct ObjectDoc {
    /// The name of their schema.
    pub name: &'static str,
    /// What they say, as a sentence.
    pub description: &'static str,
    /// Their members.
    pub members: fn() -> Vec<FieldDoc>,
}

/// A name stands for one schema.
impl PartialEq for ObjectDoc {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ObjectDoc {}

/// What the API document says of one member.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldDoc {
    /// Its name on the wire.
    pub name: String,
    /// What it may hold.
    pub field_type: FieldType,
    /// How large it may be.
    pub bounds: Bounds,
    /// Whether it must be there.
    pub required: bool,
    /// Whether it may be `null`.
    pub nullable: bool,
    /// The enumeration whose words it holds, if it is one that has a name.
    pub choice: Option<ChoiceDoc>,
    /// What it means.
    pub description: &'static str,
    /// What holds where it is left out, if that is always the same.
    pub default: Option<Value>,
}

impl FieldDoc {
    /// Stands for all members whose names the input leaves open.
    pub(super) fn free() -> Self {
        Self {
            name: "*".to_owned(),
            field_type: FieldType::Free,
            bounds: Bounds::default(),
            required: false,
            nullable: true,
            choice: None,
            description: "",
            default: None,
        }
    }
}
