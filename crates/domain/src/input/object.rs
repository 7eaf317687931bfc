//! Lists of objects whose members are known.

use super::InputSettings;
use super::bounds::Bounds;
use super::doc::{FieldType, ObjectDoc};
use super::fields::Fields;
use super::value::{FieldValue, ValueLocation, list};
use crate::text::LIST_MAX;
use crate::violation::Violations;

/// An object with known members, of which a list in an input consists.
pub trait ListedObject: Sized {
    /// The name of its schema in the API document.
    const NAME: &'static str;
    /// What it says, as a sentence.
    const DESCRIPTION: &'static str;

    /// Reads every member that it may have. Violations are collected in `fields`; the value returned beside any is
    /// thrown away.
    fn read(fields: &mut Fields<'_>) -> Self;
}

impl<T: ListedObject> FieldValue for Vec<T> {
    const BOUNDS: Bounds = Bounds { items: Some((0, LIST_MAX)), ..Bounds::NONE };

    fn field_type() -> FieldType {
        let members = || {
            let settings = InputSettings::default();
            let mut fields = Fields::describing(&settings);
            T::read(&mut fields);
            fields.into_docs()
        };
        FieldType::ListOf(ObjectDoc { name: T::NAME, description: T::DESCRIPTION, members })
    }

    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        let items: Vec<Item<T>> = list(raw, location, violations, "a list of objects")?;
        Some(items.into_iter().map(|Item(object)| object).collect())
    }
}

/// One of the objects. It is never the value of a member itself.
struct Item<T>(T);

impl<T: ListedObject> FieldValue for Item<T> {
    fn field_type() -> FieldType {
        FieldType::Object
    }

    fn read(raw: &str, location: ValueLocation<'_>, violations: &mut Violations) -> Option<Self> {
        // What is no object is the one violation that there is.
        let Ok(mut fields) = Fields::inside(raw) else {
            return location.wrong_type(violations, "an object");
        };
        let object = T::read(&mut fields);
        let of_members = fields.finish();
        if of_members.is_empty() {
            return Some(Self(object));
        }
        violations.extend(location.around(of_members));
        None
    }
}
