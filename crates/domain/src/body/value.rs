//! The types that a member of a body can have.

use serde_json::value::RawValue;

use crate::fault::{FaultCode, Faults};
use crate::json::{Json, JsonObject};

/// The largest integer that every JSON reader keeps exact: 2^53 − 1 (RFC 8259, section 6).
pub const INTEGER_MAX: u64 = (1 << 53) - 1;

/// A member's type as the API document states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldType {
    /// A text.
    Text,
    /// A number.
    Number,
    /// A number without fraction, from 0 to [`INTEGER_MAX`].
    Integer,
    /// `true` or `false`.
    Boolean,
    /// A list of texts.
    TextList,
    /// An object with whatever members.
    Object,
    /// A list of such objects.
    ObjectList,
    /// One of these words.
    OneOf(Vec<String>),
    /// Whatever JSON there is.
    Any,
}

/// A value that a member can hold.
pub trait FieldValue: Sized {
    /// What the API document says.
    fn field_type() -> FieldType;

    /// Reads the value from its text; what is wrong is noted.
    fn read(raw: &str, name: &str, pointer: &str, faults: &mut Faults) -> Option<Self>;
}

fn wrong_type<T>(name: &str, pointer: &str, faults: &mut Faults, expected: &str) -> Option<T> {
    faults.body(pointer, FaultCode::WrongType, format!("`{name}` must be {expected}."));
    None
}

impl FieldValue for String {
    fn field_type() -> FieldType {
        FieldType::Text
    }

    fn read(raw: &str, name: &str, pointer: &str, faults: &mut Faults) -> Option<Self> {
        let value = serde_json::from_str(raw).ok();
        value.or_else(|| wrong_type(name, pointer, faults, "a string"))
    }
}

impl FieldValue for bool {
    fn field_type() -> FieldType {
        FieldType::Boolean
    }

    fn read(raw: &str, name: &str, pointer: &str, faults: &mut Faults) -> Option<Self> {
        match raw {
            "true" => Some(true),
            "false" => Some(false),
            _ => wrong_type(name, pointer, faults, "true or false"),
        }
    }
}

impl FieldValue for u64 {
    fn field_type() -> FieldType {
        FieldType::Integer
    }

    /// An integer is a literal without fraction or exponent, so `1.0` is none.
    fn read(raw: &str, name: &str, pointer: &str, faults: &mut Faults) -> Option<Self> {
        let digits = raw.strip_prefix('-').unwrap_or(raw);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return wrong_type(name, pointer, faults, "an integer");
        }
        let value = raw.parse().ok().filter(|value| *value <= INTEGER_MAX);
        if value.is_none() {
            let message = format!("`{name}` must lie between 0 and {INTEGER_MAX}.");
            faults.body(pointer, FaultCode::OutOfRange, message);
        }
        value
    }
}

impl FieldValue for f64 {
    fn field_type() -> FieldType {
        FieldType::Number
    }

    fn read(raw: &str, name: &str, pointer: &str, faults: &mut Faults) -> Option<Self> {
        if !raw.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            return wrong_type(name, pointer, faults, "a number");
        }
        let value = serde_json::from_str::<Self>(raw).ok().filter(|value| value.is_finite());
        if value.is_none() {
            let message = format!("`{name}` is too large a number.");
            faults.body(pointer, FaultCode::OutOfRange, message);
        }
        value
    }
}

impl FieldValue for JsonObject {
    fn field_type() -> FieldType {
        FieldType::Object
    }

    fn read(raw: &str, name: &str, pointer: &str, faults: &mut Faults) -> Option<Self> {
        Self::parse(raw).or_else(|| wrong_type(name, pointer, faults, "an object"))
    }
}

impl FieldValue for Json {
    fn field_type() -> FieldType {
        FieldType::Any
    }

    fn read(raw: &str, name: &str, pointer: &str, faults: &mut Faults) -> Option<Self> {
        Self::parse_text(raw).or_else(|| wrong_type(name, pointer, faults, "JSON"))
    }
}

impl FieldValue for Vec<String> {
    fn field_type() -> FieldType {
        FieldType::TextList
    }

    fn read(raw: &str, name: &str, pointer: &str, faults: &mut Faults) -> Option<Self> {
        list(raw, name, pointer, faults, "a list of strings")
    }
}

impl FieldValue for Vec<JsonObject> {
    fn field_type() -> FieldType {
        FieldType::ObjectList
    }

    fn read(raw: &str, name: &str, pointer: &str, faults: &mut Faults) -> Option<Self> {
        list(raw, name, pointer, faults, "a list of objects")
    }
}

/// Reads each item, so that every wrong one is named.
fn list<T: FieldValue>(
    raw: &str,
    name: &str,
    pointer: &str,
    faults: &mut Faults,
    expected: &str,
) -> Option<Vec<T>> {
    let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(raw) else {
        return wrong_type(name, pointer, faults, expected);
    };
    let read = items.iter().enumerate().map(|(index, item)| {
        let (name, pointer) = (format!("{name}[{index}]"), format!("{pointer}/{index}"));
        T::read(item.get(), &name, &pointer, faults)
    });
    // Every item is read before the first bad one ends the list.
    let read: Vec<_> = read.collect();
    read.into_iter().collect()
}

/// Declares a field's enumeration: the words it allows and their names in the code.
#[macro_export]
macro_rules! choice {
    ($($(#[$doc:meta])* $name:ident { $($variant:ident $word:literal,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $(#[doc = concat!("`", $word, "`")] #[serde(rename = $word)] $variant,)+
        }

        impl $name {
            /// The words that the field allows.
            pub const WORDS: &'static [&'static str] = &[$($word,)+];

            /// Reads one of the words.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The word as it is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }
        }

        impl $crate::body::FieldValue for $name {
            fn field_type() -> $crate::body::FieldType {
                $crate::body::FieldType::OneOf(
                    Self::WORDS.iter().map(ToString::to_string).collect(),
                )
            }

            fn read(
                raw: &str,
                name: &str,
                pointer: &str,
                faults: &mut $crate::fault::Faults,
            ) -> Option<Self> {
                let word = <String as $crate::body::FieldValue>::read(raw, name, pointer, faults)?;
                let value = Self::parse(&word);
                if value.is_none() {
                    $crate::body::not_allowed(name, pointer, faults, Self::WORDS);
                }
                value
            }
        }
    )+};
}

/// Notes that a value is none of the words that its field allows.
pub fn not_allowed(name: &str, pointer: &str, faults: &mut Faults, words: &[&str]) {
    let message = format!("`{name}` must be one of {}.", words.join(", "));
    faults.body(pointer, FaultCode::NotAllowed, message);
}
