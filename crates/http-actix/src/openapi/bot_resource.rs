//! Resources of a bot whose JSON is what clients see of them: a table of fields, beside what the service sets.

use std::borrow::Cow;

use domain::input::{Bounds, FieldType, ViewField};
use serde::Serialize;
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, Schema, SchemaFormat, Type};
use utoipa::openapi::{Object, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::schema::{list, of_field, plain};

/// Such a resource.
pub trait BotResource: Serialize {
    /// The name of its schema.
    const NAME: &'static str;
    /// What its schema says of it.
    const DESCRIPTION: &'static str;
    /// What its schema says of some of its fields.
    const MEANINGS: &'static [(&'static str, &'static str)] = &[];

    /// Its fields.
    fn fields() -> Vec<ViewField>;
}

/// What clients see of a resource.
#[derive(Serialize)]
#[serde(transparent)]
pub struct BotResourceView<T>(T);

impl<T> From<T> for BotResourceView<T> {
    fn from(resource: T) -> Self {
        Self(resource)
    }
}

impl<T: BotResource> ToSchema for BotResourceView<T> {
    fn name() -> Cow<'static, str> {
        T::NAME.into()
    }
}

impl<T: BotResource> PartialSchema for BotResourceView<T> {
    fn schema() -> RefOr<Schema> {
        let head = [("_id", KnownFormat::Uuid), ("botId", KnownFormat::Uuid)];
        let tail = [("createdAt", KnownFormat::DateTime), ("updatedAt", KnownFormat::DateTime)];
        let own = |object: ObjectBuilder, (name, format)| {
            let format = SchemaFormat::KnownFormat(format);
            let text = ObjectBuilder::new().schema_type(Type::String).format(Some(format));
            object.property(name, text).required(name)
        };
        let object = head.into_iter().fold(ObjectBuilder::new(), own);
        let object = T::fields().into_iter().fold(object, |object, field| {
            object.property(field.name, of_view(&field, T::MEANINGS)).required(field.name)
        });
        let object = tail.into_iter().fold(object, own);
        object.description(Some(T::DESCRIPTION)).into()
    }
}

fn of_view(field: &ViewField, meanings: &[(&str, &str)]) -> Schema {
    let mut schema = if field.field_type == FieldType::ObjectList {
        let object: Object = plain(Type::Object, false);
        list(object, &Bounds::default(), field.nullable).into()
    } else {
        of_field(&field.field_type, field.nullable)
    };
    let meaning = meanings.iter().find(|(name, _)| *name == field.name);
    let meaning = meaning.map(|(_, meaning)| (*meaning).to_owned());
    if let Schema::Array(list) = &mut schema {
        list.description = meaning;
    } else if let Schema::Object(value) = &mut schema {
        value.description = meaning;
    }
    schema
}

#[cfg(test)]
mod tests {
    use domain::skill::Skill;
    use domain::stage::Stage;

    use super::*;

    fn has_fields_for_all_meanings<T: BotResource>() {
        let fields: Vec<_> = T::fields().into_iter().map(|field| field.name).collect();
        for (name, _) in T::MEANINGS {
            assert!(fields.contains(name), "{} has no field {name}", T::NAME);
        }
    }

    #[test]
    fn what_is_said_of_fields_is_said_of_fields_that_there_are() {
        has_fields_for_all_meanings::<Skill>();
        has_fields_for_all_meanings::<Stage>();
    }
}
