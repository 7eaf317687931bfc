//! Members of one body: which were asked for, which were there, what was wrong.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;
use validator::{Validate, ValidationErrors};

use super::value::{Bounds, FieldType, FieldValue, Slot};
use crate::json::{self, Json, Member};
use crate::patch::Patch;
use crate::text::NAME_MAX;
use crate::violation::{ViolationCode, Violations, pointer};

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
    /// What it means, as a sentence, where its name does not say so.
    pub meaning: Option<&'static str>,
    /// What holds where it is left out, if that is always the same.
    pub default: Option<Value>,
}

impl FieldDoc {
    /// Stands for all members whose names the body leaves open.
    fn free() -> Self {
        Self::of("*", FieldType::Free, Bounds::default(), (false, true))
    }

    fn of(
        name: &str,
        field_type: FieldType,
        bounds: Bounds,
        (required, nullable): (bool, bool),
    ) -> Self {
        let (name, meaning, default) = (name.to_owned(), None, None);
        Self { name, field_type, bounds, required, nullable, meaning, default }
    }
}

/// The members of a body while it is checked.
pub struct Fields<'a> {
    members: HashMap<Cow<'a, str>, Given<'a>>,
    violations: Violations,
    docs: Option<Vec<FieldDoc>>,
}

/// A member that nobody asked for yet.
struct Given<'a> {
    /// How many others stand before it.
    at: usize,
    /// The text of its value; `None` if that can't be read, which was told already.
    raw: Option<&'a str>,
}

impl Given<'_> {
    fn is_null(&self) -> bool {
        self.raw == Some("null")
    }
}

impl<'a> Fields<'a> {
    /// The members of the object in these bytes.
    ///
    /// # Errors
    /// If the bytes are no JSON object; what is wrong inside of it is noted instead.
    pub fn of(bytes: &'a [u8], raw_member: Option<&str>) -> Result<Self, Violations> {
        Ok(Self::of_object(json::check_object(bytes, raw_member)?))
    }

