//! The types that a member of a body can have.

use std::fmt;

use serde::de::{Deserializer as _, Error as _, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::bounds::Bounds;
use super::doc::{ChoiceDoc, FieldType};
use crate::json::{Json, JsonObject, Number};
use crate::text::{LIST_MAX, LONG_TEXT_MAX};
use crate::violation::{ViolationCode, Violations, pointer};

/// The largest integer that every JSON reader keeps exact: 2^53 − 1 (RFC 8259, section 6).
pub const INTEGER_MAX: u64 = (1 << 53) - 1;

/// A field as an answer has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewField {
    /// Its name on the wire.
    pub name: &'static str,
    /// What it may hold.
    pub field_type: FieldType,
    /// The enumeration whose words it holds, if it is one that has a name.
    pub choice: Option<ChoiceDoc>,
    /// Whether it may be `null`.
    pub nullable: bool,
    /// What it means.
    pub description: &'static str,
}

impl ViewField {
    pub(crate) fn of<T: FieldValue>(
        name: &'static str,
        nullable: bool,
        description: &'static str,
    ) -> Self {
        Self { name, field_type: T::field_type(), choice: T::CHOICE, nullable, description }
    }
}

/// Where a value stands: a member of the body, or an item of a member that is a list.
#[derive(Debug, Clone, Copy)]
pub struct ValueLocation<'a> {
    member: &'a str,
    item: Option<usize>,
}

impl<'a> ValueLocation<'a> {
    /// A member of the body.
    #[must_use]
    pub const fn member(name: &'a str) -> Self {
        Self { member: name, item: None }
    }

    /// An item of that member, if it is a list.
    #[must_use]
    pub const fn item(self, index: usize) -> Self {
        Self { item: Some(index), ..self }
    }

    /// Adds what is wrong with the value; the sentence goes on after its name.
    pub fn violation(
        self,
        violations: &mut Violations,
        code: ViolationCode,
        what: impl fmt::Display,
    ) {
        violations.body_with(code, || {
            let item = self.item.map(|index| index.to_string());
            let names = [self.member].into_iter().chain(item.as_deref());
            (pointer(names), format!("`{self}` {what}."))
        });
    }

    /// Adds that the value is none of the words that its field allows.
    pub fn not_allowed(self, violations: &mut Violations, words: &[&str]) {
        let what = format_args!("must be one of {}", words.join(", "));
        self.violation(violations, ViolationCode::NotAllowed, what);
    }

    /// The violations of members of an object that is this value, as violations of the whole input.
    pub(super) fn around(self, of_members: Violations) -> Violations {
        let item = self.item.map(|index| index.to_string());
        let of_item = match &item {
            Some(item) => of_members.inside(item),
            None => of_members,
        };
        of_item.inside(self.member)
    }

    pub(super) fn wrong_type<T>(self, violations: &mut Violations, expected: &str) -> Option<T> {
        self.violation(violations, ViolationCode::WrongType, format_args!("must be {expected}"));
        None
    }
}

impl fmt::Display for ValueLocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.member)?;
        match self.item {
            Some(index) => write!(f, "[{index}]"),
            None => Ok(()),
        }
    }
}

/// A value that a member can hold.
pub trait FieldValue: Sized {
    /// What the bounds of every value of this type are.
    const BOUNDS: Bounds = Bounds::NONE;
    /// The enumeration, if it is one.
    const CHOICE: Option<ChoiceDoc> = None;

    /// What the API document says.
    fn field_type() -> FieldType;

    /// Reads the value from its text; what is wrong is added to the violations.
    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self>;

    /// The texts in a list that can be read, each with its index, also where others are violations; none of
    /// any other type.
    fn readable_texts(_raw: &str) -> Vec<(usize, String)> {
        Vec::new()
    }

    /// How many bytes a long text, or a list or an object, takes as JSON, about; 0 for what is never
    /// long.
    fn text_size(&self) -> usize {
        0
    }
}

impl FieldValue for String {
    const BOUNDS: Bounds = Bounds::TEXT;

    fn field_type() -> FieldType {
        FieldType::Text
    }

    /// A text is bounded in bytes, because that is what it costs.
    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        let Ok(text) = serde_json::from_str::<Self>(raw) else {
            return location.wrong_type(violations, "a string");
        };
        if text.len() > LONG_TEXT_MAX {
            location.violation(violations, ViolationCode::TooLong, "must take at most 1 MiB");
            return None;
        }
        Some(text)
    }

    fn text_size(&self) -> usize {
        self.len()
    }
}

impl FieldValue for bool {
    fn field_type() -> FieldType {
        FieldType::Boolean
    }

    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        match raw {
            "true" => Some(true),
            "false" => Some(false),
            _ => location.wrong_type(violations, "true or false"),
        }
    }
}

impl FieldValue for u64 {
    const BOUNDS: Bounds = Bounds { range: Some((0.0, INTEGER_MAX as f64)), ..Bounds::NONE };

