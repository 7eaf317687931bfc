//! What a partial update says of one field.

use serde::{Serialize, Serializer};

/// Absent, `null`, or a value: the three things that a member of a partial update can be.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Patch<T> {
    /// The field is not in the body: it stays as it is.
    #[default]
    Keep,
    /// The field is `null`: it goes back to "never set".
    Unset,
    /// The field gets this value.
    Set(T),
}

impl<T> Patch<T> {
    /// The new value, if there is one.
    #[must_use]
    pub const fn as_set(&self) -> Option<&T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Unset => None,
        }
    }

    /// Whether it says nothing.
    #[must_use]
    pub const fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }
}

impl<T: Clone> Patch<T> {
    /// Changes a field that always has a value: unset, it goes back to its default.
    pub fn apply_or(&self, field: &mut T, default: impl FnOnce() -> T) {
        match self {
            Self::Keep => {}
            Self::Unset => *field = default(),
            Self::Set(value) => field.clone_from(value),
        }
    }

    /// Changes a field that need not have a value.
    pub fn apply(&self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Unset => *field = None,
            Self::Set(value) => *field = Some(value.clone()),
        }
    }
}

impl<T> From<T> for Patch<T> {
    fn from(value: T) -> Self {
        Self::Set(value)
    }
}

impl From<&str> for Patch<String> {
    fn from(text: &str) -> Self {
        Self::Set(text.to_owned())
    }
}

impl<T> From<Option<T>> for Patch<T> {
    /// What is not there is kept.
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Keep, Self::Set)
    }
}

/// What is unset is `null`; what is kept must be left out by the code that serializes the fields.
impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_set().serialize(serializer)
    }
}
