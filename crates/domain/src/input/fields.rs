//! Members of one input: which were read, which were there, what was wrong.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use super::doc::{FieldDoc, FieldType};
use super::value::{FieldValue, ValueLocation};
use super::{Field, InputSettings, Patch};
use crate::free_fields::FreeFieldsPatch;
use crate::json::{self, Json, Member};
use crate::violation::{ViolationCode, Violations, pointer};

/// What the API document says of a field.
fn doc_of<T: FieldValue>(
    field: &Field<T>,
    settings: &InputSettings,
    required: bool,
    nullable: bool,
) -> FieldDoc {
    let words = field.allowed_values.map(|words| words(settings).map(str::to_owned).into());
    FieldDoc {
        name: field.name.to_owned(),
        field_type: words.map_or_else(T::field_type, FieldType::OneOf),
        bounds: field.bounds,
        required,
        nullable,
        choice: T::CHOICE,
        description: field.description,
        default: field.default.clone(),
    }
}

/// The members of an input while they are read.
pub struct Fields<'a> {
    members: HashMap<Cow<'a, str>, UnreadMember<'a>>,
    settings: &'a InputSettings,
    violations: Violations,
    docs: Option<Vec<FieldDoc>>,
    /// Whether the input must have a member, whichever that is.
    pub(super) needs_member: bool,
}

/// A member that was not read yet.
struct UnreadMember<'a> {
    /// How many others stand before it.
    at: usize,
    /// The text of its value; `None` if that can't be read, which is a violation already.
    raw: Option<&'a str>,
}

impl UnreadMember<'_> {
    fn is_null(&self) -> bool {
        self.raw == Some("null")
    }
}

impl<'a> Fields<'a> {
    /// The members of the object in these bytes.
    ///
    /// # Errors
    /// If the bytes are no JSON object; what is wrong inside of it is collected instead.
    pub(super) fn of(
        bytes: &'a [u8],
        raw_member: Option<&str>,
        settings: &'a InputSettings,
    ) -> Result<Self, Violations> {
        Ok(Self::of_object(json::check_object(bytes, raw_member)?, settings))
    }

    /// The same for a line of a file.
    ///
    /// # Errors
    /// As [`Self::of`].
    pub(super) fn of_line(
        bytes: &'a [u8],
        raw_member: Option<&str>,
        settings: &'a InputSettings,
    ) -> Result<Self, Violations> {
        Ok(Self::of_object(json::check_line(bytes, raw_member)?, settings))
    }

    fn of_object(object: json::Object<'a>, settings: &'a InputSettings) -> Self {
        let members = object.members.into_iter().enumerate();
        let members = members.map(|(at, Member { name, raw, is_readable })| {
            (name, UnreadMember { at, raw: is_readable.then_some(raw) })
        });
        Self {
            members: members.collect(),
            settings,
            violations: object.violations,
            docs: None,
            needs_member: false,
        }
    }

    /// The members of an object that is the value of a field. What is wrong inside of its values was
    /// found when the whole input was checked. None of these members depends on a setting.
    ///
    /// # Errors
    /// If the text is no JSON object.
    pub(crate) fn inside(text: &'a str) -> Result<Self, Violations> {
        static SETTINGS: LazyLock<InputSettings> = LazyLock::new(InputSettings::default);
        Ok(Self { violations: Violations::none(), ..Self::of(text.as_bytes(), None, &SETTINGS)? })
    }

    /// No input: every field that is read is described instead.
    pub(super) fn describing(settings: &'a InputSettings) -> Self {
        let (members, violations) = (HashMap::new(), Violations::none());
        Self { members, settings, violations, docs: Some(Vec::new()), needs_member: false }
    }

    pub(super) fn into_docs(self) -> Vec<FieldDoc> {
        self.docs.unwrap_or_default()
    }

    /// Whether the input has this member, and it is not `null`.
    #[must_use]
    pub fn has_value(&self, name: &str) -> bool {
        self.members.get(name).is_some_and(|given| !given.is_null())
    }

