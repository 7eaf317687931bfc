//! What a partial update says of one optional field.

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

    /// Changes a field that has a default: unset, it goes back to that.
    pub fn apply_or(self, field: &mut T, default: T) {
        match self {
            Self::Keep => {}
            Self::Unset => *field = default,
            Self::Set(value) => *field = value,
        }
    }

    /// Changes the field as told.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Unset => *field = None,
            Self::Set(value) => *field = Some(value),
        }
    }
}
