//! Members of one body: which were asked for, which were there, what was wrong.

use std::borrow::Cow;
use std::collections::HashMap;

use validator::{Validate, ValidationErrors};

use super::value::{FieldType, FieldValue};
use crate::fault::{FaultCode, Faults, escape_pointer};
use crate::json::{self, Member};
use crate::patch::Patch;

/// What the API document says of one member.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldDoc {
    /// Its name on the wire.
    pub name: String,
    /// What it may hold.
    pub field_type: FieldType,
    /// Whether it must be there.
    pub required: bool,
    /// Whether it may be `null`.
    pub nullable: bool,
}

/// The members of a body while it is checked.
pub struct Fields<'a> {
    members: HashMap<Cow<'a, str>, (usize, &'a str)>,
    faults: Faults,
    docs: Option<Vec<FieldDoc>>,
}

impl<'a> Fields<'a> {
    /// The members of the object in these bytes.
    ///
    /// # Errors
    /// If the bytes are no JSON object; what is wrong inside of it is noted instead.
    pub fn of(bytes: &'a [u8]) -> Result<Self, Faults> {
        let object = json::check_object(bytes, None)?;
        let members = object.members.into_iter().enumerate();
        let members = members.map(|(at, Member { name, raw })| (name, (at, raw)));
        Ok(Self { members: members.collect(), faults: object.faults, docs: None })
    }

    /// No body: every question is written down instead.
    pub(super) fn describing() -> Self {
        Self { members: HashMap::new(), faults: Faults::none(), docs: Some(Vec::new()) }
    }

    pub(super) fn into_docs(self) -> Vec<FieldDoc> {
        self.docs.unwrap_or_default()
    }

    /// Whether the body has no member at all, or none that was not asked for yet.
    #[must_use]
    pub fn is_used_up(&self) -> bool {
        self.members.is_empty()
    }

    /// Notes faults that only the body's own rules can see.
    pub fn with_faults(&mut self, note: impl FnOnce(&mut Faults)) {
        note(&mut self.faults);
    }

    /// A member that must be there and not `null`.
    pub fn required<T: FieldValue>(&mut self, name: &str) -> Option<T> {
        self.document::<T>(name, true, false);
        match self.members.remove(name) {
            Some((_, "null")) | None => {
                self.missing(name);
                None
            }
            Some((_, raw)) => self.value(name, raw),
        }
    }

    /// A member that may be left out; `null` is the same as leaving it out.
    pub fn optional<T: FieldValue>(&mut self, name: &str) -> Option<T> {
        self.document::<T>(name, false, true);
        match self.members.remove(name) {
            Some((_, "null")) | None => None,
            Some((_, raw)) => self.value(name, raw),
        }
    }

    /// A member that may be left out, but not be `null`: a required field in a partial update, or a
    /// switch that must say what it means.
    pub fn not_null<T: FieldValue>(&mut self, name: &str) -> Option<T> {
        self.document::<T>(name, false, false);
        match self.members.remove(name) {
            Some((_, "null")) => {
                let pointer = pointer(name);
                self.faults.body(pointer, FaultCode::Null, format!("`{name}` can't be null."));
                None
            }
            Some((_, raw)) => self.value(name, raw),
            None => None,
        }
    }

    /// An optional field in a partial update.
    pub fn patch<T: FieldValue>(&mut self, name: &str) -> Patch<T> {
        self.document::<T>(name, false, true);
        match self.members.remove(name) {
            None => Patch::Keep,
            Some((_, "null")) => Patch::Unset,
            Some((_, raw)) => self.value(name, raw).map_or(Patch::Keep, Patch::Set),
        }
    }

    /// Narrows the description of the member asked for last to these words.
    pub fn document_words(&mut self, words: &[&str]) {
        if let Some(doc) = self.docs.as_mut().and_then(|docs| docs.last_mut()) {
            doc.field_type = FieldType::OneOf(words.iter().map(ToString::to_string).collect());
        }
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
            let pointer = pointer(&name);
            if self.faults.has(&pointer) {
                continue;
            }
            for error in errors {
                let code = FaultCode::ALL.into_iter().find(|code| code.as_str() == error.code);
                let message = match &error.message {
                    Some(message) => format!("`{name}` {message}."),
                    None => format!("`{name}` is out of bounds."),
                };
                self.faults.body(pointer.clone(), code.unwrap_or(FaultCode::OutOfRange), message);
            }
        }
    }

    /// All faults, those of members that nobody asked for included.
    #[must_use]
    pub fn finish(mut self) -> Faults {
        let mut unknown: Vec<_> = self.members.into_iter().collect();
        unknown.sort_by_key(|(_, (at, _))| *at);
        for (name, _) in unknown {
            let shown = crate::text::beginning(&name, 100);
            self.faults.body(
                pointer(&name),
                FaultCode::UnknownField,
                format!("The field `{shown}` is not known here."),
            );
        }
        self.faults
    }

    fn missing(&mut self, name: &str) {
        let pointer = pointer(name);
        if !self.faults.has(&pointer) {
            let message = format!("`{name}` is required.");
            self.faults.body(pointer, FaultCode::MissingField, message);
        }
    }

    fn value<T: FieldValue>(&mut self, name: &str, raw: &str) -> Option<T> {
        let pointer = pointer(name);
        // A value with a fault of its own (half a surrogate pair, say) may not even parse.
        if self.faults.has(&pointer) {
            return None;
        }
        T::read(raw, name, &pointer, &mut self.faults)
    }

    fn document<T: FieldValue>(&mut self, name: &str, required: bool, nullable: bool) {
        if let Some(docs) = &mut self.docs {
            let field_type = T::field_type();
            docs.push(FieldDoc { name: name.to_owned(), field_type, required, nullable });
        }
    }
}

fn pointer(name: &str) -> String {
    format!("/{}", escape_pointer(name))
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