    /// Adds a violation that only several fields together can have.
    pub fn violation(&mut self, member: &str, code: ViolationCode, what: impl fmt::Display) {
        ValueLocation::member(member).violation(&mut self.violations, code, what);
    }

    /// Adds a violation of the input as a whole.
    pub fn violation_of_all(&mut self, code: ViolationCode, message: &str) {
        self.violations.body("", code, message);
    }

    /// A member that must be there and not `null`.
    pub fn required<T: FieldValue>(&mut self, field: Field<T>) -> Option<T> {
        self.document(&field, true, false);
        match self.members.remove(field.name) {
            Some(given) if !given.is_null() => self.value(&field, &given),
            _ => {
                self.violation(field.name, ViolationCode::MissingField, "is required");
                None
            }
        }
    }

    /// A member that must be there; `null` is a value like any other.
    pub fn required_or_null<T: FieldValue>(&mut self, field: Field<T>) -> Option<T> {
        self.document(&field, true, true);
        if let Some(given) = self.members.remove(field.name) {
            return self.value(&field, &given);
        }
        self.violation(field.name, ViolationCode::MissingField, "is required");
        None
    }

    /// A member that may be left out; `null` is the same as leaving it out.
    pub fn optional<T: FieldValue>(&mut self, field: Field<T>) -> Option<T> {
        match self.patch(field) {
            Patch::Set(value) => Some(value),
            Patch::Keep | Patch::Unset => None,
        }
    }

    /// A member that may be left out, but not be `null`: a required field in a partial update, or a
    /// switch that must be on or off.
    pub fn not_null<T: FieldValue>(&mut self, field: Field<T>) -> Option<T> {
        self.document(&field, false, false);
        let given = self.members.remove(field.name)?;
        if given.is_null() {
            self.violation(field.name, ViolationCode::Null, "can't be null");
            return None;
        }
        self.value(&field, &given)
    }

    /// An optional field in a partial update.
    pub fn patch<T: FieldValue>(&mut self, field: Field<T>) -> Patch<T> {
        self.document(&field, false, true);
        match self.members.remove(field.name) {
            None => Patch::Keep,
            Some(given) if given.is_null() => Patch::Unset,
            Some(given) => self.value(&field, &given).map_or(Patch::Keep, Patch::Set),
        }
    }

    /// Checks that there is something to change.
    pub fn some_field(&mut self) {
        self.documented_member();
        if self.members.is_empty() {
            let message = "There is no field to change in the body.";
            self.violations.body("", ViolationCode::NoFields, message);
        }
    }

    /// Documents that the input has a member; what decides is a check.
    pub(crate) const fn documented_member(&mut self) {
        self.needs_member = true;
    }

    /// All members that were not read, in their order; `None` for `null`. A reserved one is a
    /// violation.
    pub fn free(&mut self, reserved: &[&str]) -> FreeFieldsPatch {
        if let Some(docs) = &mut self.docs {
            docs.push(FieldDoc::free());
        }
        let mut members: Vec<_> = self.members.drain().collect();
        members.sort_by_key(|(_, given)| given.at);
        let mut free = Vec::new();
        for (name, given) in members {
            if reserved.contains(&&*name) {
                self.violation(&name, ViolationCode::ReservedField, "can't be set here");
            } else if given.is_null() {
                free.push((name.into_owned(), None));
            } else if let Some(value) = given.raw.and_then(Json::parse_text) {
                free.push((name.into_owned(), Some(value)));
            }
        }
        FreeFieldsPatch(free)
    }

    /// All violations, those of members that were not read included.
    #[must_use]
    pub(crate) fn finish(mut self) -> Violations {
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

    fn value<T: FieldValue>(&mut self, field: &Field<T>, given: &UnreadMember<'_>) -> Option<T> {
        field.read(given.raw?, self.settings, &mut self.violations)
    }

    fn document<T: FieldValue>(&mut self, field: &Field<T>, required: bool, nullable: bool) {
        if let Some(docs) = &mut self.docs {
            docs.push(doc_of(field, self.settings, required, nullable));
        }
    }
}
