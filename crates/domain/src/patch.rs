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
    /// Changes the field as told.
    pub fn apply(self, field: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Unset => *field = None,
            Self::Set(value) => *field = Some(value),
        }
    }
}