    fn field_type() -> FieldType {
        FieldType::Integer
    }

    /// An integer is a literal without fraction or exponent, so `1.0` is none; `-0` is 0.
    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        let digits = raw.strip_prefix('-').unwrap_or(raw);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return location.wrong_type(violations, "an integer");
        }
        let written = if digits == "0" { digits } else { raw };
        let value = written.parse().ok().filter(|value| *value <= INTEGER_MAX);
        if value.is_none() {
            let what = format_args!("must lie between 0 and {INTEGER_MAX}");
            location.violation(violations, ViolationCode::OutOfRange, what);
        }
        value
    }
}

impl FieldValue for Number {
    fn field_type() -> FieldType {
        FieldType::Number
    }

    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        if !raw.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
            return location.wrong_type(violations, "a number");
        }
        let value = serde_json::from_str(raw).ok().filter(|value: &f64| value.is_finite());
        if value.is_none() {
            location.violation(violations, ViolationCode::OutOfRange, "is too large a number");
        }
        value.map(Self)
    }
}

impl FieldValue for JsonObject {
    fn field_type() -> FieldType {
        FieldType::Object
    }

    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        if !raw.starts_with('{') {
            return location.wrong_type(violations, "an object");
        }
        if raw.len() > LONG_TEXT_MAX {
            location.violation(
                violations,
                ViolationCode::TooLong,
                "must take at most 1 MiB of JSON",
            );
            return None;
        }
        Self::parse(raw).or_else(|| location.wrong_type(violations, "an object"))
    }

    fn text_size(&self) -> usize {
        // A comma follows it in a list.
        self.as_str().len() + 1
    }
}

impl FieldValue for Json {
    fn field_type() -> FieldType {
        FieldType::Any
    }

    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        Self::parse_text(raw).or_else(|| location.wrong_type(violations, "JSON"))
    }
}

impl FieldValue for Vec<String> {
    const BOUNDS: Bounds = Bounds { items: Some((0, LIST_MAX)), ..String::BOUNDS };

    fn field_type() -> FieldType {
        FieldType::TextList
    }

    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        list(raw, location, violations, "a list of strings")
    }

    fn readable_texts(raw: &str) -> Vec<(usize, String)> {
        items(raw, ValueLocation::member(""), &mut Violations::none(), "")
    }

    fn text_size(&self) -> usize {
        // Each has two quotes and a comma.
        self.iter().map(|text| text.len() + 3).sum()
    }
}

impl FieldValue for Vec<JsonObject> {
    const BOUNDS: Bounds = Bounds { items: Some((0, LIST_MAX)), ..JsonObject::BOUNDS };

    fn field_type() -> FieldType {
        FieldType::ObjectList
    }

    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        list(raw, location, violations, "a list of objects")
    }

    fn text_size(&self) -> usize {
        self.iter().map(JsonObject::text_size).sum()
    }
}

/// Reads a list of which every item is valid.
pub(super) fn list<T: FieldValue>(
    raw: &str,
    location: ValueLocation<'_>,
    violations: &mut Violations,
    expected: &str,
) -> Option<Vec<T>> {
    let before = violations.total();
    let items = items(raw, location, violations, expected);
    (violations.total() == before).then(|| items.into_iter().map(|(_, item)| item).collect())
}

/// The items of a list that can be read, each with its index. Every other one is a violation; of a list that
/// is too long, no more is read than it may have.
fn items<T: FieldValue>(
    raw: &str,
    location: ValueLocation<'_>,
    violations: &mut Violations,
    expected: &str,
) -> Vec<(usize, T)> {
    if !raw.starts_with('[') {
        location.wrong_type::<T>(violations, expected);
        return Vec::new();
    }
    let mut items = Vec::new();
    let mut of_items = Violations::none();
    let mut count = 0;
    let each = Items(|item: &str| {
        let index = count;
        count += 1;
        if count <= LIST_MAX {
            let item = T::read(item, location.item(index), &mut of_items);
            items.extend(item.map(|item| (index, item)));
        }
        count <= LIST_MAX
    });
    let read = serde_json::Deserializer::from_str(raw).deserialize_seq(each);
    if count > LIST_MAX {
        let what = format_args!("must have at most {LIST_MAX} items");
        location.violation(violations, ViolationCode::TooManyItems, what);
    } else if read.is_err() {
        location.wrong_type::<T>(violations, expected);
        return Vec::new();
    }
    violations.extend(of_items);
    items
}

/// Shows each item of a list to a closure, until that has seen enough.
struct Items<F>(F);

impl<'de, F: FnMut(&'de str) -> bool> Visitor<'de> for Items<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(item) = list.next_element::<&RawValue>()? {
            if !(self.0)(item.get()) {
                return Err(A::Error::custom("the rest is not looked at"));
            }
        }
        Ok(())
    }
}
