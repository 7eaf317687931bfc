//! JSON Schemas for the API document: of views, from their derive; of bodies, from their fields.

use std::collections::BTreeMap;

use domain::input::{Bounds, FieldDoc, FieldType, FieldValue};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa::openapi::schema::{
    AdditionalProperties, Array, ArrayBuilder, Object, ObjectBuilder, Schema, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr};

/// What a client sees of something: JSON with a named schema.
pub trait View: Serialize {
    /// A reference to the schema.
    fn reference() -> RefOr<Schema>;

    /// The schema itself and all that it refers to.
    fn components(schemas: &mut Vec<(String, RefOr<Schema>)>);
}

impl<T: Serialize + ToSchema> View for T {
    fn reference() -> RefOr<Schema> {
        Ref::from_schema_name(T::name()).into()
    }

    fn components(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((T::name().into_owned(), T::schema()));
        T::schemas(schemas);
    }
}

/// The schema of a body with these members, and no others unless they are free.
#[must_use]
pub fn of_body(fields: &[FieldDoc]) -> Object {
    let (free, named): (Vec<_>, Vec<_>) =
        fields.iter().partition(|field| field.field_type == FieldType::Free);
    let is_open = !free.is_empty();
    let object = named.into_iter().fold(ObjectBuilder::new(), |object, field| {
        let mut schema = of_bounded(&field.field_type, &field.bounds, field.nullable);
        if let Schema::Object(value) = &mut schema {
            value.description = field.meaning.map(str::to_owned);
            value.default = field.default.clone();
        } else if let Schema::Array(list) = &mut schema {
            list.description = field.meaning.map(str::to_owned);
            list.default = field.default.clone();
        }
        let object = object.property(&field.name, schema);
        if field.required { object.required(&field.name) } else { object }
    });
    object.additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(is_open))).build()
}

/// The members of views that can be `null` and can be missing as well.
const MISSING_OR_NULL: [(&str, &str); 1] = [("KeyvalEntry", "guestId")];

/// Requires of views what can be `null`. The derived schemas take that for what can be missing; but where
/// a view has nothing to tell, it says so.
pub fn require_nullable(schemas: &mut BTreeMap<String, RefOr<Schema>>) {
    for (name, schema) in schemas {
        let RefOr::T(Schema::Object(object)) = schema else {
            continue;
        };
        let before = std::mem::take(&mut object.required);
        let is_there = |member: &str, schema| {
            let may_be_missing = MISSING_OR_NULL.contains(&(name.as_str(), member));
            before.iter().any(|required| required == member)
                || is_nullable(schema) && !may_be_missing
        };
        let members = object.properties.iter().filter(|(member, schema)| is_there(member, schema));
        object.required = members.map(|(member, _)| member.clone()).collect();
    }
}

fn is_nullable(schema: &RefOr<Schema>) -> bool {
    let is_null = |of: &SchemaType| match of {
        SchemaType::Type(only) => *only == Type::Null,
        SchemaType::Array(types) => types.contains(&Type::Null),
        SchemaType::AnyValue => false,
    };
    if let RefOr::T(Schema::Object(object)) = schema {
        return is_null(&object.schema_type);
    }
    if let RefOr::T(Schema::Array(list)) = schema {
        return is_null(&list.schema_type);
    }
    matches!(schema, RefOr::T(Schema::OneOf(one)) if one.items.iter().any(is_nullable))
}

/// The schema of one member in a view, without the bounds that only a body must keep to.
#[must_use]
pub fn of_field(field_type: &FieldType, nullable: bool) -> Schema {
    of_bounded(field_type, &Bounds::default(), nullable)
}

fn of_bounded(field_type: &FieldType, bounds: &Bounds, nullable: bool) -> Schema {
    match field_type {
        FieldType::Text => text(bounds, nullable).into(),
        FieldType::Number => number(Type::Number, bounds, nullable).into(),
        FieldType::Integer => {
            let range = bounds.range.or(u64::BOUNDS.range);
            number(Type::Integer, &Bounds { range, ..*bounds }, nullable).into()
        }
        FieldType::Boolean => plain(Type::Boolean, nullable).into(),
        FieldType::Object => free_object(nullable).into(),
        FieldType::TextList => list(text(bounds, false), bounds, nullable).into(),
        FieldType::ObjectList => list(free_object(false), bounds, nullable).into(),
        FieldType::OneOf(words) => {
            let words = words.iter().cloned().map(Some).chain(nullable.then_some(None));
            ObjectBuilder::from(plain(Type::String, nullable))
                .enum_values(Some(words.collect::<Vec<Option<String>>>()))
                .build()
                .into()
        }
        FieldType::Any | FieldType::Free => {
            ObjectBuilder::new().schema_type(SchemaType::AnyValue).build().into()
        }
    }
}

pub(super) fn plain(r#type: Type, nullable: bool) -> Object {
    ObjectBuilder::new().schema_type(maybe_null(r#type, nullable)).build()
}

fn text(bounds: &Bounds, nullable: bool) -> Object {
    let min = bounds.length.map(|(min, _)| min).filter(|min| *min > 0);
    ObjectBuilder::from(plain(Type::String, nullable))
        .min_length(min)
        .max_length(bounds.length.map(|(_, max)| max))
        .pattern(bounds.pattern)
        .build()
}

fn number(r#type: Type, bounds: &Bounds, nullable: bool) -> Object {
    ObjectBuilder::from(plain(r#type, nullable))
        .minimum(bounds.range.map(|(min, _)| min))
        .exclusive_minimum(bounds.above)
        .maximum(bounds.range.map(|(_, max)| max))
        .build()
}

fn free_object(nullable: bool) -> Object {
    ObjectBuilder::from(plain(Type::Object, nullable))
        .additional_properties(Some(AdditionalProperties::<Schema>::FreeForm(true)))
        .build()
}

pub(super) fn list(items: Object, bounds: &Bounds, nullable: bool) -> Array {
    let array = ArrayBuilder::new().items(items).max_items(bounds.items);
    array.schema_type(maybe_null(Type::Array, nullable)).build()
}

fn maybe_null(r#type: Type, nullable: bool) -> SchemaType {
    if nullable { SchemaType::Array(vec![r#type, Type::Null]) } else { r#type.into() }
}
