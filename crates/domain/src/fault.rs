//! What is wrong with an input, field by field.
//!
//! A check collects every [`Fault`] it finds into [`Faults`] and fails once, at the end, so that a
//! caller repairs a body in one go.

use std::fmt;

/// The stable word for what is wrong with one field or parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultCode {
    /// The text is not JSON (RFC 8259).
    MalformedJson,
    /// The body is JSON, but not an object.
    NotAnObject,
    /// Nested deeper than 128 levels.
    TooDeep,
    /// An object names the same member twice.
    DuplicateField,
    /// A string holds U+0000 or half a surrogate pair.
    BadCharacter,
    /// A member that this operation does not know, or does not let anybody set.
    UnknownField,
    /// A required member is missing.
    MissingField,
    /// The value has another JSON type than the field.
    WrongType,
    /// A required field can't be unset.
    Null,
    /// A text is shorter than it may be.
    TooShort,
    /// A text is longer than it may be.
    TooLong,
    /// A list has more items than it may have.
    TooManyItems,
    /// A number lies outside its range.
    OutOfRange,
    /// The value is none of those that the field allows.
    NotAllowed,
    /// A partial update without any field.
    NoFields,
    /// A query parameter is unknown, repeated or malformed.
    BadQuery,
    /// Two parts of one request say different things.
    Contradiction,
}

impl FaultCode {
    /// Every code there is; `docs/errors.md` lists the same.
    pub const ALL: [Self; 17] = [
        Self::MalformedJson,
        Self::NotAnObject,
        Self::TooDeep,
        Self::DuplicateField,
        Self::BadCharacter,
        Self::UnknownField,
        Self::MissingField,
        Self::WrongType,
        Self::Null,
        Self::TooShort,
        Self::TooLong,
        Self::TooManyItems,
        Self::OutOfRange,
        Self::NotAllowed,
        Self::NoFields,
        Self::BadQuery,
        Self::Contradiction,
    ];

    /// The word as it stands in a problem body.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MalformedJson => "malformed_json",
            Self::NotAnObject => "not_an_object",
            Self::TooDeep => "too_deep",
            Self::DuplicateField => "duplicate_field",
            Self::BadCharacter => "bad_character",
            Self::UnknownField => "unknown_field",
            Self::MissingField => "missing_field",
            Self::WrongType => "wrong_type",
            Self::Null => "null",
            Self::TooShort => "too_short",
            Self::TooLong => "too_long",
            Self::TooManyItems => "too_many_items",
            Self::OutOfRange => "out_of_range",
            Self::NotAllowed => "not_allowed",
            Self::NoFields => "no_fields",
            Self::BadQuery => "bad_query",
            Self::Contradiction => "contradiction",
        }
    }

    /// A short human title, in sentence case.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::MalformedJson => "Malformed JSON",
            Self::NotAnObject => "Body is not an object",
            Self::TooDeep => "Nested too deep",
            Self::DuplicateField => "Duplicate field",
            Self::BadCharacter => "Character not allowed",
            Self::UnknownField => "Unknown field",
            Self::MissingField => "Missing field",
            Self::WrongType => "Wrong type",
            Self::Null => "Field can't be null",
            Self::TooShort => "Too short",
            Self::TooLong => "Too long",
            Self::TooManyItems => "Too many items",
            Self::OutOfRange => "Out of range",
            Self::NotAllowed => "Value not allowed",
            Self::NoFields => "No fields",
            Self::BadQuery => "Bad query",
            Self::Contradiction => "Contradiction",
        }
    }
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where in a request a fault lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The JSON body.
    Body,
    /// The query string.
    Query,
}

/// One thing that is wrong with an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Body or query.
    pub place: Place,
    /// JSON Pointer (RFC 6901) to the value; empty for the whole body.
    pub pointer: String,
    /// What is wrong, for programs.
    pub code: FaultCode,
    /// What is wrong, as a sentence. It never repeats the value that came in.
    pub message: String,
}

/// Every fault of one input, in the order in which they were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// How many faults one answer lists; an input with more is wrong enough.
    pub const MAX: usize = 100;

    /// No fault so far.
    #[must_use]
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// One fault of a body.
    #[must_use]
    pub fn one(pointer: impl Into<String>, code: FaultCode, message: impl Into<String>) -> Self {
        let mut faults = Self::none();
        faults.body(pointer, code, message);
        faults
    }

    /// Adds a fault of the body.
    pub fn body(
        &mut self,
        pointer: impl Into<String>,
        code: FaultCode,
        message: impl Into<String>,
    ) {
        self.push(Fault {
            place: Place::Body,
            pointer: pointer.into(),
            code,
            message: message.into(),
        });
    }

    /// Adds a fault of the query parameter `name`.
    pub fn query(&mut self, name: &str, message: impl Into<String>) {
        self.push(Fault {
            place: Place::Query,
            pointer: format!("/{}", escape_pointer(name)),
            code: FaultCode::BadQuery,
            message: message.into(),
        });
    }

    /// Adds a fault, up to [`Self::MAX`] of them.
    pub fn push(&mut self, fault: Fault) {
        if self.0.len() < Self::MAX {
            self.0.push(fault);
        }
    }

    /// Takes over all faults of another check.
    pub fn extend(&mut self, other: Self) {
        for fault in other.0 {
            self.push(fault);
        }
    }

    /// Whether the input is sound.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The faults found.
    pub fn iter(&self) -> impl Iterator<Item = &Fault> {
        self.0.iter()
    }

    /// Whether a fault was already found at this pointer or below it.
    #[must_use]
    pub fn has(&self, pointer: &str) -> bool {
        self.0.iter().any(|fault| {
            fault
                .pointer
                .strip_prefix(pointer)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// `Ok(value)` for a sound input, else all that is wrong.
    ///
    /// # Errors
    /// The faults themselves, if there are any.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

/// A member name as one token of a JSON Pointer (RFC 6901, section 3).
#[must_use]
pub fn escape_pointer(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