    /// The same for a line of a file.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub fn of_line(bytes: &'a [u8], raw_member: Option<&str>) -> Result<Self, Violations> {
        Ok(Self::of_object(json::check_line(bytes, raw_member)?))
    }

    fn of_object(object: json::Object<'a>) -> Self {
        let members = object.members.into_iter().enumerate();
        let members = members.map(|(at, Member { name, raw, is_readable })| {
            (name, Given { at, raw: is_readable.then_some(raw) })
        });
        Self { members: members.collect(), violations: object.violations, docs: None }
    }

    /// The members of an object that stands in a body, and was checked with it: what is wrong inside
    /// of a value was noted then.
    ///
    /// # Errors
    /// If the text is no JSON object.
    pub(crate) fn inside(text: &'a str) -> Result<Self, Violations> {
        Ok(Self { violations: Violations::none(), ..Self::of(text.as_bytes(), None)? })
    }

    /// No body: every question is written down instead.
    pub(super) fn describing() -> Self {
        Self { members: HashMap::new(), violations: Violations::none(), docs: Some(Vec::new()) }
    }

    pub(super) fn into_docs(self) -> Vec<FieldDoc> {
        self.docs.unwrap_or_default()
    }

    /// Whether the body has this member, and it is not `null`.
    #[must_use]
    pub fn has_value(&self, name: &str) -> bool {
        self.members.get(name).is_some_and(|given| !given.is_null())
    }

    /// Notes violations that only the body's own rules can see.
    pub fn with_violations(&mut self, note: impl FnOnce(&mut Violations)) {
        note(&mut self.violations);
    }

    /// A member that must be there and not `null`.
    pub fn required<T: FieldValue>(&mut self, name: &str) -> Option<T> {
        self.document::<T>(name, true, false);
        match self.members.remove(name) {
            Some(given) if !given.is_null() => self.value(name, &given),
            _ => {
                Slot::member(name).violation(
                    &mut self.violations,
                    ViolationCode::MissingField,
                    "is required",
                );
                None
            }
        }
    }

    /// A member that must be there; `null` is a value like any other.
    pub fn required_or_null<T: FieldValue>(&mut self, name: &str) -> Option<T> {
        self.document::<T>(name, true, true);
        if let Some(given) = self.members.remove(name) {
            return self.value(name, &given);
        }
        Slot::member(name).violation(
            &mut self.violations,
            ViolationCode::MissingField,
            "is required",
        );
        None
    }

    /// A member that may be left out; `null` is the same as leaving it out.
    pub fn optional<T: FieldValue>(&mut self, name: &str) -> Option<T> {
        self.document::<T>(name, false, true);
        let given = self.members.remove(name).filter(|given| !given.is_null())?;
        self.value(name, &given)
    }

    /// A member that may be left out, but not be `null`: a required field in a partial update, or a
    /// switch that must say what it means.
    pub fn not_null<T: FieldValue>(&mut self, name: &str) -> Option<T> {
        self.document::<T>(name, false, false);
        let given = self.members.remove(name)?;
        if given.is_null() {
            Slot::member(name).violation(
                &mut self.violations,
                ViolationCode::Null,
                "can't be null",
            );
            return None;
        }
        self.value(name, &given)
    }

    /// An optional field in a partial update.
    pub fn patch<T: FieldValue>(&mut self, name: &str) -> Patch<T> {
        self.document::<T>(name, false, true);
        match self.members.remove(name) {
            None => Patch::Keep,
            Some(given) if given.is_null() => Patch::Unset,
            Some(given) => self.value(name, &given).map_or(Patch::Keep, Patch::Set),
        }
    }

    /// Says what the member asked for last means.
    pub fn document_meaning(&mut self, meaning: &'static str) {
        if let Some(doc) = self.last_doc() {
            doc.meaning = Some(meaning);
        }
    }

    /// Says what holds where this member is left out.
    pub fn document_default(&mut self, name: &str, default: impl Into<Value>) {
        let mut docs = self.docs.iter_mut().flatten();
        if let Some(doc) = docs.find(|doc| doc.name == name) {
            doc.default = Some(default.into());
        }
    }

    /// Narrows the description of the member asked for last to these words.
    pub fn document_words(&mut self, words: &[&str]) {
        if let Some(doc) = self.last_doc() {
            doc.field_type = FieldType::OneOf(words.iter().map(ToString::to_string).collect());
        }
    }

    /// Narrows the description of the member asked for last to numbers of this range.
    pub fn document_range(&mut self, min: f64, max: f64) {
        if let Some(doc) = self.last_doc() {
            doc.bounds.range = Some((min, max));
        }
    }

    /// Narrows the description of the member asked for last to numbers above this one.
    pub fn document_above(&mut self, limit: f64) {
        if let Some(doc) = self.last_doc() {
            doc.bounds.above = Some(limit);
        }
    }

    /// Narrows the description of the member asked for last to texts of this length.
    pub fn document_length(&mut self, min: usize, max: usize) {
        if let Some(doc) = self.last_doc() {
            doc.bounds.length = Some((min, max));
        }
    }

    /// Narrows the description of the member asked for last to texts of at most so many characters that
    /// match a regular expression of JSON Schema.
    pub fn document_pattern(&mut self, pattern: &'static str, max: usize) {
        if let Some(doc) = self.last_doc() {
            doc.bounds = Bounds { length: Some((0, max)), pattern: Some(pattern), ..doc.bounds };
        }
    }

    /// A name or title as it was given, without the blanks around it; it has 1 to 200 characters. To
    /// be called right after the member was asked for.
    pub fn name(&mut self, member: &str, given: Option<String>) -> Option<String> {
        self.document_length(1, NAME_MAX);
        let given = given?;
        let trimmed = given.trim();
        if trimmed.is_empty() {
            let what = "must have at least one character that is no blank";
            Slot::member(member).violation(&mut self.violations, ViolationCode::TooShort, what);
        }
        self.at_most(member, Some(trimmed), NAME_MAX);
        Some(trimmed.to_owned())
    }

    /// Checks that a text has at most so many characters. To be called right after the member was
    /// asked for.
    pub fn at_most(&mut self, member: &str, text: Option<&str>, max: usize) {
        if let Some(doc) = self.last_doc() {
            doc.bounds.length = doc.bounds.length.map(|(min, _)| (min, max));
        }
        if text.is_some_and(|text| text.chars().count() > max) {
            let what = format_args!("must have at most {max} characters");
            Slot::member(member).violation(&mut self.violations, ViolationCode::TooLong, what);
        }
    }

    /// Checks that a list has at least one item and at most so many. To be called right after the
    /// member was asked for.
    pub fn some_items<T>(&mut self, member: &str, items: Option<&[T]>, max: usize) {
        if let Some(doc) = self.last_doc() {
            doc.bounds.items = Some(max);
        }
        let slot = Slot::member(member);
        if items.is_some_and(<[T]>::is_empty) {
            slot.violation(
                &mut self.violations,
                ViolationCode::TooShort,
                "must have at least one item",
            );
        } else if items.is_some_and(|items| items.len() > max) {
            let what = format_args!("must have at most {max} items");
            slot.violation(&mut self.violations, ViolationCode::TooManyItems, what);
        }
    }

    /// Checks that there is something to change.
    pub fn some_field(&mut self) {
        if self.members.is_empty() {
            let message = "There is no field to change in the body.";
            self.violations.body("", ViolationCode::NoFields, message);
        }
    }

    /// All members that were not asked for, in their order; `None` for `null`. A reserved one is a
    /// violation.
    pub fn free(&mut self, reserved: &[&str]) -> Vec<(String, Option<Json>)> {
        if let Some(docs) = &mut self.docs {
            docs.push(FieldDoc::free());
        }
        let mut members: Vec<_> = self.members.drain().collect();
        members.sort_by_key(|(_, given)| given.at);
        let mut free = Vec::new();
        for (name, given) in members {
            if reserved.contains(&&*name) {
                let what = "is set by the service alone";
                Slot::member(&name).violation(
                    &mut self.violations,
                    ViolationCode::ReservedField,
                    what,
                );
            } else if given.is_null() {
                free.push((name.into_owned(), None));
            } else if let Some(value) = given.raw.and_then(Json::parse_text) {
                free.push((name.into_owned(), Some(value)));
            }
        }
        free
    }

    fn last_doc(&mut self) -> Option<&mut FieldDoc> {
        self.docs.as_mut()?.last_mut()
    }

    /// Adds what the derived rules of a value find: lengths and ranges. The value's fields are the
    /// members in snake case.
    pub fn validate(&mut self, value: &impl Validate) {
        if let Err(found) = value.validate() {
            self.take_over(&found);
        }
    }

    fn take_over(&mut self, found: &ValidationErrors) {
        let mut findings: Vec<_> = found.field_errors().into_iter().collect();
        findings.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (field, errors) in findings {
            let name = camel_case(&field);
            for error in errors {
                let code = ViolationCode::ALL.into_iter().find(|code| code.as_str() == error.code);
                let code = code.unwrap_or(ViolationCode::OutOfRange);
                let what = error.message.as_deref().unwrap_or("is out of bounds");
                Slot::member(&name).violation(&mut self.violations, code, what);
            }
        }
    }

    /// All violations, those of members that nobody asked for included.
    #[must_use]
    pub fn finish(mut self) -> Violations {
        let mut unknown: Vec<_> = self.members.into_iter().collect();
        unknown.sort_by_key(|(_, given)| given.at);
        for (name, _) in unknown {
            self.violations.body_with(ViolationCode::UnknownField, || {
                let shown = crate::text::beginning(&name, 100);
                (
                    pointer([&name]),
                    format!("The field `{shown}` is not known, or can't be set here."),
                )
            });
        }
        self.violations
    }

    fn value<T: FieldValue>(&mut self, name: &str, given: &Given<'_>) -> Option<T> {
        T::read(given.raw?, Slot::member(name), &mut self.violations)
    }

    fn document<T: FieldValue>(&mut self, name: &str, required: bool, nullable: bool) {
        if let Some(docs) = &mut self.docs {
            docs.push(FieldDoc::of(name, T::field_type(), T::BOUNDS, (required, nullable)));
        }
    }
}

/// `custom_js` as it is on the wire: `customJs`.
fn camel_case(field: &str) -> String {
    let mut words = field.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |mut name, word| {
        let mut letters = word.chars();
        name.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        name.push_str(letters.as_str());
        name
    })
}
